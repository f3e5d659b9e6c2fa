"""What needs no cluster: the address, what is refused before one is looked for, and errors as sentences."""

from __future__ import annotations

import sys

import pytest

import adagram
from adagram.cli import main
from adagram.cluster.connection import ray_errors
from adagram.errors import AdagramError


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "2"], "workers is 2, but there is no Ray cluster"),
        (["--ray", "local", "--threads", "3"], "threads is 3, but a Ray worker has one"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, capsys, options, sentence):
    text = tmp_path / "text.txt"
    text.write_text("a b c d e f g h " * 100)
    with pytest.raises(SystemExit) as stopped:
        main(["train", str(text), "--output", str(tmp_path / "model"), *options])
    assert stopped.value.code == 1
    assert sentence in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_without_ray_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    text = tmp_path / "text.txt"
    text.write_text("a b c d e f g h " * 100)
    with pytest.raises(adagram.AdagramError, match=r'pip install "adagram\[ray\]"'):
        adagram.train(text, tmp_path / "model", ray=True, workers=2)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ObjectStoreFullError", "the object store of the Ray cluster is full"),
        ("OutOfDiskError", "the object store of the Ray cluster is full"),
        ("OutOfMemoryError", "a node of the Ray cluster ran out of memory"),
        ("NodeDiedError", "a worker of the Ray cluster was lost"),
        ("RaySystemError", "the Ray cluster failed"),
    ],
)
@pytest.mark.parametrize("is_in_task", [True, False])
@pytest.mark.slow  # it needs Ray
def test_failures_of_the_cluster_are_sentences(name, sentence, is_in_task):
    failures = pytest.importorskip("ray.exceptions")
    error = getattr(failures, name)("why")
    if is_in_task:
        error = failures.RayTaskError("train", "a traceback", error)
    with pytest.raises(AdagramError, match=sentence), ray_errors():
        raise error
