"""Figures show what the model holds, in every format, and are readable."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from adagram.cli import main
from adagram.model import Model
from tests_support import planted, train_in_memory

pytest.importorskip("matplotlib")

from matplotlib.image import imread
from matplotlib.text import Text

from adagram.errors import InputError
from adagram.plots import map_figure, resolution_figure, save, senses_figure
from adagram.plots.figures import senses_by_frequency
from adagram.plots.style import new_figure, styled


def test_resolution_counts_words_by_number_of_senses(planted_model: Model) -> None:
    sizes = np.diff(planted_model.offsets)
    figure = resolution_figure({"planted": planted_model})
    left, right, levels = figure.axes
    resolutions, means = levels.lines[0].get_data()
    for at in (0.0, 0.5, 1.0):
        assert means[list(resolutions).index(at)] == planted_model.at(at).n_senses / len(planted_model)
    (line,) = left.lines
    np.testing.assert_allclose(line.get_ydata(), [(sizes == k).sum() for k in line.get_xdata()])
    assert left.get_yscale() == right.get_xscale() == "log"
    figure.draw_without_rendering()
    assert "1" in [label.get_text() for label in left.get_yticklabels()]  # numbers, not powers
    (line,) = right.lines
    np.testing.assert_allclose(line.get_ydata().max(), 2.0)  # the planted word, alone in the bin of the most frequent


def test_bins_hold_every_word_once(planted_model: Model) -> None:
    middles, means = senses_by_frequency(planted_model, n_bins=1)
    assert len(middles) == 1
    assert means[0] == pytest.approx(planted_model.n_senses / len(planted_model.vocabulary))
    middles, means = senses_by_frequency(planted_model)
    assert np.all(np.diff(middles) > 0)
    assert np.all(means >= 1)


def test_several_models_are_told_apart(planted_model: Model) -> None:
    other = train_in_memory(planted(n_topics=3, n_sentences=200), dim=8, threads=1)
    figure = resolution_figure({"first": planted_model, "second": other})
    left, right, _ = figure.axes
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in left.lines}
    assert len(looks) == 2
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["first", "second"]
    with pytest.raises(InputError, match="too many"):
        resolution_figure({str(i): other for i in range(9)})


def test_senses_figure_shows_priors_and_neighbours(planted_model: Model) -> None:
    figure = senses_figure(planted_model, "planted", top=4)
    priors, *panels = figure.axes
    expected = sorted(planted_model.senses("planted", 4), key=lambda sense: -sense.prior)
    assert [bar.get_width() for bar in priors.patches] == pytest.approx([sense.prior for sense in expected])
    for axes, sense in zip(panels, expected, strict=True):
        assert sense.name in axes.get_title(loc="left")
        assert [label.get_text() for label in axes.get_yticklabels()] == [n.name for n in sense.neighbours]
    for axes in figure.axes:
        assert axes.get_xlim()[1] == 1.0
        assert len(axes.texts) == len(axes.get_yticklabels()) == len(axes.patches)  # every bar has name and value


def test_figures_show_the_labels_of_an_editor(planted_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(planted_folder, tmp_path / "model")
    model = Model.load(tmp_path / "model").decide("label planted#1 the second topic")
    priors, *panels = senses_figure(model, "planted", top=2).axes
    assert any("the second topic" in label.get_text() for label in priors.get_yticklabels())
    assert any("the second topic" in axes.get_title(loc="left") for axes in panels)
    (axes,) = map_figure(model, ["planted"]).axes
    assert "planted#1: the second topic" in {text.get_text() for text in axes.texts}


def test_a_crowded_map_of_several_words_names_every_sense(planted_model: Model) -> None:
    words = ["planted", *[f"topic{k}x{i}" for k in (0, 1) for i in range(10)]]
    figure = map_figure(planted_model, words)
    (axes,) = figure.axes
    asked = {name for word in words for name in planted_model.names(planted_model.rows(word))}
    labels = {text.get_text(): text for text in axes.texts}
    assert asked <= set(labels)
    renderer, frame = figure.canvas.get_renderer(), axes.get_window_extent()
    boxes = [Text.get_window_extent(labels[name], renderer) for name in sorted(asked)]
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
    over = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    assert over == 0
    assert [text.get_text() for text in axes.get_legend().get_texts()] == words


def test_map_labels_lie_over_nothing(planted_model: Model) -> None:
    figure = map_figure(planted_model, ["planted", "topic0x1"], top=10)
    (axes,) = figure.axes
    renderer = figure.canvas.get_renderer()
    labels = [text for text in axes.texts if text.get_text()]
    assert {"planted#0", "planted#1", "topic0x1#0"} <= {label.get_text() for label in labels}
    boxes = [label.get_window_extent(renderer) for label in labels]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("A.PDF", b"%PDF")])
def test_the_ending_chooses_the_format(planted_model: Model, tmp_path: Path, name: str, start: bytes) -> None:
    save(senses_figure(planted_model, "planted", top=3), tmp_path / name)
    first = (tmp_path / name).read_bytes()
    assert first.startswith(start)
    save(senses_figure(planted_model, "planted", top=3), tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_bytes() == first  # nothing in the file depends on when it was drawn
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_words_are_never_read_as_formulas(planted_model: Model, tmp_path: Path) -> None:
    vocabulary = planted_model.vocabulary
    odd = [r"$\frac{x$", "$^$", "<b>&", "a\u0301"]
    renamed = Model(
        planted_model.arrays, type(vocabulary)([*odd, *vocabulary.words[4:]], vocabulary.counts), planted_model.info
    )
    save(map_figure(renamed, odd[:2]), tmp_path / "map.svg")
    save(senses_figure(renamed, odd[0]), tmp_path / "senses.png")
    save(resolution_figure({"$^$": renamed}), tmp_path / "resolution.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.svg", "resolution.pdf", "senses.png"]


@pytest.mark.filterwarnings("error")
def test_characters_without_a_glyph_are_reported(tmp_path: Path) -> None:
    with styled():
        figure = new_figure(2, 2)
        figure.text(0.5, 0.5, "a\U000fffff")
    assert save(figure, tmp_path / "a.png") == "\U000fffff"


def test_commands_write_figures(planted_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(planted_folder)
    for arguments in (["senses", model, "planted"], ["resolution", model, model], ["map", model, "planted"]):
        target = tmp_path / f"{arguments[0]}.png"
        with pytest.raises(SystemExit) as stop:
            main(["plot", *arguments, "-o", str(target)])
        assert stop.value.code == 0
        picture = imread(target)
        assert picture.std() > 0.02  # something is drawn
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("wrote") == 3


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["planted", "-o", "x.jpg"], "must end in .png, .svg, .pdf"),
        (["planted", "-o", "no/such/folder/x.png"], "there is no folder"),
        (["plnated", "-o", "x.png"], "planted"),
    ],
)
def test_mistakes_are_one_sentence(
    planted_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    part: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["plot", "senses", str(planted_folder), *arguments])
    err = capsys.readouterr().err
    assert stop.value.code == 1
    assert part in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_figures_inline(planted_model: Model) -> None:
    figure = map_figure(planted_model, ["planted"])
    assert figure._repr_png_().startswith(b"\x89PNG")
