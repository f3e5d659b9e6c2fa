"""Measures of collocation."""

from __future__ import annotations

import numpy as np

from adagram.types import Floats


def log_likelihood_ratio(together: Floats, here: Floats, elsewhere: Floats, there: Floats) -> Floats:
    """Signed G² (Dunning 1993): `together` of `here` words against `elsewhere` of `there`.

    Positive if the collocate is more frequent here than there. 2 Σ observed · log(observed / expected).
    """
    rest_here, rest_there = here - together, there - elsewhere
    total = here + there
    column, rest = together + elsewhere, rest_here + rest_there
    ratio = 2.0 * (
        _part(together, here * column, total)
        + _part(elsewhere, there * column, total)
        + _part(rest_here, here * rest, total)
        + _part(rest_there, there * rest, total)
    )
    more = together * there >= elsewhere * here
    return np.asarray(np.where(more, ratio, -ratio))


def _part(observed: Floats, product: Floats, total: Floats) -> Floats:
    """observed · log(observed / expected), 0 for nothing observed; expected = product / total"""
    good = (observed > 0) & (product > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(good, observed * np.log(observed * total / product), 0.0)


def log_dice(together: Floats, left: Floats, right: Floats) -> Floats:
    """14 + log2(2 f(x, y) / (f(x) + f(y))) (Rychlý 2008): 14 at most, whatever the size of the corpus."""
    with np.errstate(divide="ignore"):
        return np.asarray(14.0 + np.log2(2.0 * together / (left + right)))
