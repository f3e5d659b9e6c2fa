"""Progress of `train`: a report of the caller's, a line in a notebook, and the logger."""

import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import adagram
from adagram.api import notebook_report
from adagram.types import StageProgress

SENTENCES = [["money", "bank"], ["river", "bank"]] * 50


@pytest.fixture
def in_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def test_training_shows_its_progress(in_notebook: None, capsys: pytest.CaptureFixture[str]) -> None:
    adagram.train(SENTENCES, dim=4, min_count=1, threads=1, epochs=1, algorithm="skipgram-ns")
    last = capsys.readouterr().out.rpartition("\r")[2]
    assert last.startswith("100.0 %")
    assert "objective" in last


def test_a_report_of_ones_own_takes_its_place(in_notebook: None, capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[Any] = []
    adagram.train(SENTENCES, dim=4, min_count=1, threads=1, report=heard.append)
    assert isinstance(heard[0], StageProgress)
    assert heard[-1].words == heard[-1].total
    assert not capsys.readouterr().out


def test_nothing_is_drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notebook_report() is None
    terminal = SimpleNamespace(get_ipython=lambda: SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert notebook_report() is None


def test_progress_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="adagram"):
        adagram.train(SENTENCES, dim=4, min_count=1, threads=1, epochs=1)
    assert "objective" in caplog.messages[-1]
    assert caplog.messages[-1].startswith("100.0 %")
