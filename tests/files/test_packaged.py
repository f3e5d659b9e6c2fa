"""Models that come with the package: found by name by every verb, read-only, after a folder of the user's."""

from __future__ import annotations

import json
import lzma
import os
import pickle
import shutil
from pathlib import Path

import pytest

import adagram
from adagram.cli import main
from adagram.errors import InputError
from adagram.files import hub
from adagram.model.sheet import PACKED_SHEET, SHEET, Entry, Example, label_of


@pytest.fixture(autouse=True)
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted_folder: Path) -> Path:
    """A package with the model `xx`, with a packed sense sheet, and an empty working directory."""
    folder = tmp_path / "package" / "xx"
    shutil.copytree(planted_folder, folder)
    names = adagram.load(folder).names(slice(0, 5))
    sheet = "".join(
        Entry(n, 1.0, 1, f"label of {n}", examples=[Example("a use", "", "", 1.0)]).to_json() + "\n" for n in names
    )
    (folder / PACKED_SHEET).write_bytes(lzma.compress(sheet.encode()))
    monkeypatch.setattr(hub, "PACKAGED", folder.parent)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    said = capsys.readouterr()
    assert stop.value.code == code, said.err
    return said.out if code == 0 else said.err


def test_it_is_found_by_its_name(named: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = adagram.load("xx")
    assert model.senses("planted") == adagram.load(named).senses("planted")
    first = model.names([0])[0]
    assert label_of(model, 0) == f"label of {first}"
    assert model.sheet is not None
    assert model.sheet.learned(first).examples[0].text == "a use"
    assert pickle.loads(pickle.dumps(model)).n_senses == model.n_senses
    for verb in (["senses", "xx", "planted"], ["info", "xx"], ["check", "xx"], ["words", "xx"]):
        assert run(capsys, *verb)
    assert "planted" in run(capsys, "disambiguate", "xx", "planted", "--context", "topic0x1")


def test_a_model_of_the_user_comes_first_and_another_folder_does_not_hide_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("xx").mkdir()
    Path("xx/text.txt").write_text("some text")
    assert "planted" in adagram.load("xx")
    shutil.rmtree("xx")
    adagram.train([["money", "bank"]] * 50, "xx", dim=4, min_count=1, threads=1)
    assert adagram.load("xx").vocabulary.words == ["bank", "money"]
    listed = run(capsys, "models").splitlines()
    assert [line.split("\t")[:2] for line in listed] == [["model", "place"], ["xx", "this folder"]]


def test_it_is_read_only(named: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "xx is read-only" in run(capsys, "label", "xx", "planted#0", "a name", code=1)
    with pytest.raises(InputError, match="read-only"):
        adagram.load("xx").decide("label planted#0 a name")
    for path in (named, *named.iterdir()):
        os.chmod(path, 0o555 if path.is_dir() else 0o444)
    assert adagram.load("xx").n_senses
    adagram.load("xx").save("copy")
    assert label_of(adagram.load("copy"), 0)
    assert adagram.load("copy").decide("label planted#0 a name").senses("planted#0")[0].label


def test_all_models_are_listed(named: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(named, "mine")
    found = [json.loads(line) for line in run(capsys, "models", "--json").splitlines()]
    assert [(row["model"], row["place"]) for row in found] == [("xx", "package"), ("mine", "this folder")]


def test_a_damaged_packed_sheet_is_named(named: Path) -> None:
    (named / PACKED_SHEET).write_bytes(b"nothing")
    with pytest.raises(InputError, match=SHEET):
        label_of(adagram.load("xx"), 0)
