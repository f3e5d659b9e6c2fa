"""Tables and figures of an experiment, written as Markdown, CSV and PNG in a folder of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
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
        lines = [_line(self.columns), "|" + "---|" * len(self.columns)]
        for row in self.rows:
            lines.append(_line([self._shown(*at) for at in zip(self.columns, row, strict=True)]))
        return "\n".join(lines)

    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def tsv(self) -> str:
        rows = [
            [self._shown(c, cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows
        ]
        return "".join("\t".join(row) + "\n" for row in [list(self.columns), *rows])

    def records(self) -> list[dict[str, Cell]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _shown(self, column: str, cell: Cell) -> str:
        if cell is None:
            return "–"
        if isinstance(cell, float):
            return f"{cell:.{self.digits_of.get(column, self.digits)}f}"
        return str(cell)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn when it is written."""

    name: str
    caption: str
    draw: Callable[[], Any]  # returns a matplotlib figure


@dataclass(frozen=True)
class Result:
    name: str
    title: str
    tables: Sequence[Table]
    figures: Sequence[Figure] = ()
    remarks: Sequence[str] = field(
        default_factory=list
    )  # protocol, what differs from the paper, what is missing

    def markdown(self, conditions: str, warning: str = "") -> str:
        parts = [f"# {self.title}", *([f"**{warning}**"] if warning else []), conditions]
        parts += [f"![{figure.caption}]({figure.name}.png)\n\n*{figure.caption}*" for figure in self.figures]
        parts += [f"## {table.title}\n\n{table.markdown()}" for table in self.tables]
        if self.remarks:
            parts.append("\n".join(f"* {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"

    def write(self, folder: Path, conditions: str, warning: str = "") -> None:
        """Write all files of the experiment, each atomically."""
        folder.mkdir(parents=True, exist_ok=True)
        for figure in self.figures:
            save(figure.draw(), folder / f"{figure.name}.png", overwrite=True)
        for table in self.tables:
            write_text(folder / f"{table.name}.csv", table.csv(), overwrite=True)
        write_text(folder / f"{self.name}.md", self.markdown(conditions, warning), overwrite=True)
