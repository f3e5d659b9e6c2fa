"""A model's senses as gensim KeyedVectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.errors import need
from adagram.model.checks import finite

if TYPE_CHECKING:
    from adagram.model.model import Model


def keyed_vectors(model: Model) -> Any:
    """One key per sense ('apple#0'), with the attributes `count` (n_wk) and `prior` (E[π_k])."""
    gensim = need("gensim.models.keyedvectors", "gensim", "to_gensim")
    keyed = gensim.KeyedVectors(model.config.dim)
    # An own copy: gensim may change its vectors in place, and the model's are read-only.
    keyed.add_vectors(model.names(slice(0, model.n_senses)), finite(np.array(model.vectors)))
    for attribute, values in (("count", model.counts), ("prior", model.priors)):
        keyed.allocate_vecattrs([attribute], [np.float64])
        keyed.expandos[attribute][:] = values
    return keyed
