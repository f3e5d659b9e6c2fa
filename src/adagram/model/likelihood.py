"""The posterior predictive likelihood of a text, Eq. (9)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model.checks import finite
from adagram.types import Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

PART = 20_000  # tokens a thread takes at a time


@dataclass(frozen=True)
class Likelihood:
    """Posterior predictive log-likelihood, Eq. (9), in nats."""

    per_word: float  # per context word, each predicted on its own: the figure of the paper's table
    per_context: float  # per window, all its words predicted jointly
    words: int  # centre words
    contexts: int  # context words
    parts: Floats  # (…, 2) log-likelihood and context words of stretches of the text, for intervals


def likelihood(ids: NDArray[np.int32], model: Model, senses: Any) -> Likelihood:
    """Eq. (9) over a text, with the plain window of training: every word of the text is predicted, at full weight."""
    if len(ids) < 2:
        raise InputError(
            f"the text has {len(ids)} words that the model knows; a likelihood needs at least two"
        )
    from adagram.kernels.predict import predictive

    with np.errstate(divide="ignore"):  # no unlearned sense: -inf
        unlearned = np.log1p(-model.unlearned), np.log(model.unlearned)
    window = model.config.window
    most = int(np.diff(model.offsets).max())

    def part(start: int) -> Floats:
        totals = np.zeros(4)
        scratch = np.empty((2 * window, most))
        predictive(ids, start, min(len(ids), start + PART), window, senses, unlearned, scratch, totals)
        return totals

    part(len(ids))  # compiles once, before the threads ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = np.array(list(pool.map(part, range(0, len(ids), PART))))
    alone, jointly, contexts, words = finite(parts).sum(axis=0)
    per_word, per_context = float(alone / contexts), float(jointly / words)
    return Likelihood(per_word, per_context, int(words), int(contexts), parts[:, [0, 2]])
