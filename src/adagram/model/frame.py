"""A model as a pandas table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.errors import need

if TYPE_CHECKING:
    from adagram.model.senses import SenseTable


def frame_of(model: SenseTable, word: str | None, top: int) -> Any:
    """A row per sense, of one word with its neighbours or of all words without."""
    pandas = need("pandas", "pandas", "model.frame()")
    rows = slice(0, model.n_senses) if word is None else model.rows(word)
    at = np.arange(rows.start, rows.stop)
    words = np.searchsorted(model.offsets, at, side="right") - 1
    columns: dict[str, Any] = {
        "word": [model.vocabulary.words[w] for w in words.tolist()],
        "prior": np.asarray(model.priors[rows]),
        "count": np.asarray(model.counts[rows]),
        "label": [model.label(row) for row in at.tolist()],
    }
    if word is not None:
        senses = model.senses(word, top)
        columns["neighbours"] = [[neighbour.name for neighbour in sense.neighbours] for sense in senses]
    return pandas.DataFrame(columns, index=pandas.Index(model.names(rows), name="sense"))
