"""No verb replaces or removes anything that exists, unless it is told to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adagram.cli import main
from adagram.config import TrainConfig
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.export import export
from adagram.training.checkpoint import Saving
from adagram.training.progress import Interrupted
from adagram.training.run import train_encoded
from model_support import random_model
from tests_support import FINE, planted, stopping, train_in_memory

SMALL = ["--dim", "8", "--min-count", "1", "--threads", "1", "--subsample", "1"]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A text, a model, an encoded corpus, a folder of another program, a file."""
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text("the cat sat on the mat\n" * 30)
    random_model().save("model")
    encode("t.txt", Path("encoded"), EncodeOptions(min_count=1))
    Path("bert").mkdir()
    Path("bert/config.json").write_text('{"model_type": "bert"}')
    Path("bert/thesis.txt").write_text("precious")
    Path("file").write_text("old")
    Path("link").symlink_to("t.txt")
    return tmp_path


def test_a_message_names_the_switch_as_the_caller_writes_it(here, capsys):
    with pytest.raises(SystemExit):
        main(["export", "model", "-f", "word2vec", "-o", "file"])
    assert "file exists already; give --overwrite to replace it" in capsys.readouterr().err
    with pytest.raises(InputError, match="file exists already; give overwrite=True to replace it"):
        export(random_model(), "file", "word2vec")
    with pytest.raises(InputError, match="model is a model already; give overwrite=True to replace it"):
        random_model().save("model")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        ["train", "t.txt", *SMALL, "-o", "model"],
        ["train", "t.txt", *SMALL, "-o", "bert"],
        ["train", "t.txt", *SMALL, "-o", "bert", "--overwrite"],
        ["train", "t.txt", *SMALL, "-o", "file", "--overwrite"],
        ["train", "encoded", *SMALL[:2], "-o", "encoded", "--overwrite"],
        ["encode", "t.txt", "-o", "encoded"],
        ["encode", "t.txt", "-o", "model", "--overwrite"],
        ["export", "model", "-f", "projector", "-o", "model", "--overwrite"],
        ["export", "model", "-f", "word2vec", "-o", "file"],
        ["export", "model", "-f", "word2vec", "-o", "model", "--overwrite"],
        ["tag", "model", "t.txt", "-o", "file"],
        ["tag", "model", "t.txt", "-o", "bert", "--overwrite"],
        ["tag", "model", "t.txt", "-o", "t.txt", "--overwrite"],
        ["tag", "model", "t.txt", "--output=./link", "--overwrite"],
        ["export", "model", "-f", "word2vec", "-o", "model/vocab.txt", "--overwrite"],
        ["tag", "model", "t.txt", "-o", "encoded/tokens.bin", "--overwrite"],
        ["train", "t.txt", *SMALL, "-o", "/"],
    ],
    ids=" ".join,
)
def test_what_exists_is_refused_in_a_sentence(here, capsys, command):
    before = everything(here)
    with pytest.raises(SystemExit) as stop:
        main(command)
    assert stop.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("adagram: ")
    assert said.count("\n") == 1
    assert everything(here) == before


@pytest.mark.parametrize("beside", ["m.encoded", "m.checkpoint"])
def test_folders_beside_a_model_are_not_taken(here, beside):
    Path(beside).mkdir()
    Path(beside, "thesis.txt").write_text("precious")
    before = everything(here)
    with pytest.raises(SystemExit) as stop:
        main(["train", "t.txt", *SMALL, "-o", "m", "--overwrite"])
    assert stop.value.code == 1
    assert everything(here) == before


def test_after_an_interruption_the_checkpoint_is_not_lost(tmp_path):
    corpus, output = planted(2, n_sentences=1000), tmp_path / "m"
    with pytest.raises(Interrupted):
        train_encoded(corpus, TrainConfig.from_preset("paper", dim=8, threads=1), Saving(output), stopping(at=3), FINE)
    before = everything(tmp_path)
    with pytest.raises(
        InputError, match="give resume=True to go on from it, overwrite=True to begin anew, or another name"
    ):
        train_in_memory(corpus, output, dim=8, threads=1)
    assert everything(tmp_path) == before


def test_the_current_folder_is_refused_before_any_work(here, monkeypatch, capsys):
    """It cannot be replaced by a complete model in one step."""
    Path("empty").mkdir()
    monkeypatch.chdir("empty")
    with pytest.raises(SystemExit) as stop:
        main(["train", "../t.txt", *SMALL, "-o", "."])
    assert stop.value.code == 1
    assert "give the name of a folder in it" in capsys.readouterr().err
    assert list(Path().iterdir()) == []
    assert not list(here.glob("*empty?*"))


@pytest.mark.parametrize(
    "command",
    [
        "tag m t.txt -o t.txt",
        "tag m t.txt -o link.txt",
        "export m.zip -f csv -o m.zip",
        "train t.txt -o t.txt",
        "encode t.txt -o t.txt",
        "trends m t.jsonl --by year --frequencies t.jsonl",
        "evaluate wsi m d.tsv --answers d.tsv",
        "wwsi d.xml --output d.xml",
    ],
)
def test_a_file_that_is_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    random_model().save("m")
    shutil.make_archive("m", "zip", "m")
    for name in ("t.txt", "t.jsonl", "d.tsv", "d.xml"):
        Path(name).write_text("w1 w2 w3\n")
    Path("link.txt").symlink_to("t.txt")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    with pytest.raises(SystemExit) as stop:
        main([*command.split(), "--overwrite"])
    assert stop.value.code == 1
    assert "is a file that this command reads; give another name to write to" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
