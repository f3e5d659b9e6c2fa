"""The most probable sense of every word of running text, by the compiled kernels."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats

if TYPE_CHECKING:
    from adagram.model.model import Model


class Assigner:
    """Tells senses apart for one model; threads may share it, each has its own scratch space."""

    def __init__(self, model: Model) -> None:
        self._window, self._dim = model.config.window, model.config.dim
        self._n_words, self._n_rows = len(model.vocabulary), len(model.arrays["output"])
        self._local = threading.local()
        self._longest = 0
        self._kernel, self._model = (
            self._by_tree(model) if "steps" in model.arrays else self._by_centres(model)
        )

    def _by_tree(self, model: Model) -> tuple[Any, tuple[Any, ...]]:
        from adagram.kernels.arrays import Tree
        from adagram.kernels.tag import assign_by_tree

        arrays = model.arrays
        tree = Tree(arrays["steps"], arrays["paths"])
        self._longest = int(np.diff(tree.offsets).max())
        log_priors = np.log(model.priors)
        return assign_by_tree, (arrays["vectors"], arrays["output"], tree, model.offsets, log_priors)

    def _by_centres(self, model: Model) -> tuple[Any, tuple[Any, ...]]:
        from adagram.kernels.tag import assign_by_centres

        # Without centres every cosine is zero and the first sense wins, as in `Model.disambiguate`.
        centres = model.arrays.get("centres")
        if centres is None:
            centres = np.zeros_like(model.arrays["vectors"])
        norms = np.sqrt(np.einsum("ij,ij->i", centres, centres))
        inverse = (1.0 / np.maximum(norms, 1e-12)).astype(np.float32)
        return assign_by_centres, (model.arrays["output"], centres, model.offsets, inverse)

    def _scratch(self) -> Any:
        if not hasattr(self._local, "scratch"):
            from adagram.kernels.arrays import make_work, padded

            if self._longest:
                nodes = 2 * self._window * self._longest
                self._local.scratch = make_work(max(self._n_words, self._n_rows), self._dim, 1, nodes)
            else:
                self._local.scratch = np.zeros((1, padded(self._dim)), np.float32)
        return self._local.scratch

    def assign(self, ids: NDArray[np.int32], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """Sense row and probability of every word; contexts do not leave the lines, which end before `ends`."""
        from adagram.kernels.tag import Windows, bound_in_lines

        left, right = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
        bound_in_lines(self._window, ends, left, right)
        rows, probabilities = np.empty(len(ids), np.int64), np.empty(len(ids))
        self._kernel(Windows(ids, left, right), self._model, self._scratch(), rows, probabilities)
        return rows, probabilities
