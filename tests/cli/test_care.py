"""`adagram check` finds any change; `adagram clean` removes what dead runs left, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from adagram.care import examine
from adagram.cli import main
from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.errors import InputError
from adagram.whole.temporary import host_mark, prefix_of
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


def test_clean_removes_the_folders_of_dead_runs_only(tmp_path, capsys):
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    dead = tmp_path / f".m.{host_mark()}-{int(ended.stdout)}-1.abc.part"
    alive = tmp_path / f"{prefix_of(tmp_path / 'm')}abc.part"
    others = [tmp_path / "thesis.part", tmp_path / ".m.part", tmp_path / ".m.00000000-99999999-1.abc.part"]
    for path in (dead, alive, *others):
        path.mkdir()
    with pytest.raises(SystemExit) as stop:
        main(["clean", str(tmp_path)])
    assert stop.value.code == 0
    assert sorted(tmp_path.iterdir()) == sorted((alive, *others))
    assert capsys.readouterr().out == f"{dead}\n"
