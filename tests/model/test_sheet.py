"""Looking up senses in a sheet, also in one that another program wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adagram.model.sheet import SHEET, Entry, Example, Sheet


def test_many_senses_are_found(tmp_path: Path) -> None:
    names = [f"word{i}#{k}" for i in range(200) for k in range(2)]
    path = tmp_path / "senses.jsonl"
    path.write_text("".join(Entry(n, 1.0, 1, label=n).to_json() + "\n" for n in names), encoding="utf-8")
    sheet = Sheet(path)
    assert [entry.label for name in names if (entry := sheet.learned(name))] == names
    assert sheet.learned("other#0") is None


@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " : ")])
@pytest.mark.parametrize("order", [False, True])
def test_a_sheet_that_another_program_wrote_again_is_read_as_before(
    tmp_path: Path, separators: tuple[str, str], order: bool
) -> None:
    entries = [Entry(f"wörd#{k}", 1.0, k, examples=[Example("a text", "d", "", 0.9)]) for k in range(3)]
    made = [json.dumps(json.loads(e.to_json()), separators=separators, sort_keys=order) for e in entries]
    (tmp_path / SHEET).write_text("\n\n".join(made), encoding="utf-8")
    sheet = Sheet.of(tmp_path)
    assert sheet is not None
    assert [sheet.learned(f"wörd#{k}") for k in range(3)] == entries
    assert sheet.learned("other#0") is None
