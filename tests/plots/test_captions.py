"""Captions show what the sense sheet has: collocates and an example of each sense, readable."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adagram.analysis.epochs import Epoch
from adagram.analysis.frequencies import Frequencies
from adagram.model import Model
from adagram.model.sheet import SHEET, Collocate, Entry, Example

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from adagram.plots import map_figure, senses_figure, trend_figure

FIGURES: dict[str, Callable[[Model], Figure]] = {
    "senses": lambda model: senses_figure(model, "planted", 3),
    "map": lambda model: map_figure(model, ["planted", "topic0x1"], 3),
    "trend": lambda model: trend_figure(model, "planted"),
}
SHORT = "This is what planted means."
LONG = " ".join(f"before{i}" for i in range(30)) + " the planted word " + "after " * 40


def entry(sense: str, collocates: list[str], examples: list[str]) -> Entry:
    found = [Collocate(word, 5, 6, 10.0, 9.0) for word in collocates]
    return Entry(sense, 3.0, 3, "", 3, 3, 3, found, [Example(text, "a", "1999", 0.9) for text in examples])


@pytest.fixture
def make(planted_folder: Path, tmp_path: Path) -> Callable[..., Model]:
    """The planted model with counts over time, and a sheet if entries are given."""

    def made(*entries: Entry) -> Model:
        folder = tmp_path / "model"
        shutil.copytree(planted_folder, folder)
        model, epochs = Model.load(folder), [Epoch(1990.0 + i, str(1990 + i)) for i in range(9)]
        counts = np.ones((model.n_senses, len(epochs)))
        Frequencies(epochs, counts, counts.sum(axis=0), len(epochs)).to_keep(model).keep(folder)
        if entries:
            (folder / SHEET).write_text("".join(one.to_json() + "\n" for one in entries))
        return Model.load(folder)

    return made


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_collocates_and_examples_stand_below_the_figure(make: Callable[..., Model], draw) -> None:
    model = make(entry("planted#0", ["red", "blue"], [SHORT]), entry("planted#1", [], [LONG]))
    figure = draw(model)
    lines = [line.strip() for line in figure.get_supxlabel().splitlines()]
    assert lines[:3] == ["planted#0:  red, blue", SHORT, "planted#1:"]
    assert lines[3].startswith("… before")
    assert "the planted word" in lines[3]
    assert lines[3].endswith("after …")
    figure.draw_without_rendering()
    box = figure._supxlabel.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
    assert box.y0 >= 0
    assert box.y1 <= min(axes.get_tightbbox().y0 for axes in figure.axes)


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_there_is_no_caption_if_the_sheet_has_nothing(make: Callable[..., Model], draw) -> None:
    assert not draw(make(entry("planted#0", [], []))).get_supxlabel()


def test_titles_stay_inside_the_figure(make: Callable[..., Model]) -> None:
    model = make().decide("label planted#0 a label that is far too long to be read in one line")
    figure = senses_figure(model, "planted", 3)
    figure.draw_without_rendering()
    for axes in figure.axes:
        assert axes.get_tightbbox().x1 <= figure.bbox.x1
        assert axes._left_title.get_window_extent().x1 <= figure.bbox.x1
