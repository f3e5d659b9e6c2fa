"""How far two distributions lie apart."""

from __future__ import annotations

import numpy as np

from adagram.types import Floats


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """√(H((p+q)/2) - (H(p)+H(q))/2) in base 2, over the last axis: 0 for equal distributions, 1 for disjoint ones."""
    middle = (p + q) / 2.0
    divergence = _entropy(middle) - (_entropy(p) + _entropy(q)) / 2.0
    return np.asarray(np.sqrt(np.clip(divergence, 0.0, 1.0)))


def _entropy(p: Floats) -> Floats:
    logs = np.log2(p, out=np.zeros(np.shape(p)), where=p > 0)
    return np.asarray(-(p * logs).sum(axis=-1))
