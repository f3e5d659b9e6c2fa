"""`adagram check` finds any change, and names what killed runs left."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from adagram.cli import main
from adagram.cli.check import examine
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.files.atomic import locked
from adagram.files.folders import check_sums
from model_support import random_model


@pytest.fixture(params=["model", "corpus"])
def folder(request, tmp_path) -> Path:
    if request.param == "model":
        random_model().save(tmp_path / "it")
    else:
        encode([["a", "b"], ["c"]], tmp_path / "it", EncodeOptions(min_count=1))
    return tmp_path / "it"


def test_a_whole_folder_is_good(folder):
    assert not any(finding.damage for finding in examine(folder))


def test_any_changed_byte_is_found(folder, capsys):
    draw = np.random.default_rng(0)
    for path in sorted(folder.iterdir()):
        if path.name == "README.md":  # people go on writing it
            continue
        content = path.read_bytes()
        for at in draw.integers(0, len(content), 5).tolist():
            path.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
            with suppress(InputError):  # or it is not even recognised
                assert any(finding.damage for finding in examine(folder)), (path.name, at)
        path.write_bytes(content)
    (folder / "vocab.txt").write_text("a\t1\n")
    with pytest.raises(SystemExit) as stop:
        main(["check", str(folder)])
    assert stop.value.code == 1
    shown = capsys.readouterr()
    assert "vocab.txt is damaged" in shown.out
    assert shown.err.count("\n") == 1


def test_nan_is_found_where_the_checksums_were_made_of_it(tmp_path):
    model = random_model()
    model.arrays["vectors"][3, 2] = np.nan  # type: ignore[index]
    model.save(tmp_path / "m")
    assert [finding.test for finding in examine(tmp_path / "m") if finding.damage] == ["values are finite"]


def test_what_people_go_on_writing_has_no_checksum(planted_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(planted_folder, tmp_path / "model")
    check_sums(folder)
    with open(folder / "README.md", "a", encoding="utf-8") as file:
        file.write("What I make of it.\n")
    check_sums(folder)
    (folder / "vocab.txt").write_text("other\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"vocab\.txt is damaged"):
        check_sums(folder)


def test_a_killed_run_is_cleaned_up_after(tmp_path, capsys):
    """Killed in the middle of its work, in a container of another name: nobody has to remove a lock by hand."""
    program = (
        "import os, sys; import signal; from pathlib import Path\n"
        "from adagram.files.atomic import locked, new_folder; from adagram.files.folders import MODEL\n"
        "with locked(Path('m')), new_folder('m', MODEL) as made:\n"
        "    (made / 'half').touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    with locked(tmp_path / "m"):
        pass
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2  # the second run removed what the first had left
    random_model().save(tmp_path / "m", overwrite=True)
    with pytest.raises(SystemExit) as stop:
        main(["check", str(tmp_path / "m")])
    assert stop.value.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [".m.adagram-lock", "m"]
