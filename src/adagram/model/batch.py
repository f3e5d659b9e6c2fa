"""Many predictions at once, by the compiled kernels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.errors import InputError

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


def _kernel_model(model: Model) -> tuple[Any, ...]:
    arrays = model.arrays
    names = ("vectors", "output", "steps", "paths", "offsets")
    return (*(arrays[name] for name in names), np.log(arrays["priors"]))


def _unlearned(model: Model) -> tuple[Floats, Floats]:
    """log of the prior of learned senses and of unlearned ones, for each word"""
    unlearned = model.unlearned
    with np.errstate(divide="ignore"):  # no unlearned sense: -inf
        return np.log1p(-unlearned), np.log(unlearned)


def disambiguate_ids(
    model: Model, words: NDArray[np.int64], contexts: Sequence[NDArray[np.int32]]
) -> list[Floats]:
    """Posteriors over senses for words and contexts given as ids."""
    if "steps" not in model.arrays:
        return [
            model.disambiguate(model.vocabulary.words[w], [model.vocabulary.words[y] for y in ys])
            for w, ys in zip(words, contexts, strict=True)
        ]
    from adagram.kernels.predict import posteriors

    bounds = np.append(0, np.cumsum([len(ys) for ys in contexts])).astype(np.int64)
    flat = np.concatenate([*contexts, np.empty(0, np.int32)]).astype(np.int32)
    sizes = model.offsets[words + 1] - model.offsets[words]
    places = np.append(0, sizes.cumsum()).astype(np.int64)
    results = np.empty(int(places[-1]))
    posteriors(words, flat, bounds, _kernel_model(model), results, places)
    return np.split(results, places[1:-1]) if len(words) else []


def likelihood(model: Model, ids: NDArray[np.int32]) -> Likelihood:
    """Eq. (9) over a text, with the window the model was trained with."""
    if len(ids) < 2:
        raise InputError(
            f"the text has {len(ids)} words that the model knows; a likelihood needs at least two"
        )
    from adagram.kernels.predict import predictive

    kernel_model = (*_kernel_model(model), *_unlearned(model))
    window = model.config.window
    most = int(np.diff(model.offsets).max())

    def part(start: int) -> Floats:
        totals = np.zeros(4)
        scratch = np.empty((2 * window, most))
        predictive(ids, start, min(len(ids), start + PART), window, kernel_model, scratch, totals)
        return totals

    part(len(ids))  # compiles once, before the threads ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = np.array(list(pool.map(part, range(0, len(ids), PART))))
    alone, jointly, contexts, words = parts.sum(axis=0)
    return Likelihood(alone / contexts, jointly / words, int(words), int(contexts), parts[:, [0, 2]])
