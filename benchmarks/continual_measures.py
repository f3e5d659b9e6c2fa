"""What `continual.py` measures: likelihood on common words, the same senses before and after, planted meanings, WSI."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adagram.evaluation.protocol import ContextRule, disambiguate, hard_answers
from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi import score_wsi
from adagram.evaluation.wsi_sets import read_gold, read_instances
from adagram.model import Model
from adagram.model.context import Sides

SURE = 0.9
SPEECHES = 40  # of a held-out text, evenly over its years
N_PLANTED, USES = 10, 200
AROUND = 10


def sampled(text: str) -> str:
    """Some of the lines, evenly."""
    lines = text.splitlines()
    return "\n".join(lines[:: max(1, len(lines) // SPEECHES)])


def likelihoods(models: dict[str, Model], text: str) -> dict[str, float]:
    """Eq. (9) per context word, of the words that all models know."""
    common = set.intersection(*(set(model.vocabulary.words) for model in models.values()))
    tokens = next(iter(models.values())).tokenize(sampled(text))
    known = [token for token in tokens if token in common]
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


@dataclass(frozen=True)
class Planted:
    """From a date on, `other` is written as `word` for so many uses."""

    word: str
    other: str
    uses: int


def plant(model: Model, text: Path, work: Path, since: int) -> list[Planted]:
    """Write planted2.txt, in which ten words take on the meaning of another one in their last years."""
    lines = text.read_text(encoding="utf-8").splitlines()
    years = [int(year) for year in (work / "years2.txt").read_text(encoding="utf-8").split()]
    late = " ".join(line for line, year in zip(lines, years, strict=True) if year >= since)
    counts: dict[str, int] = {}
    for token in model.tokenize(late):
        counts[token] = counts.get(token, 0) + 1
    single = [
        word
        for w, word in enumerate(model.vocabulary.words)
        if model.offsets[w + 1] - model.offsets[w] == 1 and word.isalpha() and len(word) > 3
    ]
    frequent = [
        word for word in single if 600 <= model.vocabulary.counts[model.vocabulary.index[word]] <= 6000
    ]
    others = [word for word in frequent if counts.get(word, 0) >= USES]
    draw, found = random.Random(1), []
    draw.shuffle(others)
    for other in others:
        word = draw.choice(frequent)
        used = {name for pair in found for name in (pair.word, pair.other)}
        if word not in used and other not in used and model.similarity(f"{word}#0", f"{other}#0") < 0.2:
            found.append(Planted(word, other, USES))
        if len(found) == N_PLANTED:
            break
    _write_planted(found, lines, years, since, work / "planted2.txt")
    return found


def _write_planted(found: list[Planted], lines: list[str], years: list[int], since: int, path: Path) -> None:
    left, names = {pair.other: pair.uses for pair in found}, {pair.other: pair.word for pair in found}
    if path.exists():
        return
    made = []
    for line, year in zip(lines, years, strict=True):
        tokens = line.split()
        for i, token in enumerate(tokens if year >= since else []):
            bare = token.strip(".,;:!?\"'()").lower()
            if bare in left:
                tokens[i] = names[bare] if left[bare] > 0 else ""
                left[bare] -= 1
        made.append(" ".join(tokens))
    path.write_text("\n".join(made) + "\n", encoding="utf-8")


def planted_senses(old: Model, new: Model, pair: Planted, text: str) -> dict[str, Any]:
    """Which senses held-out uses of both meanings get: the new meaning should get one that was not there."""
    n_old = len(old.senses(pair.word, top=1))
    tokens = [token for token in new.tokenize(text) if token in new.vocabulary]
    shares = {}
    for name, is_new in ((pair.word, False), (pair.other, True)):
        places = [i for i, token in enumerate(tokens) if token == name][:200]
        contexts = [
            Sides(tokens[max(0, i - AROUND * 5) : i], tokens[i + 1 : i + 1 + AROUND * 5]) for i in places
        ]
        found = new.disambiguate_batch([pair.word] * len(contexts), contexts)
        numbers = np.array([int(posterior.argmax()) for posterior in found])
        shares[is_new] = float(((numbers >= n_old) == is_new).mean()) if len(numbers) else float("nan")
    born = [f"{s.name} {s.prior:.3f}" for s in new.senses(pair.word, top=1)[n_old:]]
    return {
        "planted": pair.word,
        "as": pair.other,
        "senses before": n_old,
        "born": born,
        "uses of the new meaning with a new sense": round(shares[True], 3),
        "uses of the old meaning with its old sense": round(shares[False], 3),
    }


def wsi(model: Model, data: Path) -> dict[str, str]:
    """ARI by the paper's protocol, with intervals over words."""
    file = data / "wwsi/train.tsv"
    found = disambiguate(model, read_instances(file), ContextRule(5, frozenset(), "none"))
    scored = score_wsi(read_gold(file), hard_answers(model, found), Resampling(1000, 0)).scores
    ari = next(score for score in scored if score.metric == "ARI" and score.subset == "all")
    return {"WWSI train, ARI": f"{ari.value:.3f} [{ari.low:.3f}, {ari.high:.3f}]"}
