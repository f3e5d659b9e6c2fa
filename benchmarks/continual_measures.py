"""What `continual.py` measures: likelihood on common words, the same senses before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.instances import Instance
from adagram.evaluation.keys import best_sense
from adagram.evaluation.protocol import ContextRule, disambiguate
from adagram.evaluation.wsi_sets import read_instances
from adagram.maths.subsampling import keep_probability
from adagram.model import Model

SURE = 0.9
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
        name: round(model.likelihood(model.vocabulary.ids(known)).per_word, 4)
        for name, model in models.items()
    }


def identity(old: Model, new: Model, texts: list[str], aligned: bool = False) -> dict[str, float]:
    """Of the tokens of words with several senses that `old` was sure of: the share with the same sense in `new`.

    Models that were trained apart are aligned by the text itself: each sense of the one goes with that sense of
    the other that it meets most often.
    """
    same = total = 0
    for text in texts:
        tokens = [token for token in old.tokenize(sampled(text)) if token in old.vocabulary]
        tokens = [token for token in tokens if token in new.vocabulary]
        before, sure = old.assign(tokens)
        after, _ = new.assign(tokens)
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
    semeval = read_instances(data / "semeval2010/contexts.tsv")
    words = sorted({instance.target for instance in semeval})
    first = set(words[: len(words) // 2])
    sets = {
        "WWSI train": read_instances(data / "wwsi/train.tsv"),
        "SemEval-2010, first half": [instance for instance in semeval if instance.target in first],
    }
    return {name: _mean_ari(model, instances) for name, instances in sets.items()}


def _mean_ari(model: Model, instances: list[Instance]) -> str:
    found = disambiguate(model, instances, ContextRule())
    words: dict[str, list[tuple[str, int]]] = {}
    for instance, posterior in zip(found.instances, found.posteriors, strict=True):
        words.setdefault(instance.target, []).append((best_sense(instance.senses), int(posterior.argmax())))
    pairs = [tuple(zip(*answers, strict=True)) for answers in words.values()]
    aris = [adjusted_rand_index(list(gold), list(chosen)) for gold, chosen in pairs]
    return f"{np.mean(aris):.3f} ({np.mean([len(set(chosen)) for _, chosen in pairs]):.2f})"
