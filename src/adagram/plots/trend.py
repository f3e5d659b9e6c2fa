"""The senses of a word over time: a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adagram.errors import InputError
from adagram.maths.frequencies import NORMALISATIONS
from adagram.model import Model
from adagram.plots.notes import add_notes
from adagram.plots.style import COLOURS, new_figure, quiet_grid, shortened, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AXIS = {
    "relative": "share of the word's uses",
    "global": "frequency (the word's mean over senses and epochs sums to 1)",
    "epoch": "frequency (1: the sense's own mean)",
}
_SMOOTH = 5  # epochs of the running mean that is drawn over the values


def trend_figure(model: Model, word: str, how: str = "relative") -> Figure:
    """Points for the epochs and a running mean for each sense of a word."""
    if how not in NORMALISATIONS:
        raise InputError(f"unknown normalisation '{how}'; choose {', '.join(NORMALISATIONS)}")
    kept = model.trends
    if kept is None:
        raise InputError(f"{model.folder} has no counts over time; run adagram trends first")
    names, series = kept.of_word(model, word, how)
    rows = model.rows(word)
    with styled():
        figure = new_figure(9.5, 4.2)
        axes = figure.add_subplot()
        for i, name in enumerate(names):
            colour = COLOURS[i % len(COLOURS)]
            label = model.label(rows.start + i)
            axes.plot(kept.times, series[i], ".", color=colour, alpha=0.45, markersize=5)
            title = shortened(f"{name}: {label}" if label else name, 48)
            axes.plot(kept.times, _running_mean(series[i].tolist()), color=colour, linewidth=2, label=title)
        axes.set(xlabel="year", ylabel=_AXIS[how], ylim=(0, 1 if how == "relative" else None))
        axes.set_title(f"Senses of “{word}” over time")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))  # beside the lines
        quiet_grid(axes)
        add_notes(figure, model, range(rows.start, rows.stop), range(len(names)))
    return figure


def _running_mean(values: list[float]) -> list[float]:
    """The mean of the known values around each place."""
    half = _SMOOTH // 2
    means = []
    for i in range(len(values)):
        known = [v for v in values[max(0, i - half) : i + half + 1] if v == v]
        means.append(sum(known) / len(known) if known else float("nan"))
    return means
