"""Tables that can be read as Markdown and by programs as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows under column names; `digits` says how many decimals the numbers of a column are shown with."""

    name: str  # of its CSV file
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3
    digits_of: dict[str, int] = field(default_factory=dict)  # columns that differ

    def markdown(self) -> str:
        """The table in Markdown, missing values as a dash.

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
