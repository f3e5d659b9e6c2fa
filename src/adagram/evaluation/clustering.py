"""Scores of one clustering of a word's contexts against another: pure functions of two label sequences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
LabelSequence = Sequence[Hashable]


def contingency(gold: LabelSequence, system: LabelSequence) -> Counts:
    """a[s, k]: how many items have gold class s and system cluster k, both in order of appearance.

    >>> contingency(["a", "a", "b"], [1, 2, 2]).tolist()
    [[1, 1], [0, 1]]
    """
    if len(gold) != len(system):
        raise ValueError(f"{len(gold)} gold labels but {len(system)} system labels")
    rows: dict[Hashable, int] = {}
    columns: dict[Hashable, int] = {}
    r = [rows.setdefault(label, len(rows)) for label in gold]
    c = [columns.setdefault(label, len(columns)) for label in system]
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(table, (r, c), 1)
    return table


def adjusted_rand_index(gold: LabelSequence, system: LabelSequence) -> float:
    """ARI of Hubert and Arabie (1985): pair agreement, 0 expected by chance, 1 for equal partitions."""
    table = contingency(gold, system)
    together, A, B = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    expected = A * B / max(_pairs(table.sum()), 1)
    most = (A + B) / 2
    return 1.0 if most == expected else float((together - expected) / (most - expected))


def v_measure(gold: LabelSequence, system: LabelSequence) -> float:
    """V-measure of Rosenberg and Hirschberg (2007): harmonic mean of homogeneity and completeness."""
    table = contingency(gold, system)
    H_S, H_K, H_SK = (_entropy(counts) for counts in (table.sum(axis=1), table.sum(axis=0), table.ravel()))
    homogeneity = 1.0 - (H_SK - H_K) / H_S if H_S > 0 else 1.0
    completeness = 1.0 - (H_SK - H_S) / H_K if H_K > 0 else 1.0
    return _harmonic_mean(max(homogeneity, 0.0), max(completeness, 0.0))


@dataclass(frozen=True)
class PairedF:
    precision: float
    recall: float
    f: float


def paired_f_score(gold: LabelSequence, system: LabelSequence) -> PairedF:
    """Paired F-score as the SemEval-2010 scorer computes it.

    Pairs of items in one system cluster against pairs in one gold class. A cluster of a single item counts as
    one pair, the item with itself: so the scorer does it, and only so do its published values come out.
    """
    table = contingency(gold, system)
    in_gold, in_system = table.sum(axis=1), table.sum(axis=0)
    alone_in_both = int(table[np.ix_(in_gold == 1, in_system == 1)].sum())
    shared = _pairs(table) + alone_in_both
    precision = shared / max(_pairs(in_system) + int((in_system == 1).sum()), 1)
    recall = shared / max(_pairs(in_gold) + int((in_gold == 1).sum()), 1)
    return PairedF(precision, recall, _harmonic_mean(precision, recall))


def rand_index(gold: LabelSequence, system: LabelSequence) -> float:
    """Share of item pairs on which the two partitions agree: together in both or apart in both."""
    table = contingency(gold, system)
    together, A, B = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    n_pairs = _pairs(table.sum())
    return (n_pairs - A - B + 2 * together) / n_pairs if n_pairs else 1.0


def jaccard_index(gold: LabelSequence, system: LabelSequence) -> float:
    """Pairs together in both partitions, of those together in at least one."""
    table = contingency(gold, system)
    together, A, B = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    either = A + B - together
    return together / either if either else 1.0


def majority_f1(gold: LabelSequence, system: LabelSequence) -> float:
    """F1 after giving every cluster its majority class (Di Marco and Navigli 2013).

    Precision: correct items of all clusters over clustered items; recall: correct items of each class over
    its size, classes weighted by size. With one class per item both are the same number.
    """
    table = contingency(gold, system)
    correct = int(table.max(axis=0, initial=0).sum())
    n = int(table.sum())
    return correct / n if n else 1.0


def _pairs(counts: Counts | np.int64) -> int:
    """Σ C(n, 2): unordered pairs within groups of the given sizes."""
    return int((counts * (counts - 1) // 2).sum())


def _entropy(counts: Counts) -> float:
    p = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(p * np.log(p)).sum())


def _harmonic_mean(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b > 1e-12 else 0.0
