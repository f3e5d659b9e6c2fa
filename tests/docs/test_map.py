"""CONTRIBUTING's map names every room of the house."""

from __future__ import annotations

import re

from docs_support import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?) \| (.+) \|$", CONTRIBUTING, flags=re.MULTILINE)


def test_every_room_is_on_the_map() -> None:
    rooms = {
        path.stem for path in (ROOT / "src" / "adagram").iterdir() if path.is_dir() or path.suffix == ".py"
    }
    named = {name for names, _ in ROWS for name in re.findall(r"`(\w+)`", names)}
    assert named == rooms - {"__init__", "__main__", "__pycache__"}


def test_files_that_the_map_names_are_there() -> None:
    for names, what in ROWS:
        for file in re.findall(r"`(\w+\.py)`", what):
            assert (ROOT / "src" / "adagram" / names.strip("`") / file).is_file()


def test_the_map_is_in_the_order_of_the_import_layers() -> None:
    """Of two rooms in different layers the inner one comes first."""
    lines = re.findall(r"^    (adagram\..*)$", (ROOT / ".importlinter").read_text(), flags=re.MULTILINE)
    depth = {
        name: n for n, line in enumerate(reversed(lines)) for name in re.findall(r"adagram\.(\w+)", line)
    }
    order = [depth[name] for names, _ in ROWS for name in re.findall(r"`(\w+)`", names)]
    assert order == sorted(order)
