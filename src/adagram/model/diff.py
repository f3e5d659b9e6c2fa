"""What a continued model has learned since: new words, and senses that are new, faded or moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adagram.errors import InputError
from adagram.model.arguments import MIN_COUNT, TOP
from adagram.model.model import Model
from adagram.model.neighbours import Neighbour, unit_vectors
from adagram.options import checked
from adagram.types import I64, Floats

CHANGES = ("came", "born", "faded", "moved")
MIN_CHANGE = 1e-6  # smaller changes are rounding errors of float32


@dataclass(frozen=True)
class Change:
    """A word that came, or a sense that was born, faded or moved."""

    what: str  # one of CHANGES
    name: str  # of the sense, or of the word
    size: float  # came: the word's count; born: its share of the word; faded: what it lost of it; moved: 1 - cosine
    before: list[Neighbour]  # nearest senses, none if there was nothing before
    after: list[Neighbour]


def difference(
    old: Model, new: Model, what: Sequence[str] = CHANGES, top: int = 20, min_count: float = 20.0
) -> list[Change]:
    """Return the `top` biggest changes of each kind; senses with less than `min_count` uses are left out.

    `new` must have gone on from `old`: only then do senses have the same numbers, and vectors the same axes.
    """
    if strange := [kind for kind in what if kind not in CHANGES]:
        raise InputError(f"{strange[0]!r} is not a kind of change; the kinds are {', '.join(CHANGES)}")
    top, min_count = checked(top, "top", TOP), checked(min_count, "min_count", MIN_COUNT)
    old, new = old._learned, new._learned
    check_descends(old, new)
    found = []
    for kind in what:
        rows, sizes = _ranked(kind, old, new, min_count)
        best = np.argsort(-sizes, kind="stable")[:top]
        best = best[sizes[best] > MIN_CHANGE]
        found += _described(kind, old, new, rows[best], sizes[best])
    return found


def check_descends(old: Model, new: Model) -> None:
    """Refuse models of which the second has not gone on from the first."""
    seen, later = ([text.get("fingerprint") for text in model.info.get("seen", [])] for model in (old, new))
    words = old.vocabulary.words
    same = bool(seen) and later[: len(seen)] == seen and new.vocabulary.words[: len(words)] == words
    if not same:
        raise InputError(
            f"{new.folder or 'the new model'} did not go on from {old.folder or 'the old one'}, and senses of models "
            "that were trained apart have nothing in common but their words; make it with train --continue"
        )


def _ranked(kind: str, old: Model, new: Model, min_count: float) -> tuple[I64, Floats]:
    """Return rows of the new model with the size of their change, in no order."""
    n_old = len(old.vocabulary)
    if kind == "came":  # the first sense stands for the word
        return new.offsets[n_old:-1], new.vocabulary.counts[n_old:].astype(np.float64)
    shift = np.repeat(new.offsets[:n_old] - old.offsets[:-1], np.diff(old.offsets))
    rows = np.arange(old.n_senses) + shift  # of the senses that both have
    if kind == "born":
        is_born = np.ones(int(new.offsets[n_old]), dtype=bool)
        is_born[rows] = False
        born = np.flatnonzero(is_born & (new.counts[: len(is_born)] >= min_count))
        return born, new.priors[born]
    if kind == "faded":
        return rows, np.where(old.counts >= min_count, old.priors - new.priors[rows], 0.0)
    used = np.flatnonzero(np.minimum(new.counts[rows], old.counts) >= min_count)
    pairs = unit_vectors(new, rows[used]), unit_vectors(old, used)
    return rows[used], 1.0 - np.einsum("ij,ij->i", *pairs, dtype=np.float64)


def _described(kind: str, old: Model, new: Model, rows: I64, sizes: Floats) -> list[Change]:
    found = []
    for name, size in zip(new.names(rows), sizes.tolist(), strict=True):
        before = old.neighbours(name) if kind in ("faded", "moved") else []
        shown = name.rpartition("#")[0] if kind == "came" else name
        found.append(Change(kind, shown, size, before, new.neighbours(name)))
    return found
