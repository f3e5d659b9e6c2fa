"""Results appear whole or not at all, whoever else writes there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.whole import (
    CORPUS,
    MODEL,
    check_new_folder,
    locked,
    new_file,
    new_folder,
    remove_folder,
    write_text,
)
from adagram.whole import rename as renaming
from adagram.whole.temporary import dead_folders, host_mark

MARK = '{"format": 1, "config": {"algorithm": "adagram", "dim": 8, "window": 5}}'


class Failure(Exception):
    pass


def write_half_a_file(target: Path) -> None:
    with new_file(target, overwrite=True) as made:
        made.write_text("half")
        raise Failure


def write_half_a_folder(target: Path) -> None:
    with new_folder(target, MODEL, overwrite=True) as made:
        (made / "config.json").write_text("half")
        raise Failure


@pytest.mark.parametrize("had_content", [False, True])
def test_a_failure_leaves_what_was_there_before_and_nothing_else(tmp_path: Path, had_content: bool) -> None:
    if had_content:
        write_text(tmp_path / "file", "old")
        with new_folder(tmp_path / "folder", MODEL) as made:
            (made / "config.json").write_text(MARK)
    before = {path: path.read_bytes() if path.is_file() else b"" for path in tmp_path.rglob("*")}
    with pytest.raises(Failure):
        write_half_a_file(tmp_path / "file")
    with pytest.raises(Failure):
        write_half_a_folder(tmp_path / "folder")
    assert {path: path.read_bytes() if path.is_file() else b"" for path in tmp_path.rglob("*")} == before


def test_until_the_end_the_new_content_is_under_a_name_that_nobody_can_guess(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    with new_file(target, overwrite=True) as first, new_file(target) as second:
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
    with new_folder(tmp_path / "folder", MODEL):
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
            check_new_folder(target, MODEL)
    with pytest.raises(InputError, match="is a folder"):
        write_text(tmp_path / "folder", "text")
    assert (tmp_path / "folder" / "thesis.tex").read_text() == "mine"


def write_model(folder: Path, more: str = "", overwrite: bool = False) -> None:
    with new_folder(folder, MODEL, overwrite) as made:
        (made / "config.json").write_text(MARK)
        (made / "vocab.txt").write_text(more)


def test_nothing_that_exists_is_replaced_unless_it_is_asked_for(tmp_path: Path) -> None:
    write_model(tmp_path / "model", "old")
    write_text(tmp_path / "file", "old")
    with pytest.raises(InputError, match="is a model already; give overwrite=True"):
        write_model(tmp_path / "model", "new")
    with pytest.raises(InputError, match="exists already; give overwrite=True"):
        write_text(tmp_path / "file", "new")
    assert (tmp_path / "model" / "vocab.txt").read_text() == (tmp_path / "file").read_text() == "old"
    write_model(tmp_path / "model", "new", overwrite=True)
    write_text(tmp_path / "file", "new", overwrite=True)
    assert (tmp_path / "model" / "vocab.txt").read_text() == (tmp_path / "file").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "model"]


@pytest.mark.parametrize(
    "mark", ["{}", '{"model_type": "bert"}', "[1]", "half a {", '{"format": 1, "config": {}}']
)
def test_a_config_of_another_program_is_no_mark(tmp_path: Path, mark: str) -> None:
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "config.json").write_text(mark)
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other files in it"):
        write_model(folder, overwrite=True)
    assert (folder / "thesis.txt").read_text() == "mine"


def test_files_of_others_in_a_model_folder_are_not_lost(tmp_path: Path) -> None:
    write_model(tmp_path / "model", "old")
    (tmp_path / "model" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"do not belong to a model: thesis\.txt"):
        write_model(tmp_path / "model", overwrite=True)
    assert (tmp_path / "model" / "thesis.txt").read_text() == "mine"


def test_a_folder_of_another_kind_is_never_replaced(tmp_path: Path) -> None:
    write_model(tmp_path / "model", "old")
    with (
        pytest.raises(InputError, match="is a model, not an encoded corpus"),
        new_folder(tmp_path / "model", CORPUS, overwrite=True),
    ):
        pass
    assert (tmp_path / "model" / "vocab.txt").read_text() == "old"


@pytest.mark.parametrize("at_once", [True, False])
def test_there_is_no_moment_without_the_old_or_the_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    write_model(tmp_path / "model", "old")
    if not at_once:
        monkeypatch.setattr(renaming, "_exchange_at_once", lambda a, b: False)
    write_model(tmp_path / "model", "new", overwrite=True)
    assert (tmp_path / "model" / "vocab.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_name_lost_between_two_renames_is_given_back(tmp_path: Path) -> None:
    write_model(tmp_path / "model", "old")
    dead = f".model.{host_mark()}-{2**22 + 1}-7.xyz.part"  # a process number that no system gives
    (tmp_path / "model").rename(tmp_path / f"{dead}.old")
    with pytest.raises(InputError, match="is a model already"):
        write_model(tmp_path / "model", "new")
    assert (tmp_path / "model" / "vocab.txt").read_text() == "old"


def test_what_dead_processes_left_is_removed_by_the_next_and_no_more(tmp_path: Path) -> None:
    dead = tmp_path / f".model.{host_mark()}-{2**22 + 1}-7.xyz.part"
    others = [
        tmp_path / f".other.{host_mark()}-{2**22 + 1}-7.xyz.part",  # of another output
        tmp_path / f".model.00000000-{2**22 + 1}-7.xyz.part",  # of another machine
        tmp_path / f".model.{host_mark()}-{os.getppid()}-{start(os.getppid())}.xyz.part",  # at work
        tmp_path / ".model.backup",
    ]
    for folder in (dead, *others):
        folder.mkdir()
    assert dead_folders(tmp_path) == sorted([dead, others[0]])
    write_model(tmp_path / "model")
    assert not dead.exists()
    assert all(folder.is_dir() for folder in others)


def start(pid: int) -> int:
    from adagram.whole.temporary import start_of

    return start_of(pid) or 0


def test_the_current_folder_can_be_written_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_model(Path(), "old")
    with pytest.raises(InputError, match="is a model already"):
        write_model(Path(), "new")
    write_model(Path(), "new", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "config.json", "vocab.txt"]
    assert (tmp_path / "vocab.txt").read_text() == "new"


def test_a_folder_is_removed_from_under_its_name(tmp_path: Path) -> None:
    write_model(tmp_path / "model")
    (tmp_path / f".model.{host_mark()}-{2**22 + 1}-7.xyz.old").mkdir()  # left by a run that was killed here
    remove_folder(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_two_runs_cannot_write_the_same_output(tmp_path: Path) -> None:
    with locked(tmp_path / "model"):
        with (
            pytest.raises(InputError, match=f"being written by another run .process {os.getpid()} on"),
            locked(tmp_path / "model"),
        ):
            pass
        with locked(tmp_path / "other"):
            pass
    with locked(tmp_path / "model"):  # free again
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_dead_run_does_not_hold_but_that_of_another_machine_does(tmp_path: Path) -> None:
    lock = tmp_path / ".model.lock"
    lock.write_text('{"pid": 4194305, "host": "' + os.uname().nodename + '"}')
    with locked(tmp_path / "model"):
        pass
    lock.write_text('{"pid": 1, "host": "another-machine"}')
    with pytest.raises(InputError, match="process 1 on another-machine"), locked(tmp_path / "model"):
        pass
