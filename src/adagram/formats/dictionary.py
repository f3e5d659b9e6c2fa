"""What dictionary formats say about a sense, from the model and its sense sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adagram.model import Model, Neighbour
from adagram.model.neighbours import nearest
from adagram.model.sheet import Collocate, Example

NEIGHBOURS = 10
_AT_ONCE = 256  # senses whose neighbours are looked up together


@dataclass(frozen=True)
class DictionarySense:
    word: str
    name: str
    label: str
    share: float  # the prior
    count: float
    neighbours: list[Neighbour]
    collocates: list[Collocate]
    examples: list[Example]


def dictionary(model: Model) -> Iterator[DictionarySense]:
    """All senses in order; without a sheet they have no collocates and examples."""
    if model.sheet:
        model.sheet.look_up_all()
    for start in range(0, model.n_senses, _AT_ONCE):
        rows = np.arange(start, min(start + _AT_ONCE, model.n_senses))
        around = nearest(model, rows, NEIGHBOURS, 1.0)
        for row, name, (near, cosines) in zip(rows.tolist(), model.names(rows), around, strict=True):
            entry = model.sheet.entry(model, row) if model.sheet else None
            yield DictionarySense(
                name.rpartition("#")[0],
                name,
                model.label(row),
                float(model.priors[row]),
                float(model.counts[row]),
                [Neighbour(n, c) for n, c in zip(model.names(near), cosines.tolist(), strict=True)],
                entry.collocates if entry else [],
                entry.examples if entry else [],
            )
