"""Captions below a figure: collocates and an example of each sense, if the model has a sense sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adagram.model import Model
from adagram.plots.style import COLOURS, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SENSES = 24
_COLLOCATES = 12  # of a sense, if the line has room
_LINE, _GAP, _MARGIN = 0.17, 0.08, 0.12  # inches: of a line, between two senses, at the edges
_FONT = 8.5
_INK, _QUIET = "#22262b", "#5a6068"


def add_captions(figure: Figure, model: Model, rows: Sequence[int], colours: Sequence[int]) -> None:
    """Make room below the figure for two lines per sense; to be called before the layout is final."""
    captions = _captions(model, rows, colours)
    if not captions:
        return
    width, height = (float(side) for side in figure.get_size_inches())
    below = 2 * _MARGIN + sum(_GAP + _LINE * len(lines) for _, _, lines in captions)
    figure.set_size_inches(width, height + below)
    rect = (0, below / (height + below), 1, height / (height + below))
    figure.set_layout_engine("constrained", rect=rect)

    def write(text: str, x: float, y: float, **look: Any) -> float:
        """Write at a place in inches from the lower left; return the width."""
        drawn = figure.text(x / width, y / (height + below), text, va="top", fontsize=_FONT, **look)
        return float(drawn.get_window_extent().width) / figure.dpi

    tops = [below - _MARGIN]
    for _, _, lines in captions:
        tops.append(tops[-1] - _GAP - _LINE * len(lines))
    names = [
        write(shortened(name), _MARGIN, top, color=colour, weight="bold")
        for (name, colour, _), top in zip(captions, tops, strict=False)
    ]
    column = 2 * _MARGIN + max(names)
    for (name, _, lines), top in zip(captions, tops, strict=False):
        for i, (text, look) in enumerate(lines):
            text_width = write(text, column, top - i * _LINE, **look)
            room = (width - column - _MARGIN) / text_width
            if room < 1:
                figure.texts[-1].set_text(cut(text, name.rpartition("#")[0], int(0.9 * room * len(text))))


def _captions(
    model: Model, rows: Sequence[int], colours: Sequence[int]
) -> list[tuple[str, str, list[tuple[str, dict[str, Any]]]]]:
    """Name, colour and lines of the senses of which the sheet has something to show."""
    captions = []
    for row, name, colour in zip(rows, model.names(rows), colours, strict=True):
        entry = model.sheet.entry(model, row) if model.sheet else None
        if entry and (entry.collocates or entry.examples):
            collocates = ", ".join(c.word for c in entry.collocates[:_COLLOCATES])
            lines = [(collocates, {"color": _INK}), (entry.brief()[1], {"color": _QUIET, "style": "italic"})]
            captions.append((name, COLOURS[colour % len(COLOURS)], [line for line in lines if line[0]]))
    return captions[:MAX_SENSES]


def cut(text: str, word: str, n: int) -> str:
    """Return about n characters of a longer text, around the word if it has it; what is cut off is marked.

    >>> cut("She sat on the bank of the river.", "bank", 20)
    '… the bank of …'
    >>> cut("money, loan, credit", "bank", 17)
    'money, loan, …'
    """
    n = max(1, n - 4)
    found = re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
    middle = (found.start() + found.end()) // 2 if found else 0
    begin = max(0, min(middle - n // 2, len(text) - n))
    end = begin + n
    kept = text[begin:end]
    if begin and not text[begin - 1].isspace() and " " in text[begin:middle]:
        kept = kept.partition(" ")[2]
    if end < len(text) and not text[end].isspace() and " " in text[middle:end]:
        kept = kept.rpartition(" ")[0]
    return ("… " if begin else "") + kept.strip() + (" …" if end < len(text) else "")
