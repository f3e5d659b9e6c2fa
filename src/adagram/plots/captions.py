"""Below a figure: collocates and an example of each sense, where the model has a sense sheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adagram.model import Model
from adagram.plots.style import COLOURS, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MOST = 24  # senses that are noted
_COLLOCATES = 12  # of a sense, if the line has room
_LINE, _GAP, _MARGIN = 0.17, 0.08, 0.12  # inches: of a line, between two senses, at the edges
_FONT = 8.5
_INK, _QUIET = "#22262b", "#5a6068"


class Note(NamedTuple):
    sense: str
    colour: str
    collocates: str
    example: str

    @property
    def height(self) -> float:
        return _GAP + _LINE * (bool(self.collocates) + bool(self.example))


def add_notes(figure: Figure, model: Model, rows: Sequence[int], colours: Sequence[int]) -> None:
    """Make room below the figure for two lines per sense; to be called before the layout is final."""
    notes = _notes(model, rows, colours)
    if not notes:
        return
    width, height = (float(side) for side in figure.get_size_inches())
    below = 2 * _MARGIN + sum(note.height for note in notes)
    total = height + below
    figure.set_size_inches(width, total)
    figure.set_layout_engine("constrained", rect=(0, below / total, 1, height / total))

    def write(text: str, x: float, y: float, **look: Any) -> None:
        figure.text(x / width, y / total, text, va="top", fontsize=_FONT, **look)

    column = 2 * _MARGIN + max(_inches(figure, shortened(note.sense), weight="bold") for note in notes)
    room = width - column - _MARGIN
    top = below - _MARGIN
    for note in notes:
        write(shortened(note.sense), _MARGIN, top, color=note.colour, weight="bold")
        line = cut(note.collocates, "", lambda text: _inches(figure, text) <= room)
        write(line, column, top, color=_INK)
        word = note.sense.rpartition("#")[0]
        line = cut(note.example, word, lambda text: _inches(figure, text, style="italic") <= room)
        write(line, column, top - _LINE * bool(note.collocates), color=_QUIET, style="italic")
        top -= note.height


def _notes(model: Model, rows: Sequence[int], colours: Sequence[int]) -> list[Note]:
    """Of the senses of which the sheet has something to show."""
    notes = []
    for row, name, colour in zip(rows, model.names(rows), colours, strict=True):
        entry = model.sheet.entry(model, row) if model.sheet else None
        if entry and (entry.collocates or entry.examples):
            collocates = ", ".join(c.word for c in entry.collocates[:_COLLOCATES])
            notes.append(Note(name, COLOURS[colour % len(COLOURS)], collocates, entry.brief()[1]))
    return notes[:MOST]


def _inches(figure: Figure, text: str, **look: Any) -> float:
    """How wide a text is."""
    drawn = figure.text(0, 0, text, fontsize=_FONT, **look)
    width = float(drawn.get_window_extent().width) / figure.dpi
    drawn.remove()
    return width


def cut(text: str, word: str, fits: Callable[[str], bool]) -> str:
    """The part of a text around the word, or its beginning, that fits; what is cut off is marked.

    >>> cut("She sat on the bank of the river.", "bank", lambda text: len(text) <= 20)
    '… the bank of the …'
    >>> cut("money, loan, credit", "", lambda text: len(text) <= 14)
    'money, loan, …'
    """
    if fits(text):
        return text
    found = re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) if word else None
    middle = (found.start() + found.end()) // 2 if found else 0
    least, most = 0, len(text)  # characters: so many fit, so many do not
    while most - least > 1:
        half = (least + most) // 2
        least, most = (half, most) if fits(_around(text, middle, half)) else (least, half)
    return _around(text, middle, least)


def _around(text: str, middle: int, n: int) -> str:
    """About n characters, from the beginning of a word to the end of one where there are spaces."""
    begin = max(0, min(middle - n // 2, len(text) - n))
    end = min(len(text), begin + n)
    kept = text[begin:end]
    if begin and not text[begin - 1].isspace() and " " in text[begin:middle]:
        kept = kept.partition(" ")[2]
    if end < len(text) and not text[end].isspace() and " " in text[middle:end]:
        kept = kept.rpartition(" ")[0]
    return ("… " if begin else "") + kept.strip() + (" …" if end < len(text) else "")
