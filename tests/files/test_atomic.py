"""Results appear whole or not at all, whoever else writes there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.files import atomic
from adagram.files.atomic import (
    REPLACED,
    check_new_folder,
    locked,
    new_file,
    new_folder,
    remove_all_dead,
    remove_folder,
    temporary_folder,
    write_text,
)
from adagram.files.folders import CORPUS, MODEL
from adagram.files.json import check_shape, parse_json, read_file

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
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"main": "main", "main.npy": "array"}


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


@pytest.mark.parametrize("mark", ["{}", '{"model_type": "bert"}', "[1]", "half a {", '{"format": 1, "config": {}}'])
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
        monkeypatch.setattr(atomic, "_exchange", lambda a, b: False)
    write_model(tmp_path / "model", "new", overwrite=True)
    assert (tmp_path / "model" / "vocab.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_kill_between_two_renames_does_not_lose_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path / "model", "old")
    dead = tmp_path / ".model.abcdefgh.adagram"
    (dead / REPLACED).mkdir(parents=True)
    (tmp_path / "model").rename(dead / REPLACED / "model")
    assert remove_all_dead(tmp_path) == [dead]
    assert (tmp_path / "model" / "vocab.txt").read_text() == "old"


def test_what_dead_processes_left_is_removed_by_the_next_and_no_more(tmp_path: Path) -> None:
    dead, other = tmp_path / ".model.abcdefgh.adagram", tmp_path / ".other.abcdefgh.adagram"
    for folder in (dead, other, tmp_path / ".model.backup"):
        (folder / "half").mkdir(parents=True)
    (tmp_path / ".model.abcdefgi.adagram").symlink_to(tmp_path / ".model.backup")
    with temporary_folder(tmp_path / "model") as at_work:
        write_model(tmp_path / "model")
        assert not dead.exists()
        assert at_work.is_dir()
        assert other.is_dir()
        assert remove_all_dead(tmp_path) == [other]
        assert at_work.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".model.abcdefgi.adagram", ".model.backup", "model"]
    assert (tmp_path / ".model.backup" / "half").is_dir()


def test_without_locks_nothing_is_taken_for_dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "fcntl", None)
    left = tmp_path / ".model.abcdefgh.adagram"
    left.mkdir()
    write_model(tmp_path / "model")
    assert (tmp_path / "model").is_dir()
    assert remove_all_dead(tmp_path) == []
    assert left.is_dir()


def test_a_folder_that_cannot_be_replaced_as_a_whole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="the current folder, which cannot be replaced"):
        write_model(Path())
    write_model(Path("model"))
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == "model")
    with pytest.raises(InputError, match="is a mount point"):
        write_model(Path("model"), overwrite=True)


def test_a_folder_is_removed_from_under_its_name(tmp_path: Path) -> None:
    write_model(tmp_path / "model")
    (tmp_path / ".model.abcdefgh.adagram").mkdir()  # left by a run that was killed here
    remove_folder(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_model_folder_is_never_written_through(tmp_path: Path) -> None:
    write_model(tmp_path / "model")
    (tmp_path / "thesis.txt").write_text("mine")
    (tmp_path / "model" / "trends.npz").symlink_to(tmp_path / "thesis.txt")
    os.mkfifo(tmp_path / "model" / "senses.jsonl")
    for name in ("trends.npz", "senses.jsonl"):
        with pytest.raises(InputError, match=f"{name} is a link or a device in a model; remove it"):
            write_text(tmp_path / "model" / name, "other", overwrite=True)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_two_runs_cannot_write_the_same_output(tmp_path: Path) -> None:
    with locked(tmp_path / "model"):
        with (
            pytest.raises(InputError, match="model is being written by another run; wait for it"),
            locked(tmp_path / "model"),
        ):
            pass
        with locked(tmp_path / "other"):
            pass
    with locked(tmp_path / "model"):  # free again
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ['{"pid": 1, "host": "pod-1"}', "", "x" * 10_000])
def test_a_lock_that_nobody_holds_is_free_whatever_is_in_it(tmp_path: Path, content: str) -> None:
    with locked(tmp_path / "model"):
        name = next(tmp_path.iterdir()).name
    (tmp_path / name).write_text(content)
    with locked(tmp_path / "model"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        with pytest.raises(OSError, match="not a regular file"):
            read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "shape", "why"),
    [
        ("[" * 100_000, dict, "nested"),
        ('{"a": true}', {"a": int}, "a is True, expected a whole number"),
        ('{"a": 10}', {"a": range(10)}, "a is 10, expected a whole number from 0 to 9"),
        ('{"a": NaN}', {"a": float}, "a is nan, expected a finite number"),
        ('{"a": ' + "9" * 400 + "}", {"a": float}, "expected a finite number"),
        ('{"a": [1, "b"]}', {"a": [int]}, "a part of a is 'b'"),
        ('{"b": 1}', {"a": int}, "it lacks a"),
        ("7", dict, "it is 7, expected an object"),
    ],
)
def test_json_of_another_shape_is_refused(text: str, shape: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_json(text, shape)


def test_what_may_be_missing_or_null_may_be() -> None:
    check_shape({"a": None, "other": 1}, {"a": (str, None), "b?": int})
