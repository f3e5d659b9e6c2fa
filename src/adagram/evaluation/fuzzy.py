"""Scores for graded senses, as the SemEval-2013 task 13 scorer computes them (Jurgens and Klapaftis 2013).

The labels of one instance map senses to weights, those of a word map instance ids to labels. Weights are
scaled so that each instance's largest is 1. An instance that only one side labels has weight 0 on the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats

Flags = NDArray[np.bool_]
Labels = Mapping[str, float]  # sense -> weight of one instance
Labelling = Mapping[str, Labels]  # instance id -> labels, of one word

# w <= 0.1 is bin 0, …, w <= 1 is bin 9. Decimal literals, not multiples of 0.1: weights that fall on an edge
# in floating point change the fifth decimal of the total, and these are the edges of the scorer.
BIN_EDGES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
N_BINS = len(BIN_EDGES) + 1


def scaled(labels: Labels) -> dict[str, float]:
    """Weights divided by the largest, so that the best sense of the instance has weight 1.

    >>> scaled({"a": 2.0, "b": 1.0})
    {'a': 1.0, 'b': 0.5}
    """
    top = max(labels.values(), default=0.0)
    return {sense: weight / top for sense, weight in labels.items()} if top > 0 else dict(labels)


@dataclass(frozen=True)
class Weights:
    """Scaled weights of the senses; a sense may be listed for an instance with weight 0."""

    values: Floats  # (n_instances, n_senses), 0 where an instance lacks the sense
    is_listed: Flags  # (n_instances, n_senses)


def weight_matrix(instances: Sequence[Labels]) -> Weights:
    """The labels of a word's instances as a matrix, senses in order of appearance."""
    column: dict[str, int] = {}
    for labels in instances:
        for sense in labels:
            column.setdefault(sense, len(column))
    values = np.zeros((len(instances), len(column)))
    is_listed = np.zeros(values.shape, dtype=np.bool_)
    for row, labels in enumerate(instances):
        for sense, weight in scaled(labels).items():
            values[row, column[sense]] = weight
            is_listed[row, column[sense]] = True
    return Weights(values, is_listed)


def fuzzy_nmi(gold: Labelling, system: Labelling) -> float:
    """Normalised mutual information of two graded labellings of one word.

    Each sense is a variable over the instances (its weight in ten bins) and is explained by the sense of the
    other side that leaves the least entropy:
    MI = ½ (H(G) - H(G|T) + H(T) - H(T|G)), NMI = MI / max(H(G), H(T)).
    """
    of_gold, of_system = _aligned(gold, system)
    G, T = of_gold.values, of_system.values  # (n, gold senses), (n, system senses)
    bins_g, bins_t = np.searchsorted(BIN_EDGES, G), np.searchsorted(BIN_EDGES, T)
    h_g = np.array([_entropy(column) for column in bins_g.T])
    h_t = np.array([_entropy(column) for column in bins_t.T])
    norm = max(h_g.sum(), h_t.sum())
    if norm == 0:
        return 0.0
    # (gold senses, system senses) joint entropies
    joint = np.array([[_entropy(g * N_BINS + t) for t in bins_t.T] for g in bins_g.T])
    joint = joint.reshape(len(h_g), len(h_t))
    usable = ~_complements(G > 0, T > 0)
    g_given_t = np.where(usable, joint - h_t, np.inf).min(axis=1, initial=np.inf)
    t_given_g = np.where(usable, joint - h_g[:, None], np.inf).min(axis=0, initial=np.inf)
    # A sense with nothing but complements on the other side stays wholly unexplained.
    g_given_t = np.where(np.isinf(g_given_t), h_g, g_given_t)
    t_given_g = np.where(np.isinf(t_given_g), h_t, t_given_g)
    information = 0.5 * (h_g.sum() - g_given_t.sum() + h_t.sum() - t_given_g.sum())
    return float(information / norm)


def fuzzy_b_cubed(gold: Labelling, system: Labelling) -> tuple[float, float]:
    """Fuzzy B-cubed precision and recall of one word, in the scorer's naming.

    Precision looks at the pairs that share a gold sense, recall at those that share a system sense: the
    reverse of the usual naming, kept so that the numbers can be laid beside the official ones. Both are
    averaged over the gold instances. A sense that both list is shared, whatever its weights.
    """
    of_gold, of_system = _aligned(gold, system)
    agree_gold, agree_system = _agreement(of_gold), _agreement(of_system)  # (n, n)
    lesser = np.minimum(agree_gold, agree_system)
    n = max(len(gold), 1)
    precision = _total_share(lesser, agree_gold, _share_a_sense(of_gold)) / n
    recall = _total_share(lesser, agree_system, _share_a_sense(of_system)) / n
    return precision, recall


def _aligned(gold: Labelling, system: Labelling) -> tuple[Weights, Weights]:
    """Weight matrices of both sides over the instances of either."""
    ids = [*gold, *(i for i in system if i not in gold)]
    return weight_matrix([gold.get(i, {}) for i in ids]), weight_matrix([system.get(i, {}) for i in ids])


def _entropy(values: NDArray[np.intp]) -> float:
    if values.size == 0:
        return 0.0
    p = np.bincount(values) / values.size
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def _complements(has_g: Flags, has_t: Flags) -> Flags:
    """True where t marks what g does not: f(p11) + f(p00) < f(p10) + f(p01), with f(p) = -p ln p."""
    n = max(len(has_g), 1)
    g, t = has_g.astype(np.float64), has_t.astype(np.float64)
    p11, p10, p01 = g.T @ t / n, g.T @ (1 - t) / n, (1 - g).T @ t / n
    p00 = (1 - g).T @ (1 - t) / n

    def f(p: Floats) -> Floats:
        return -p * np.log(np.where(p > 0, p, 1.0))

    return f(p11) + f(p00) < f(p10) + f(p01)


def _agreement(weights: Weights) -> Floats:
    """C(i, j) = Σ over the senses that both i and j list of 1 - |w_i - w_j|; 0 for an instance with itself."""
    agreement = np.zeros((len(weights.values), len(weights.values)))
    for w, listed in zip(weights.values.T, weights.is_listed.T, strict=True):
        agreement += np.outer(listed, listed) * (1.0 - np.abs(w[:, None] - w[None, :]))
    np.fill_diagonal(agreement, 0.0)
    return agreement


def _share_a_sense(weights: Weights) -> Flags:
    """True where two different instances list a sense in common."""
    listed = weights.is_listed.astype(np.float64)
    shares: Flags = listed @ listed.T > 0
    np.fill_diagonal(shares, False)
    return shares


def _total_share(lesser: Floats, agreement: Floats, shares: Flags) -> float:
    """Σ over instances of the mean of lesser/agreement over the others with a common sense (0 if none has)."""
    share = np.divide(lesser, agreement, out=np.zeros_like(lesser), where=agreement > 0)
    return float((share.sum(axis=1) / np.maximum(shares.sum(axis=1), 1)).sum())
