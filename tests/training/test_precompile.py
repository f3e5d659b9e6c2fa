from __future__ import annotations

import subprocess
import sys

import pytest

import adagram
import adagram.systems._skipgram
from adagram.config import TrainConfig
from adagram.kernels.jit import is_compiled
from adagram.training import run

PROGRAM = """
import adagram
from adagram.systems._skipgram import train_span

adagram.train([["a", "b", "c"], ["b", "c", "a"]] * 20, dim=4, min_count=1, threads=1, algorithm="skipgram")
print(sum(train_span.stats.cache_hits.values()), sum(train_span.stats.cache_misses.values()))
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run.os, "cpu_count", lambda: 2)


@pytest.mark.slow  # it compiles anew
def test_precompiled_kernels_are_not_compiled_again():
    assert not is_compiled("train_span")
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert told.stdout.split() == ["1", "0"], told.stderr
    assert is_compiled("train_span")


def test_without_a_second_process_training_goes_on(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(run.subprocess, "Popen", refuse)
    text = [["a", "b", "c"], ["b", "c", "a"]] * 20
    model = adagram.train(text, dim=4, min_count=1, threads=1, algorithm="skipgram")
    assert len(model.vocabulary) == 3


def test_a_process_that_fails_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(run.sys, "executable", "/bin/false")
    started = []
    popen = run.subprocess.Popen
    monkeypatch.setattr(run.subprocess, "Popen", lambda *a, **o: started.append(popen(*a, **o)) or started[-1])
    with run.precompiled(TrainConfig.from_preset("paper", algorithm="skipgram")) as wait:
        wait()
    assert started[0].returncode == 1
