"""A sheet whose names are damaged, and a folder whose card was renewed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.files.folders import check_sums
from adagram.model.sheet import SHEET, Entry, Example, Sheet


@pytest.mark.parametrize("name", [b'"bank\x00#0"', b'"bank\xff#0"', b'"bank\\q#0"'])
def test_a_damaged_name_is_one_sentence(tmp_path: Path, name: bytes) -> None:
    (tmp_path / SHEET).write_bytes(b'{"sense": ' + name + b', "count": 1}\n')
    sheet = Sheet.of(tmp_path)
    assert sheet is not None
    with pytest.raises(InputError, match=r"senses\.jsonl is damaged; write it anew"):
        sheet.look_up_all()


def test_what_people_go_on_writing_has_no_checksum(planted_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(planted_folder, tmp_path / "model")
    check_sums(folder)
    with open(folder / "README.md", "a", encoding="utf-8") as file:
        file.write("What I make of it.\n")
    check_sums(folder)
    (folder / "vocab.txt").write_text("other\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"vocab\.txt is damaged"):
        check_sums(folder)


def test_many_senses_are_found_without_reading_the_sheet_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"word{i}#{k}" for i in range(200) for k in range(2)]
    path = tmp_path / "senses.jsonl"
    path.write_text("".join(Entry(n, 1.0, 1, label=n).to_json() + "\n" for n in names), encoding="utf-8")
    searched: list[str] = []
    find = Sheet._find
    monkeypatch.setattr(Sheet, "_find", lambda self, name: searched.append(name) or find(self, name))
    sheet = Sheet(path)
    assert [entry.label for name in names if (entry := sheet.learned(name))] == names
    assert sheet.learned("other#0") is None
    assert len(searched) < len(names) / 4


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


@pytest.mark.parametrize(
    "line",
    [
        '{"sense": "a#0", "examples": ' + "[" * 50_000,
        '{"sense": "a#0", "expected": 1, "hard": 1, "collocates": [], "examples": '
        + "[" * 900
        + "]" * 900
        + "}",
        '{"sense": "a#0", "expected": "many", "hard": 1, "collocates": [], "examples": []}',
        '{"sense": "a#0", "expected": 1, "hard": 1, "collocates": {}, "examples": []}',
        '{"sense": "a#0", "expected": 1, "hard": 1, "collocates": [], "examples": [], "more": 1}',
        '{"sense": "a#0", "expected": NaN, "hard": 1, "collocates": [], "examples": []}',
    ],
    ids=lambda line: line[:70],
)
def test_a_damaged_line_is_one_sentence(tmp_path: Path, line: str) -> None:
    (tmp_path / SHEET).write_text(line + "\n")
    sheet = Sheet.of(tmp_path)
    assert sheet is not None
    with pytest.raises(InputError, match=r"senses\.jsonl is damaged; write it anew"):
        sheet.learned("a#0")
