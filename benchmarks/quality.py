"""Word sense induction with its baselines and spread, and the senses that people see: duplicates, junk, intruders.

    python benchmarks/quality.py DATASET.tsv MODEL[,MODEL…] [MODEL[,MODEL…]]

Models joined by commas are seeds of one setting. With two settings their difference is given with a paired interval.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from adagram import load
from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.report import interval
from adagram.evaluation.wsi import ContextRule, disambiguate
from adagram.evaluation.wsi_data import Instance, best_sense, read_tsv
from adagram.model import Model
from adagram.model.neighbours import nearest
from common import write_result

TOP = 10  # neighbours that are looked at
LOWEST = 0.05  # share of words with one sense whose neighbours are less coherent than a junk sense may be
REFERENCE = 500  # so many words with one sense are asked how coherent neighbours are

Labels = dict[str, tuple[list[str], list[int]]]  # target -> gold senses and clusters of its instances


def labels_of(model: Model, instances: Sequence[Instance]) -> Labels:
    """The gold sense and the most probable sense of every instance whose target the model knows."""
    found = disambiguate(model, instances, ContextRule())
    labels: Labels = {}
    for instance, posterior in zip(found.instances, found.posteriors, strict=True):
        gold, clusters = labels.setdefault(instance.target, ([], []))
        gold.append(best_sense(instance.senses))
        clusters.append(int(np.argmax(posterior)))
    return {target: pair for target, pair in labels.items() if len(set(pair[0])) > 1}


def scores_of(labels: Labels) -> dict[str, list[float]]:
    """ARI per word of the model and of the baselines, and the clusters per word."""
    draw = np.random.default_rng(0)
    rows: dict[str, list[float]] = {}
    for _, (gold, clusters) in sorted(labels.items()):
        answers: dict[str, Sequence[object]] = {
            "model": clusters,
            "one cluster, which is the most frequent sense": [0] * len(gold),
            "one per instance": list(range(len(gold))),
            "random, the model's sizes": draw.permutation(clusters).tolist(),
        }
        for name, answer in answers.items():
            rows.setdefault(name, []).append(adjusted_rand_index(gold, answer))
        rows.setdefault("clusters", []).append(len(set(clusters)))
        rows.setdefault("gold senses", []).append(len(set(gold)))
    return rows


def coherence(model: Model, rows: np.ndarray) -> float:
    """Mean cosine between the senses with these rows."""
    unit = unit_rows(model, rows)
    cosines = unit @ unit.T
    n = len(rows)
    return float((cosines.sum() - n) / (n * (n - 1)))


def unit_rows(model: Model, rows: np.ndarray) -> np.ndarray:
    vectors = model.arrays["vectors"][rows]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def neighbours_of(model: Model, rows: np.ndarray) -> list[np.ndarray]:
    return [np.concatenate([found for found, _ in nearest(model, rows[i : i + 1], TOP, 1.0)]) for i in range(len(rows))]


def seen_quality(model: Model, targets: Sequence[str]) -> dict[str, float]:
    """Shares of duplicate pairs, of junk senses, and of intruders found, among the senses of the targets."""
    draw = np.random.default_rng(0)
    words = [model.vocabulary.index[target] for target in targets if target in model.vocabulary]
    offsets = model.offsets
    rows = np.concatenate([np.arange(offsets[w], offsets[w + 1]) for w in words])
    lists = dict(zip(rows.tolist(), neighbours_of(model, rows), strict=True))
    single = np.flatnonzero(np.diff(offsets) == 1)
    reference = offsets[draw.choice(single, min(REFERENCE, len(single)), replace=False)]
    usual = [coherence(model, found) for found in neighbours_of(model, reference)]
    least = float(np.quantile(usual, LOWEST))
    pairs = [pair for w in words for pair in combinations(range(offsets[w], offsets[w + 1]), 2)]
    names = {row: {model.names([n])[0].split("#")[0] for n in found.tolist()} for row, found in lists.items()}
    doubles = [len(names[i] & names[j]) > TOP / 2 for i, j in pairs]
    return {
        "duplicate pairs": float(np.mean(doubles)) if doubles else 0.0,
        "words with a duplicate": len({_word(offsets, i) for (i, _), d in zip(pairs, doubles, strict=True) if d})
        / len(words),
        "junk senses": float(np.mean([coherence(model, found) < least for found in lists.values()])),
        "intruders found": float(np.mean([_finds_intruder(model, row, lists, draw) for row in lists])),
        "senses per target": len(rows) / len(words),
    }


def _word(offsets: np.ndarray, row: int) -> int:
    return int(np.searchsorted(offsets, row, side="right")) - 1


def _finds_intruder(model: Model, row: int, lists: dict[int, np.ndarray], draw: np.random.Generator) -> bool:
    """Is a neighbour of another word's sense the one that is farthest from the rest of the list?"""
    others = [other for other in lists if _word(model.offsets, other) != _word(model.offsets, row)]
    intruder = lists[int(draw.choice(others))][0]
    unit = unit_rows(model, np.append(lists[row], intruder))
    return int(np.argmin((unit @ unit.T).sum(axis=1))) == len(lists[row])


def describe(names: Sequence[str], instances: Sequence[Instance]) -> tuple[list[str], dict[str, float]]:
    """Lines about one setting, and its ARI per word as the mean over seeds."""
    per_seed: list[dict[str, float]] = []
    aris: list[dict[str, float]] = []
    for name in names:
        model = load(name)
        labels = labels_of(model, instances)
        scores = scores_of(labels)
        aris.append(dict(zip(sorted(labels), scores["model"], strict=True)))
        means = {key: float(np.mean(values)) for key, values in scores.items()}
        per_seed.append({**means, **seen_quality(model, sorted(labels))})
    lines = [f"{', '.join(Path(name).name for name in names)}: {len(names)} seeds, {len(aris[0])} words"]
    for key in per_seed[0]:
        values = [scores[key] for scores in per_seed]
        spread = f"{min(values):.4f} to {max(values):.4f}" if len(values) > 1 else "one seed, no spread"
        lines.append(f"  {key:<48}{np.mean(values):>8.4f}   {spread}")
    common = set.intersection(*(set(ari) for ari in aris))
    return lines, {word: float(np.mean([ari[word] for ari in aris])) for word in common}


def main() -> None:
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    instances = read_tsv(Path(sys.argv[1]))
    lines, settings = [], []
    for group in sys.argv[2:]:
        described, ari = describe(group.split(","), instances)
        lines += [*described, ""]
        settings.append(ari)
    if len(settings) == 2:
        words = sorted(set(settings[0]) & set(settings[1]))
        gains = np.array([settings[1][word] - settings[0][word] for word in words])
        low, high = interval(lambda items: float(gains[items].mean()), len(gains))
        lines.append(
            f"second minus first, ARI over {len(gains)} words: {gains.mean():+.4f} ({low:+.4f} to {high:+.4f})"
        )
    write_result("quality", "\n".join(lines))


if __name__ == "__main__":
    main()
