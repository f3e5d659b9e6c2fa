"""How well occurrences of a word that stand near each other in a text agree on its sense."""

from __future__ import annotations

import numpy as np

from adagram.types import Floats

USUAL = 0.5  # where no pairs are seen
WEIGHT = 10.0  # pairs that speak for the usual agreement: few that are seen say little


def agreement(pairs: Floats) -> float:
    """Scott's π = (same - chance) / (1 - chance), shrunk to USUAL by WEIGHT pairs.

    pairs[i, j] is the number of pairs of near occurrences, the first of sense i and the second of sense j. Both are
    drawn from the same uses, and which comes first says nothing: so chance is Σ_k p_k² with one distribution p for
    both. (Cohen's κ has a distribution for each side, as of two raters.) One meaning lasts through a passage, so
    senses that are meanings come in runs: π nears 1. Senses that a model gives out at random, or cannot decide
    between, have π = 0.
    """
    total = float(pairs.sum())
    if total <= 0.0:
        return USUAL
    both = (pairs + pairs.T) / (2 * total)
    same, chance = float(np.trace(both)), float((both.sum(axis=1) ** 2).sum())
    scotts_pi = (same - chance) / (1.0 - chance) if chance < 1.0 else USUAL
    return (total * scotts_pi + WEIGHT * USUAL) / (total + WEIGHT)


def united(pairs: Floats, groups: list[list[int]]) -> Floats:
    """The pairs once the senses of each group are one; senses in no group stay as they are."""
    first = np.arange(len(pairs))
    for group in groups:
        first[group] = group[0]
    member = (first[:, None] == np.unique(first)).astype(np.float64)  # (K, senses that are left)
    return np.asarray(member.T @ pairs @ member)
