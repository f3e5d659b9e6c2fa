"""How a model looks at a prompt and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from adagram.model.ranking import rank_words

if TYPE_CHECKING:
    from adagram.model.senses import SenseTable

N_WORDS, N_NEIGHBOURS = 3, 5


def one_line(model: SenseTable) -> str:
    """What a model is, in one line."""
    several = int((np.diff(model.offsets) > 1).sum())
    return (
        f"<adagram.Model: {len(model):,} words, {model.n_senses:,} senses, {several:,} words with several, "
        f"{model.config.algorithm}, dim {model.config.dim}>"
    )


def as_html(model: SenseTable) -> str:
    """The same, with a table of the senses of a few ambiguous words."""
    rows = [
        f"<tr><td>{escape(sense.name)}</td><td>{sense.prior:.2f}</td><td>"
        f"{escape(', '.join(n.name for n in sense.neighbours))}</td></tr>"
        for ranked in rank_words(model, N_WORDS, compared=20)
        for sense in sorted(model.senses(ranked.word, N_NEIGHBOURS), key=lambda sense: -sense.prior)
    ]
    head = "<tr><th>sense</th><th>prior</th><th>nearest senses</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
    return f"<p>{escape(one_line(model))}</p>{table}"
