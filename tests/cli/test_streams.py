"""Streams that are closed, full or gone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import adagram
from adagram.cli import main
from model_support import random_model

ADAGRAM = f"{sys.executable} -m adagram"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600)


def main_quietly(arguments: list[str]) -> None:
    """A verb that must end well, in this process."""
    code: object = 0
    try:
        main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert not code


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
def test_training_goes_on_without_stderr(tmp_path, stream):
    (tmp_path / "t.txt").write_text("the cat sat on the mat\n" * 50)
    done = shell(f"{ADAGRAM} train t.txt -o m --dim 8 --min-count 1 --subsample 1 --threads 1 {stream}", tmp_path)
    assert done.returncode == 0
    assert adagram.load(tmp_path / "m").info["training"]["words"] > 0


@pytest.mark.parametrize("verb", ["words m", pytest.param("tag m t.txt", marks=pytest.mark.slow)])
def test_a_closed_standard_output_ends_quietly(tmp_path, verb):
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n")
    done = shell(f"{ADAGRAM} {verb} >&-", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "t.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "words m --json > /dev/full",
        *(
            pytest.param(command, marks=pytest.mark.slow)
            for command in (
                "tag m t.txt > /dev/full",
                "senses m w1 > /dev/full",
                "export m -f csv -o /dev/stdout > /dev/full",
                "export m -f word2vec-bin -o /dev/full",
                "tag m t.txt -o /dev/full",
                "check m > /dev/full",
            )
        ),
    ],
)
def test_a_full_disk_is_one_sentence(tmp_path, command):
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n" * 100)
    done = shell(f"{ADAGRAM} {command}", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "adagram: no space left on the disk; free some and run again\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "t.txt"]


WRITERS = [["tag", "m", "t.txt"], ["export", "m", "-f", "word2vec"], ["export", "m", "-f", "csv"]]


@pytest.mark.parametrize("command", WRITERS, ids=" ".join)
def test_a_pipe_with_a_name_gets_the_result_and_stays_a_pipe(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n" * 100)
    main_quietly([*command, "-o", "file"])
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        main_quietly([*command, "-o", "pipe"])
        assert reader.communicate(timeout=60)[0] == Path("file").read_bytes()
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.parametrize("command", WRITERS, ids=" ".join)
def test_a_device_is_written_to_and_never_replaced(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n" * 100)
    try:
        os.mknod("nothing", 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # a /dev/null of our own
        Path("nothing").write_text("")
    except OSError:
        pytest.skip("only root can make a device")
    for more in ([], ["--overwrite"]):
        main_quietly([*command, "-o", "nothing", *more])
        assert stat.S_ISCHR(os.stat("nothing").st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "nothing", "t.txt"]


@pytest.mark.parametrize("verb", ["train t.txt", "encode t.txt"])
def test_a_device_or_a_pipe_is_no_place_for_a_folder(tmp_path, monkeypatch, capsys, verb):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text("w1 w2 w3\n" * 100)
    os.mkfifo("pipe")
    for more in ([], ["--overwrite"]):
        with pytest.raises(SystemExit) as stop:
            main([*verb.split(), "-o", "pipe", "--min-count", "1", *more])
        assert stop.value.code == 1
    assert capsys.readouterr().err.count("\n") == 2
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.parametrize("verb", ["tag", "likelihood"])
def test_text_in_another_encoding_is_read_as_in_training(tmp_path, monkeypatch, capfd, verb):
    monkeypatch.chdir(tmp_path)
    random_model().save(tmp_path / "m")
    lines = "w1 café w2 w3\n" * 20
    for name, encoding in (("utf8", "utf-8"), ("marked", "utf-16"), ("latin", "latin-1")):
        Path(name).write_bytes(lines.encode(encoding))
    main_quietly([verb, "m", "utf8"])
    expected = capfd.readouterr().out
    for more in (["marked"], ["latin", "--encoding", "latin-1"]):
        main_quietly([verb, "m", *more])
        assert capfd.readouterr().out == expected
    main_quietly([verb, "m", "latin", "--skip-bad"])
    capfd.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([verb, "m", "latin"])
    assert stop.value.code == 1
    assert "latin is not UTF-8: byte 7 (0xe9) in line 1" in capfd.readouterr().err
