from __future__ import annotations

import subprocess
import sys

import pytest

import adagram
from adagram.config import TrainConfig
from adagram.kernels.home import is_compiled
from adagram.training import ahead

PROGRAM = """
import adagram
from adagram.kernels.skipgram import train_span

adagram.train([["a", "b", "c"], ["b", "c", "a"]] * 20, dim=4, min_count=1, threads=1, algorithm="skipgram")
print(sum(train_span.stats.cache_hits.values()), sum(train_span.stats.cache_misses.values()))
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 2)


def test_what_was_compiled_ahead_is_not_compiled_again():
    assert not is_compiled("skipgram", "train_span")
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert told.stdout.split() == ["1", "0"], told.stderr
    assert is_compiled("skipgram", "train_span")


def test_without_a_second_process_training_goes_on(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(ahead.subprocess, "Popen", refuse)
    text = [["a", "b", "c"], ["b", "c", "a"]] * 20
    model = adagram.train(text, dim=4, min_count=1, threads=1, algorithm="skipgram")
    assert len(model.vocabulary) == 3


def test_a_process_that_fails_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(ahead.sys, "executable", "/bin/false")
    monkeypatch.setattr(ahead, "is_compiled", lambda *names: False)
    started = []
    popen = ahead.subprocess.Popen
    monkeypatch.setattr(
        ahead.subprocess, "Popen", lambda *a, **o: started.append(popen(*a, **o)) or started[-1]
    )
    with ahead.compiled_ahead(TrainConfig.from_preset("paper", algorithm="skipgram")) as wait:
        wait()
    assert started[0].returncode == 1
