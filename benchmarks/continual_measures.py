"""What `continual.py` measures: likelihood on common words, the same senses before and after."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.report import interval
from adagram.evaluation.wsi import ContextRule, disambiguate
from adagram.evaluation.wsi_data import Instance, best_sense, read_instances
from adagram.model import Model
from adagram.model.predict import assign_senses
from adagram.paper.schedule import keep_probability

SURE = 0.9
PRIOR = 300.0  # words of all periods that each period's distribution begins with
SPEECHES = 60  # of a held-out text, evenly over its years


def sampled(text: str) -> str:
    """Some of the lines, evenly."""
    lines = text.splitlines()
    return "\n".join(lines[:: max(1, len(lines) // SPEECHES)])


def likelihoods(models: dict[str, Model], text: str) -> dict[str, float]:
    """Eq. (9) per context word, of the words that all models know, in a text that is thinned as for training.

    In the whole text frequent words, which training drops, would decide: there a model gains 0.18 nats if only its
    sense vectors are made shorter by a fifth.
    """
    common = set.intersection(*(set(model.vocabulary.words) for model in models.values()))
    last = list(models.values())[-1]
    tokens = [token for token in last.tokenize(sampled(text)) if token in common]
    keep = keep_probability(last.vocabulary.counts, last.config.subsample)[last.vocabulary.ids(tokens)]
    is_kept = np.random.default_rng(0).random(len(tokens)) < keep
    known = [token for token, kept in zip(tokens, is_kept, strict=True) if kept]
    return {
        name: round(model.predictor.likelihood(model.vocabulary.ids(known)).per_word, 4)
        for name, model in models.items()
    }


def frequencies_alone(model: Model, trained: list[Path], held_out: list[str]) -> dict[str, list[float]]:
    """What one distribution of words for all periods costs each of them, in nats a word of its held-out text.

    Words are drawn as in training, and a period's own distribution is that of its training text. Of all mixtures of
    the periods, in steps of a twentieth, the one is taken whose largest cost is least. No model is asked: it is what a
    change of frequencies alone takes from a model of all periods, before any change of which words go together.
    """
    size = len(model.vocabulary)
    keep = keep_probability(model.vocabulary.counts, model.config.subsample)

    def shares(text: str, prior: float) -> np.ndarray:
        ids = model.vocabulary.ids(token for token in model.tokenize(text) if token in model.vocabulary)
        counts = np.bincount(ids, minlength=size) * keep
        return (counts + prior * overall) / (counts.sum() + prior)

    overall = model.vocabulary.counts * keep
    overall = overall / overall.sum()
    own = np.array([shares(path.read_text(encoding="utf-8"), PRIOR) for path in trained])  # (periods, words)
    held = np.array([shares(text, 0.0) for text in held_out])
    best_possible = np.einsum("pw,pw->p", held, np.log(own))
    n = len(trained)
    steps = [np.diff([-1, *bars, 20 + n - 1]) - 1 for bars in combinations(range(20 + n - 1), n - 1)]
    costs = [best_possible - held @ np.log(weights @ own / 20) for weights in steps]
    best = min(range(len(steps)), key=lambda i: costs[i].max())
    return {"mixture": (steps[best] / 20).tolist(), "cost": costs[best].round(3).tolist()}


def identity(old: Model, new: Model, texts: list[str], aligned: bool = False) -> dict[str, float]:
    """Of the tokens of words with several senses that `old` was sure of: the share with the same sense in `new`.

    Models that were trained apart are aligned by the text itself: each sense of the one goes with that sense of
    the other that it meets most often.
    """
    same = total = 0
    for text in texts:
        tokens = [token for token in old.tokenize(sampled(text)) if token in old.vocabulary]
        tokens = [token for token in tokens if token in new.vocabulary]
        _, before, sure = assign_senses(old, [tokens])
        _, after, _ = assign_senses(new, [tokens])
        words = old.vocabulary.ids(tokens)
        several = np.diff(old.offsets)[words] > 1
        chosen = several & (sure > SURE)
        firsts, others = old.offsets[words], new.offsets[new.vocabulary.ids(tokens)]
        numbers, again = (before - firsts)[chosen], (after - others)[chosen]
        words = words[chosen]
        if aligned:
            numbers = _met_most(words, numbers, again)
        same, total = same + int((numbers == again).sum()), total + int(chosen.sum())
    return {"same": round(same / total, 4), "tokens": total}


def _met_most(words: np.ndarray, numbers: np.ndarray, again: np.ndarray) -> np.ndarray:
    keys = words.astype(np.int64) * 1000 + numbers
    pairs, counts = np.unique(np.stack([keys, again]), axis=1, return_counts=True)
    best = {int(pairs[0, i]): int(pairs[1, i]) for i in np.argsort(counts, kind="stable")}
    return np.array([best[int(key)] for key in keys])


def wsi(model: Model, data: Path) -> dict[str, str]:
    """Mean ARI over the words of the development sets, and clusters a word."""
    found = {}
    for name, instances in development_sets(data).items():
        words = _by_word(model, instances)
        clusters = np.mean([len(set(chosen)) for _, chosen in words.values()])
        found[name] = f"{np.mean(list(_aris(words).values())):.3f} ({clusters:.2f})"
    return found


def wsi_difference(model: Model, other: Model, data: Path) -> dict[str, str]:
    """Mean ARI of a model less that of another on the words that both know, with its 95 % interval over words."""
    found = {}
    for name, instances in development_sets(data).items():
        own, others = (_aris(_by_word(each, instances)) for each in (model, other))
        differences = np.array([own[word] - others[word] for word in sorted(set(own) & set(others))])
        low, high = interval(lambda chosen, d=differences: float(d[chosen].mean()), len(differences))
        found[name] = f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
    return found


def development_sets(data: Path) -> dict[str, list[Instance]]:
    semeval = read_instances(data / "semeval2010/contexts.tsv")
    words = sorted({instance.target for instance in semeval})
    first = set(words[: len(words) // 2])
    return {
        "WWSI train": read_instances(data / "wwsi/train.tsv"),
        "SemEval-2010, first half": [instance for instance in semeval if instance.target in first],
    }


def _by_word(model: Model, instances: list[Instance]) -> dict[str, tuple[list[str], list[int]]]:
    """The right sense of every instance, and the model's, by word."""
    found = disambiguate(model, instances, ContextRule())
    words: dict[str, tuple[list[str], list[int]]] = {}
    for instance, posterior in zip(found.instances, found.posteriors, strict=True):
        gold, chosen = words.setdefault(instance.target, ([], []))
        gold.append(best_sense(instance.senses))
        chosen.append(int(posterior.argmax()))
    return words


def _aris(words: dict[str, tuple[list[str], list[int]]]) -> dict[str, float]:
    return {word: adjusted_rand_index(gold, chosen) for word, (gold, chosen) in words.items()}
