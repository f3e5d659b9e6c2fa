"""Decisions are never lost, changed or written elsewhere: links, full disks, races, replaced folders."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.files.atomic import LOCK
from adagram.model import Model
from adagram.model.edits import refreshed
from adagram.model.sheet import SHEET, Entry, label_of
from adagram.model.storage import JOURNAL, check_writable
from model_support import random_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random_model().save(tmp_path / "model")
    return tmp_path / "model"


def test_thousands_of_decisions_are_read_in_linear_time(folder: Path) -> None:
    lines = [f"label w{i % 3}#0 meaning {i}" for i in range(8000)] + ["undo"] * 100
    (folder / JOURNAL).write_text("\n".join(lines) + "\n")
    start = time.process_time()
    model = Model.load(folder)
    assert time.process_time() - start < 3.0  # 400 s when each line was checked with all before it
    assert len(model.decisions) == 7900
    assert label_of(model, model.row("w0#0")) == "meaning 7899"
    start = time.process_time()
    model.decide("label w0#0 the last")
    assert time.process_time() - start < 3.0


def test_a_full_disk_leaves_the_journal_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model.load(folder).decide("label w0#0 first")
    before, write = (folder / JOURNAL).read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:15]))
    with pytest.raises(InputError, match="No space left on device; nothing was decided"):
        model.decide("label w1#0 the size of it")
    assert (folder / JOURNAL).read_bytes() == before

    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError, match="No space left on device; nothing was decided"):
        model.decide("label w1#0 the size of it")
    assert (folder / JOURNAL).read_bytes() == before
    (folder / JOURNAL).unlink()
    with pytest.raises(InputError, match="nothing was decided"):
        Model.load(folder).decide("label w1#0 a thing")
    assert (folder / JOURNAL).read_bytes() == b""


def test_a_decision_removes_what_a_killed_one_left(folder: Path) -> None:
    left = folder / ".README.md.abcd1234.adagram"
    left.mkdir()
    (left / LOCK).touch()
    Model.load(folder).decide("label w0#0 a thing")
    assert not left.exists()


def test_what_is_refused_leaves_no_line(folder: Path) -> None:
    for line in ("undo", "hide w0#9", "label w0#0 \udcff"):
        with pytest.raises(adagram.AdagramError):
            Model.load(folder).decide(line)
    assert (folder / JOURNAL).read_bytes() == b""


def test_decisions_that_race_for_the_first_line_are_all_kept(tmp_path: Path) -> None:
    for turn in range(20):
        folder = tmp_path / str(turn)
        random_model().save(folder)
        models = [Model.load(folder) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i, models=models: models[i].decide(f"label w{i}#0 by {i}"), range(8)))
        assert sorted((folder / JOURNAL).read_text().splitlines()) == [f"label w{i}#0 by {i}" for i in range(8)]


def test_processes_that_decide_at_once_lose_nothing(folder: Path) -> None:
    program = (
        "import sys; from adagram.model import Model\n"
        "for i in range(20): Model.load(sys.argv[1]).decide(f'label w{i}#0 by {sys.argv[2]} {i}')"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program, str(folder), str(n)]) for n in range(2)]
    assert [worker.wait() for worker in workers] == [0, 0]
    lines = (folder / JOURNAL).read_text().splitlines()
    assert sorted(lines) == sorted(f"label w{i}#0 by {n} {i}" for n in range(2) for i in range(20))


def test_undo_takes_back_only_what_this_model_shows(folder: Path) -> None:
    model = Model.load(folder).decide("label w0#0 mine")
    Model.load(folder).decide("label w1#0 of somebody else")
    with pytest.raises(InputError, match="another decision was taken meanwhile"):
        model.decide("undo")
    assert (folder / JOURNAL).read_text().splitlines() == ["label w0#0 mine", "label w1#0 of somebody else"]


def with_sheet(folder: Path) -> None:
    names = Model.load(folder).names(slice(0, 3))
    (folder / SHEET).write_text("".join(Entry(name, 1.0, 1).to_json() + "\n" for name in names))


def test_a_card_that_cannot_be_renewed_does_not_fail_the_decision(folder: Path) -> None:
    """Else a retry would take back a second decision."""
    Model.load(folder).decide("label w0#0 first").decide("label w1#0 second")
    with_sheet(folder)
    (folder / "README.md").unlink()
    (folder / "README.md").mkdir()
    with pytest.warns(UserWarning, match="the decision is kept, but the model card was not renewed"):
        model = Model.load(folder).decide("undo")
    assert [decision.label for decision in model.decisions] == ["first"]
    assert [decision.label for decision in Model.load(folder).decisions] == ["first"]


def test_a_card_with_bytes_of_another_encoding_keeps_them(folder: Path) -> None:
    with_sheet(folder)
    (folder / "README.md").write_bytes(b"caf\xe9\n")
    Model.load(folder).decide("label w0#0 first")
    card = (folder / "README.md").read_bytes()
    assert card.startswith(b"caf\xe9\n")


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_only_a_regular_file_is_a_journal(folder: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "thesis.txt").write_text("mine\n")
    model = Model.load(folder)
    if kind == "link":
        (folder / JOURNAL).symlink_to(tmp_path / "thesis.txt")
    else:
        os.mkfifo(folder / JOURNAL)
        with pytest.raises(InputError, match="not a regular file; ignore it with raw=True"):
            Model.load(folder)
    with pytest.raises(InputError, match=r"journal\.txt cannot be (written|read)"):
        model.decide("label w0#0 a thing")
    assert (tmp_path / "thesis.txt").read_text() == "mine\n"


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "model.safetensors", "SHA256SUMS"])
@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_a_model_of_pipes_and_devices_is_refused_at_once(folder: Path, name: str, target: str) -> None:
    from adagram.cli.check import examine

    (folder / name).unlink()
    if target == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to(target)
    if name == "config.json":
        with pytest.raises(InputError, match="is not a model"):
            examine(folder)
    else:
        assert "not a regular file" in next(found.damage for found in examine(folder) if found.damage)


def of_letter(letter: str) -> Model:
    model = random_model()
    words = [f"{letter}{i}" for i in range(len(model.vocabulary))]
    return Model(model.arrays, Vocabulary(words, np.asarray(model.vocabulary.counts)), model.info)


def test_a_model_and_its_journal_are_of_the_same_folder(tmp_path: Path) -> None:
    """While the folder is replaced again and again, no load has the words of one and the journal of the other."""
    for letter in "ab":
        of_letter(letter).save(tmp_path / letter)
        Model.load(tmp_path / letter).decide(f"label {letter}0#0 of {letter}")
    models = [Model.load(tmp_path / letter) for letter in "ab"]
    folder, done = tmp_path / "m", threading.Event()
    models[0].save(folder)

    def replace_again_and_again() -> None:
        turn = 0
        while not done.is_set():
            turn += 1
            models[turn % 2].save(folder, overwrite=True)

    writer = threading.Thread(target=replace_again_and_again)
    writer.start()
    try:
        for _ in range(200):
            model = Model.load(folder)  # a line about the other model's words would be refused with a warning
            assert [decision.label for decision in model.decisions] == [f"of {model.vocabulary.words[0][0]}"]
    finally:
        done.set()
        writer.join()


def test_a_model_that_was_replaced_takes_no_decision_and_lends_no_labels(tmp_path: Path) -> None:
    of_letter("a").save(tmp_path / "m")
    old = Model.load(tmp_path / "m")
    of_letter("b").save(tmp_path / "m", overwrite=True)
    with_sheet(tmp_path / "m")
    for use in (
        lambda: old.decide("label a0#0 old"),
        lambda: old.sheet,
        lambda: refreshed(old),
        lambda: check_writable(old),
    ):
        with pytest.raises(InputError, match="was replaced or removed since it was opened"):
            use()
    assert not (tmp_path / "m" / JOURNAL).exists()
