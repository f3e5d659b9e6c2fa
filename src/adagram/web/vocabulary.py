"""The map of the vocabulary: all senses on a plane, each with a theme, and its bytes for the page."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.model import Model
from adagram.model.neighbours import content_words, unit_vectors
from adagram.plots.plane import principal_plane
from adagram.types import I64, Floats

MAX_PLACED = 250_000  # senses on the map; of a larger model the most used ones
MIN_THEMES, MAX_THEMES = 2, 40
PER_THEME = 300  # senses that a theme has at least, on average
N_NAMES = 3  # words that name a theme
_FREQUENT = 1000.0  # uses; a sense with more has no more weight in the mean
_ROUNDS, _SAMPLED = 25, 20_000  # of k-means, and the senses it learns from
_EDGE = 0.02  # percent of the points beyond each edge, which are moved to it


@dataclass(frozen=True)
class Layout:
    """A place on the unit square and a theme for each sense; senses that are not placed have theme -1."""

    points: NDArray[np.float32]  # (n_senses, 2), from 0 to 1
    themes: NDArray[np.int16]  # (n_senses,)
    names: list[str]  # of the themes


def make_layout(model: Model) -> Layout:
    """Place the learned senses: similar ones near each other, in themes found by k-means on their directions."""
    model = model._learned
    rows = np.sort(np.argsort(-np.asarray(model.counts), kind="stable")[:MAX_PLACED])
    counts = np.asarray(model.counts[rows])
    units = unit_vectors(model, rows)
    units -= np.average(units, axis=0, weights=np.minimum(counts, _FREQUENT))  # what all senses have in common
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-12)
    points = np.full((model.n_senses, 2), 0.5, np.float32)
    plane = principal_plane(units)[0]
    low, high = np.percentile(plane, [_EDGE, 100 - _EDGE], axis=0)
    points[rows] = np.clip((plane - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
    words = np.searchsorted(model.offsets, rows, side="right") - 1
    # Words that can name a theme: of three letters or more, or in another script.
    is_long = np.array([w.isalpha() and (len(w) > 2 or not w.isascii()) for w in model.vocabulary.words])
    is_plain = is_long & content_words(model)
    is_plain |= not is_plain.any()  # all if there are none
    # Themes are learned from the main senses of words that have a meaning of their own.
    weights = np.sqrt(counts) * (1e-6 + is_plain[words] * (model.priors[rows] > 0.5))
    n_themes = int(np.clip(len(rows) // PER_THEME, min(MIN_THEMES, len(rows)), MAX_THEMES))
    nearest = _themes(units, weights, n_themes)
    themes = np.full(model.n_senses, -1, np.int16)
    themes[rows] = nearest
    return Layout(points, themes, _names(model, words, counts, nearest, is_plain))


def _themes(units: NDArray[np.float32], weights: Floats, k: int) -> I64:
    """Return the theme of each sense: k-means on the directions of those with the greatest weights."""
    from scipy.cluster.vq import kmeans2

    chosen = units[np.argsort(-weights, kind="stable")[:_SAMPLED]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a theme without senses
        centres, _ = kmeans2(chosen, k, iter=_ROUNDS, minit="++", seed=0)
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    return np.asarray((units @ centres.T).argmax(axis=1))


def _names(model: Model, words: I64, counts: Floats, themes: I64, is_plain: NDArray[np.bool_]) -> list[str]:
    """Name each theme by words that are frequent in it and rare in others: √(uses in it) · (share of all uses)²."""
    vocabulary, names = model.vocabulary, []
    totals = np.maximum(np.bincount(words, counts, len(vocabulary)), 1e-12)
    for theme in range(int(themes.max(initial=0)) + 1):
        uses = np.bincount(words, counts * (themes == theme), len(vocabulary))
        score = np.sqrt(uses) * (uses / totals) ** 2 * (1e-6 + is_plain)
        best = np.argsort(-score, kind="stable")[:N_NAMES]
        names.append(", ".join(vocabulary.words[w] for w in best.tolist() if score[w] > 0))
    return names


def shown_layout(layout: Layout, model: Model) -> Layout:
    """Return the places of the senses that a model shows; a merged sense is among its members, by their uses."""
    if model.curation is None:
        return layout
    curation, counts = model.curation, np.maximum(np.asarray(model._learned.counts), 1e-12)
    weights = np.where(layout.themes < 0, 0.0, counts)
    sums = [curation.total(weights * layout.points[:, axis]) for axis in (0, 1)]
    points = np.stack(sums, axis=1) / np.maximum(curation.total(weights), 1e-12)[:, None]
    themes, seen = np.full(model.n_senses, -1, np.int16), curation.row_of >= 0
    by_use = np.flatnonzero(seen)[np.argsort(weights[seen], kind="stable")]
    themes[curation.row_of[by_use]] = layout.themes[by_use]  # of the most used member, which comes last
    return Layout(points.astype(np.float32), themes, layout.names)


def packed(layout: Layout, model: Model) -> bytes:
    """Return the map of the senses that a model shows.

    Four bytes with the length of a JSON header, the header, then little-endian arrays: x, y and number of each
    sense and the senses of each word (uint16), theme and size of each sense (uint8); then the words, a line each.
    """
    shown = shown_layout(layout, model)
    rows = np.flatnonzero(shown.themes >= 0)
    words = np.searchsorted(model.offsets, rows, side="right") - 1
    numbers = rows - model.offsets[words] if model.curation is None else model.curation.numbers[rows]
    sizes = np.log1p(np.asarray(model.counts)[rows])
    points = np.round(shown.points[rows] * 65535)
    header = {
        "senses": len(rows),
        "left_out": model.n_senses - len(rows),
        "words": len(model.vocabulary),
        "themes": shown.names,
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    short = [points[:, 0], points[:, 1], numbers, np.bincount(words, minlength=len(model.vocabulary))]
    tiny = [shown.themes[rows], np.round(sizes * (255 / max(float(sizes.max(initial=0.0)), 1e-12)))]
    parts = [len(text).to_bytes(4, "little"), text]
    parts += [np.asarray(values).astype("<u2").tobytes() for values in short]
    parts += [np.asarray(values).astype(np.uint8).tobytes() for values in tiny]
    return b"".join([*parts, "\n".join(model.vocabulary.words).encode()])
