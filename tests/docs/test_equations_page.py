"""docs/equations.md has every equation, and names functions and kernels that exist."""

from __future__ import annotations

import importlib
import re
from functools import reduce

import pytest
from docs_support import ROOT

PAGE = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
NAME = re.compile(r"`([^`]+)`")
# equation, what it says, home, kernel, test
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "][1:]
EQUATIONS = range(1, 10)


def resolve(name: str) -> object:
    """The object of a dotted name below adagram: the longest part that is a module, then attributes."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(["adagram", *parts[:n]]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[n:], module)
    raise AttributeError(name)


@pytest.mark.parametrize("name", sorted({name for row in ROWS for name in NAME.findall(" ".join(row[2:4]))}))
def test_every_function_of_the_page_exists(name: str) -> None:
    assert resolve(name) is not None


def test_every_equation_of_the_paper_has_a_row() -> None:
    first = " ".join(row[0] for row in ROWS)
    assert [n for n in EQUATIONS if f"({n})" not in first] == []
