"""Tables and figures of an experiment, written as Markdown, CSV and PNG in a folder of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adagram.files.atomic import write_text
from adagram.plots import save

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows under column names; floats are shown with `digits` decimals."""

    name: str  # of its CSV file
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3
    digits_of: dict[str, int] = field(default_factory=dict)  # columns that differ

    def markdown(self) -> str:
        """Format the table in Markdown, missing values as a dash.

        >>> print(Table("t", "Scores", ["system", "ARI"], [["a", 0.25], ["b", None]]).markdown())
        | system | ARI |
        |---|---|
        | a | 0.250 |
        | b | – |
        """
        digits = [self.digits_of.get(column, self.digits) for column in self.columns]
        rows = [self.columns, *([_shown(*pair) for pair in zip(row, digits, strict=True)] for row in self.rows)]
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(self.columns), *lines[1:]])

    def csv(self) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        return text.getvalue()


def _shown(cell: Cell, digits: int) -> str:
    return "–" if cell is None else f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True)
class Figure:
    name: str
    caption: str
    drawn: Any  # a matplotlib figure


@dataclass(frozen=True)
class Result:
    name: str
    title: str
    tables: Sequence[Table]
    figures: Sequence[Figure] = ()
    remarks: Sequence[str] = ()  # protocol, what differs from the paper, what is missing

    def markdown(self, conditions: str) -> str:
        parts = [f"# {self.title}", conditions]
        parts += [f"![{figure.caption}]({figure.name}.png)\n\n*{figure.caption}*" for figure in self.figures]
        parts += [f"## {table.title}\n\n{table.markdown()}" for table in self.tables]
        if self.remarks:
            parts.append("\n".join(f"* {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"

    def write(self, folder: Path, conditions: str) -> None:
        """Write all files of the experiment, each atomically; the page last."""
        folder.mkdir(parents=True, exist_ok=True)
        for figure in self.figures:
            save(figure.drawn, folder / f"{figure.name}.png", overwrite=True)
        for table in self.tables:
            write_text(folder / f"{table.name}.csv", table.csv(), overwrite=True)
        write_text(folder / f"{self.name}.md", self.markdown(conditions), overwrite=True)
