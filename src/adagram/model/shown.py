"""How a model looks at a prompt, in a notebook and in a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from adagram.model.ranking import rank_words

if TYPE_CHECKING:
    from adagram.model.senses import Sense, SenseTable

N_WORDS, N_NEIGHBOURS = 3, 5
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet computes a cell that begins so


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> plain_cell("=1+1"), plain_cell("bank")
    ("'=1+1", 'bank')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def one_line(model: SenseTable) -> str:
    """What a model is, in one line."""
    several = int((np.diff(model.offsets) > 1).sum())
    return (
        f"<adagram.Model: {len(model):,} words, {model.n_senses:,} senses, {several:,} words with several, "
        f"{model.config.algorithm}, dim {model.config.dim}>"
    )


def as_html(model: SenseTable) -> str:
    """The same, with a table of the senses of a few ambiguous words."""
    ranked = rank_words(model, N_WORDS, compared=20)
    found = [model.senses(one.word, N_NEIGHBOURS) for one in ranked]
    senses = [s for of_word in found for s in sorted(of_word, key=lambda sense: -sense.prior)]
    return f"<p>{escape(one_line(model))}</p>{table_of_senses(senses) if senses else ''}"


def table_of_senses(senses: Sequence[Sense]) -> str:
    """Senses with their neighbours as HTML, with labels where there are any."""
    rows = [
        (sense.name, f"{sense.prior:.2f}", ", ".join(n.name for n in sense.neighbours), sense.label)
        for sense in senses
    ]
    head = ("sense", "prior", "nearest senses", "label")
    return table([row if any(row[3] for row in rows) else row[:3] for row in (head, *rows)])


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table in HTML, the first row its head."""
    head, *body = [[escape(cell) for cell in row] for row in rows]
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    top = "".join(f"<th>{cell}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
