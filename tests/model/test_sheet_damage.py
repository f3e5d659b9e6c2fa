"""A sheet whose names are damaged, and a folder whose card was renewed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.model.sheet import SHEET, Entry, Sheet
from adagram.whole import check_sums


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
