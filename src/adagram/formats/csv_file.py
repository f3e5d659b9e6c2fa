"""A table of senses for dictionary work: one row per sense, as spreadsheets read it."""

from __future__ import annotations

import csv
from pathlib import Path

from adagram.formats.dictionary import dictionary
from adagram.model import Model
from adagram.model.display import plain_cell
from adagram.whole import new_file

COLUMNS = ("word", "sense", "label", "share", "count", "neighbours", "collocates", "examples")


def write_csv(model: Model, path: Path, overwrite: bool = False) -> None:
    """Columns COLUMNS; neighbours and collocates with commas between them, an example per line of its cell.

    A cell that a spreadsheet would compute, such as the word "=", begins with an apostrophe.
    """
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for sense in dictionary(model):
            cells = [
                sense.word,
                sense.name,
                sense.label,
                f"{sense.share:.4f}",
                f"{sense.count:.1f}",
                ", ".join(near.name for near in sense.neighbours),
                ", ".join(collocate.word for collocate in sense.collocates),
                "\n".join(example.text for example in sense.examples),
            ]
            writer.writerow([plain_cell(cell) for cell in cells])
