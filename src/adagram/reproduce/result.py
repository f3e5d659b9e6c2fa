"""What an experiment hands back, and how it is written: Markdown, CSV and PNG in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adagram.files.atomic import write_text
from adagram.plots import save
from adagram.reproduce.tables import Table


@dataclass(frozen=True)
class Figure:
    """A picture that is drawn when it is written."""

    name: str
    caption: str
    draw: Callable[[], Any]  # a figure of matplotlib's


@dataclass(frozen=True)
class Result:
    name: str
    title: str
    tables: Sequence[Table]
    figures: Sequence[Figure] = ()
    remarks: Sequence[str] = field(
        default_factory=list
    )  # protocol, what differs from the paper, what is missing

    def markdown(self, conditions: str) -> str:
        parts = [f"# {self.title}", conditions]
        parts += [f"![{figure.caption}]({figure.name}.png)\n\n*{figure.caption}*" for figure in self.figures]
        parts += [f"## {table.title}\n\n{table.markdown()}" for table in self.tables]
        if self.remarks:
            parts.append("\n".join(f"* {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"

    def write(self, folder: Path, conditions: str) -> None:
        """All files of the experiment, each complete or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        for figure in self.figures:
            save(figure.draw(), folder / f"{figure.name}.png", overwrite=True)
        for table in self.tables:
            write_text(folder / f"{table.name}.csv", table.csv(), overwrite=True)
        write_text(folder / f"{self.name}.md", self.markdown(conditions), overwrite=True)
