"""Scores of one labelling of a word's instances against another, hard or graded.

Graded scores are those of the SemEval-2013 task 13 scorer (Jurgens and Klapaftis 2013). The labels of one instance map
senses to weights, those of a word map instance ids to labels. Weights are scaled so that each instance's largest is 1.
An instance that only one side labels has weight 0 on the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from adagram.types import Floats

Counts = NDArray[np.int64]
LabelSequence = Sequence[Hashable]
Flags = NDArray[np.bool_]
Labels = Mapping[str, float]  # sense -> weight of one instance
Labelling = Mapping[str, Labels]  # instance id -> labels, of one word

# w <= 0.1 is bin 0, …, w <= 1 is bin 9. Decimal literals, not multiples of 0.1: weights that fall on an edge
# in floating point change the fifth decimal of the total, and these are the edges of the scorer.
BIN_EDGES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
N_BINS = len(BIN_EDGES) + 1


def contingency(gold: LabelSequence, system: LabelSequence) -> Counts:
    """a[s, k]: how many items have gold class s and system cluster k, both in order of appearance.

    >>> contingency(["a", "a", "b"], [1, 2, 2]).tolist()
    [[1, 1], [0, 1]]
    """
    if len(gold) != len(system):
        raise ValueError(f"{len(gold)} gold labels but {len(system)} system labels")
    number: tuple[dict[Hashable, int], ...] = {}, {}
    at = [[of.setdefault(x, len(of)) for x in labels] for of, labels in zip(number, (gold, system), strict=True)]
    table = np.zeros([len(of) for of in number], dtype=np.int64)
    np.add.at(table, tuple(at), 1)
    return table


def _pair_counts(gold: LabelSequence, system: LabelSequence) -> tuple[int, int, int, int]:
    """Pairs of items together in both partitions, in the gold one, in the system's, and all pairs."""
    table = contingency(gold, system)
    return _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0)), _pairs(table.sum())


def adjusted_rand_index(gold: LabelSequence, system: LabelSequence) -> float:
    """ARI of Hubert and Arabie (1985): pair agreement, 0 expected by chance, 1 for equal partitions."""
    together, A, B, n_pairs = _pair_counts(gold, system)
    expected, most = A * B / max(n_pairs, 1), (A + B) / 2
    return 1.0 if most == expected else float((together - expected) / (most - expected))


def v_measure(gold: LabelSequence, system: LabelSequence) -> float:
    """V-measure of Rosenberg and Hirschberg (2007): harmonic mean of homogeneity and completeness."""
    table = contingency(gold, system)
    H_S, H_K, H_SK = (_entropy(counts) for counts in (table.sum(axis=1), table.sum(axis=0), table.ravel()))
    homogeneity = 1.0 - (H_SK - H_K) / H_S if H_S > 0 else 1.0
    completeness = 1.0 - (H_SK - H_S) / H_K if H_K > 0 else 1.0
    return harmonic_mean(max(homogeneity, 0.0), max(completeness, 0.0))


def paired_f_score(gold: LabelSequence, system: LabelSequence) -> tuple[float, float, float]:
    """Precision, recall and F-score of pairs as the SemEval-2010 scorer computes them.

    Pairs of items in one system cluster against pairs in one gold class. A cluster of a single item counts as
    one pair, the item with itself: so the scorer does it, and only so do its published values come out.
    """
    table = contingency(gold, system)
    in_gold, in_system = table.sum(axis=1), table.sum(axis=0)
    alone_in_both = int(table[np.ix_(in_gold == 1, in_system == 1)].sum())
    shared = _pairs(table) + alone_in_both
    precision = shared / max(_pairs(in_system) + int((in_system == 1).sum()), 1)
    recall = shared / max(_pairs(in_gold) + int((in_gold == 1).sum()), 1)
    return precision, recall, harmonic_mean(precision, recall)


def rand_index(gold: LabelSequence, system: LabelSequence) -> float:
    """Share of item pairs on which the two partitions agree: together in both or apart in both."""
    together, A, B, n_pairs = _pair_counts(gold, system)
    return (n_pairs - A - B + 2 * together) / n_pairs if n_pairs else 1.0


def jaccard_index(gold: LabelSequence, system: LabelSequence) -> float:
    """Pairs together in both partitions, of those together in at least one."""
    together, A, B, _ = _pair_counts(gold, system)
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


def _entropy(counts: NDArray[Any]) -> float:
    """Entropy of the distribution that counts describe, in nats."""
    return float(entr(counts / max(int(counts.sum()), 1)).sum())


def harmonic_mean(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b > 1e-12 else 0.0


class Weights(NamedTuple):
    """Scaled weights of the senses; a sense may be listed for an instance with weight 0."""

    values: Floats  # (n_instances, n_senses), 0 if an instance lacks the sense
    is_listed: Flags  # (n_instances, n_senses)


def weight_matrix(instances: Sequence[Labels]) -> Weights:
    """The labels of a word's instances as a matrix, senses in order of appearance."""
    column = {sense: i for i, sense in enumerate(dict.fromkeys(s for labels in instances for s in labels))}
    values = np.zeros((len(instances), len(column)))
    is_listed = np.zeros(values.shape, dtype=np.bool_)
    for row, labels in enumerate(instances):
        top = max(labels.values(), default=0.0)
        for sense, weight in labels.items():
            values[row, column[sense]] = weight / top if top > 0 else weight
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
    h_g, h_t = (np.array([_entropy(np.bincount(column)) for column in bins.T]) for bins in (bins_g, bins_t))
    norm = max(h_g.sum(), h_t.sum())
    if norm == 0:
        return 0.0
    # (gold senses, system senses) joint entropies
    joint = np.array([[_entropy(np.bincount(g * N_BINS + t)) for t in bins_t.T] for g in bins_g.T])
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


def _complements(has_g: Flags, has_t: Flags) -> Flags:
    """True if t marks what g does not: f(p11) + f(p00) < f(p10) + f(p01), with f(p) = -p ln p."""
    n = max(len(has_g), 1)
    g, t = has_g.astype(np.float64), has_t.astype(np.float64)
    p11, p10, p01, p00 = (a.T @ b / n for a, b in ((g, t), (g, 1 - t), (1 - g, t), (1 - g, 1 - t)))

    return np.asarray(entr(p11) + entr(p00) < entr(p10) + entr(p01))


def _agreement(weights: Weights) -> Floats:
    """C(i, j) = Σ over the senses that both i and j list of 1 - |w_i - w_j|; 0 for an instance with itself."""
    agreement = np.zeros((len(weights.values), len(weights.values)))
    for w, listed in zip(weights.values.T, weights.is_listed.T, strict=True):
        agreement += np.outer(listed, listed) * (1.0 - np.abs(w[:, None] - w[None, :]))
    np.fill_diagonal(agreement, 0.0)
    return agreement


def _share_a_sense(weights: Weights) -> Flags:
    """True if two different instances list a sense in common."""
    listed = weights.is_listed.astype(np.float64)
    shares: Flags = listed @ listed.T > 0
    np.fill_diagonal(shares, False)
    return shares


def _total_share(lesser: Floats, agreement: Floats, shares: Flags) -> float:
    """Σ over instances of the mean of lesser/agreement over the others with a common sense (0 if none has)."""
    share = np.divide(lesser, agreement, out=np.zeros_like(lesser), where=agreement > 0)
    return float((share.sum(axis=1) / np.maximum(shares.sum(axis=1), 1)).sum())
