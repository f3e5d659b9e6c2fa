"""Data sets of dated uses: a folder with uses.tsv (gold clusters, period) and change.tsv (gold change per word)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_number

USES, CHANGE = "uses.tsv", "change.tsv"
USE_COLUMNS = ("target", "sense", "left", "right", "period")
CHANGE_COLUMNS = ("target", "change_graded", "change_binary")
PERIODS = ("1", "2")


@dataclass(frozen=True)
class DatedUse:
    target: str
    cluster: str
    left: str
    right: str
    period: int  # 0 or 1


@dataclass(frozen=True)
class GoldChange:
    graded: float
    is_changed: bool


def read_change_set(folder: Path) -> tuple[list[DatedUse], dict[str, GoldChange]]:
    """The uses and the gold change of each word."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one with {USES} and {CHANGE}")
    uses = []
    for number, row in _table(folder / USES, USE_COLUMNS):
        if row["period"] not in PERIODS:
            raise bad_line(folder / USES, number, f"the period should be 1 or 2, found {row['period']!r}")
        period = PERIODS.index(row["period"])
        uses.append(DatedUse(row["target"], row["sense"], row["left"], row["right"], period))
    gold = {}
    for number, row in _table(folder / CHANGE, CHANGE_COLUMNS):
        graded = parse_number(row["change_graded"], folder / CHANGE, number, "change_graded")
        binary = parse_number(row["change_binary"], folder / CHANGE, number, "change_binary")
        gold[row["target"]] = GoldChange(graded, binary > 0)
    missing = sorted({use.target for use in uses} - set(gold))
    if missing:
        raise InputError(f"{folder / CHANGE} says nothing about '{missing[0]}', which {USES} has uses of")
    return uses, gold


def _table(path: Path, needed: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    lines = numbered_lines(path)
    names = next(lines, (1, ""))[1].split("\t")
    missing = [name for name in needed if name not in names]
    if missing:
        raise bad_line(path, 1, f"the header lacks the column {missing[0]}; expected {' '.join(needed)}")
    rows = []
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(names):
            raise bad_line(path, number, f"expected {len(names)} tab-separated cells, found {len(cells)}")
        rows.append((number, dict(zip(names, cells, strict=True))))
    return rows
