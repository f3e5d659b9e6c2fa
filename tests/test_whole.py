"""Results appear whole or not at all, whoever else writes there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.whole import check_writable, new_file, new_folder, write_text


class Failure(Exception):
    pass


def write_half_a_file(target: Path) -> None:
    with new_file(target) as made:
        made.write_text("half")
        raise Failure


def write_half_a_folder(target: Path) -> None:
    with new_folder(target) as made:
        (made / "config.json").write_text("half")
        raise Failure


@pytest.mark.parametrize("had_content", [False, True])
def test_a_failure_leaves_what_was_there_before_and_nothing_else(tmp_path: Path, had_content: bool) -> None:
    if had_content:
        write_text(tmp_path / "file", "old")
        with new_folder(tmp_path / "folder") as made:
            (made / "config.json").write_text("old")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Failure):
        write_half_a_file(tmp_path / "file")
    with pytest.raises(Failure):
        write_half_a_folder(tmp_path / "folder")
    assert sorted(tmp_path.rglob("*")) == before
    assert all(path.read_text() == "old" for path in before if path.is_file())


def test_until_the_end_the_new_content_is_under_a_name_that_nobody_can_guess(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    with new_file(target) as first, new_file(target) as second:
        assert first.parent != second.parent
        assert first.name == second.name == "result.txt"
        assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
        first.write_text("first")
        second.write_text("second")
        assert not target.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["result.txt"]


def test_results_have_the_rights_of_ordinary_new_files(tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    (tmp_path / "ordinary folder").mkdir()
    with new_file(tmp_path / "file") as made:
        made.touch(mode=0o600)
    with new_folder(tmp_path / "folder"):
        pass
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    assert (tmp_path / "folder").stat().st_mode == (tmp_path / "ordinary folder").stat().st_mode


def test_companions_of_a_file_come_along(tmp_path: Path) -> None:
    with new_file(tmp_path / "main") as made:
        made.write_text("main")
        made.with_name("main.npy").write_text("array")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "main": "main",
        "main.npy": "array",
    }


def test_a_link_leads_to_the_file_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("mine")
    for target in (tmp_path / "file", tmp_path / "folder", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match=str(target)):
            check_writable(target)
    with pytest.raises(InputError, match="is a folder"):
        write_text(tmp_path / "folder", "text")
    assert (tmp_path / "folder" / "thesis.tex").read_text() == "mine"
