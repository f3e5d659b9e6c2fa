"""Progress of `train`: a report of the caller's, a bar in a notebook, and the logger."""

import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import adagram
from adagram.api import notebook_report
from adagram.types import StageProgress

SENTENCES = [["money", "bank"], ["river", "bank"]] * 50


class Shown:
    """IPython's display, as far as the bar needs it."""

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def display(self, html: str, display_id: bool) -> Any:
        assert display_id
        self.drawn.append(html)
        return SimpleNamespace(update=self.drawn.append)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    found = Shown()
    display = SimpleNamespace(HTML=str, display=found.display)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return found


def test_training_draws_its_progress(shown: Shown) -> None:
    adagram.train(SENTENCES, dim=4, min_count=1, threads=1, epochs=1, algorithm="skipgram-ns")
    assert "<progress value='200' max='200'" in shown.drawn[-1]
    assert "objective" in shown.drawn[-1]
    assert "bound" not in shown.drawn[-1]


def test_a_report_of_ones_own_takes_its_place(shown: Shown) -> None:
    heard: list[Any] = []
    adagram.train(SENTENCES, dim=4, min_count=1, threads=1, report=heard.append)
    assert isinstance(heard[0], StageProgress)
    assert heard[-1].words == heard[-1].total
    assert not shown.drawn


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
