"""Figures of one word: its senses with their nearest senses, and its senses over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adagram.errors import InputError
from adagram.model import Model, Sense
from adagram.model.neighbours import usual_min_count
from adagram.model.sheet import label_of
from adagram.model.trends import NORMALISATIONS, SMOOTH, running_share
from adagram.plots.style import COLOURS, INKS, add_captions, new_figure, quiet_grid, shortened, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_AXIS = {
    "relative": "share of the word's uses",
    "global": "frequency (the word's mean over senses and epochs sums to 1)",
    "epoch": "frequency (1: the sense's own mean)",
}
_POINT = 40.0  # area of the point of the epoch with most uses
_COLUMNS = 3
_MAX_SENSES = 30
_INSIDE = 0.2  # a longer bar has its value inside


def senses_figure(model: Model, word: str, top: int = 10) -> Figure:
    """A bar for each sense, the most frequent first, above a panel of neighbours for each, and captions."""
    senses = sorted(model.senses(word, top, usual_min_count(model)), key=lambda sense: -sense.prior)
    if len(senses) > _MAX_SENSES:
        raise InputError(f"'{word}' has {len(senses)} senses; a figure has room for {_MAX_SENSES}")
    columns = min(_COLUMNS, len(senses))
    rows = -(-len(senses) // columns)
    with styled():
        bars, panel = 0.5 + 0.24 * len(senses), 0.8 + 0.24 * max(top, 1)
        figure = new_figure(max(6.5, 3.8 * columns), bars + 0.6 + panel * rows)
        # subfigures have margins of their own
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=[bars, panel * rows])[:, 0]
        _draw_priors(above.add_subplot(), word, senses)
        for i, sense in enumerate(senses):
            _draw_neighbours(below.add_subplot(rows, columns, i + 1), sense, top)
        shown = [model.row(sense.name) for sense in senses]
        add_captions(figure, model, shown, [_colour(sense) for sense in senses])
    return figure


def _draw_priors(axes: Axes, word: str, senses: list[Sense]) -> None:
    """A bar per sense with its name, its label and its prior."""
    names = [shortened(f"{s.name}  {s.label}".strip(), 36) for s in senses]
    _draw_bars(axes, names, [sense.prior for sense in senses], [_colour(sense) for sense in senses])
    axes.set_ylim(len(senses) - 0.4, -0.6)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_title(f"Priors of the senses of “{word}”")


def _colour(sense: Sense) -> int:
    """A sense has the colour of its number, as in the explorer."""
    return int(sense.name.rpartition("#")[2]) % len(COLOURS)


def _draw_neighbours(axes: Axes, sense: Sense, top: int) -> None:
    names = [shortened(near.name) for near in sense.neighbours]
    _draw_bars(axes, names, [near.similarity for near in sense.neighbours], [_colour(sense)] * len(names))
    axes.set_ylim(max(top, 1) - 0.4, -0.6)
    axes.set_xlabel("cosine")
    label = f"\n{shortened(sense.label, 28)}" if sense.label else ""
    axes.set_title(f"{sense.name}, prior {sense.prior:.3f}{label}", weight="bold", fontsize=9, loc="left")


def _draw_bars(axes: Axes, names: list[str], values: list[float], colours: list[int]) -> None:
    """Bars on an axis that ends at 1, each with its name and its value."""
    places = range(len(names))
    axes.barh(places, values, color=[COLOURS[i] for i in colours], height=0.72)
    for place, value, colour in zip(places, values, colours, strict=True):
        is_inside = value > _INSIDE
        axes.text(
            value - 0.015 if is_inside else max(value, 0) + 0.015,
            place,
            f"{value:.2f}",
            ha="right" if is_inside else "left",
            va="center",
            fontsize=8,
            color=INKS[colour] if is_inside else "#5a6068",
        )
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(min(0.0, *values, 0.0), 1.0), xticks=[0, 0.5, 1])


def trend_figure(model: Model, word: str, how: str = "relative") -> Figure:
    """Points for the epochs, larger with more uses, and a running mean for each sense of a word."""
    if how not in NORMALISATIONS:
        raise InputError(f"unknown normalisation '{how}'; choose {', '.join(NORMALISATIONS)}")
    kept = model.trends
    if kept is None:
        raise InputError(f"{model.folder} has no counts over time; run adagram trends first")
    names, series = kept.of_word(model, word, how)
    shares, uses = running_share(kept.counts_of_word(model, word))
    means = shares if how == "relative" else [_running_mean(values.tolist()) for values in series]
    rows, sizes = model.rows(word), _POINT * uses / max(float(uses.max()), 1e-9)
    with styled():
        figure = new_figure(9.5, 4.2)
        axes = figure.add_subplot()
        for i, name in enumerate(names):
            colour = COLOURS[i % len(COLOURS)]
            label = label_of(model, rows.start + i)
            axes.scatter(kept.times, series[i], sizes, color=colour, alpha=0.45, linewidths=0)
            title = shortened(f"{name}: {label}" if label else name, 48)
            axes.plot(kept.times, means[i], color=colour, linewidth=2, label=title)
        axes.set(xlabel="year", ylabel=_AXIS[how], ylim=(0, 1 if how == "relative" else None))
        axes.set_title(f"Senses of “{word}” over time")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))  # beside the lines
        quiet_grid(axes)
        add_captions(figure, model, range(rows.start, rows.stop), range(len(names)))
    return figure


def _running_mean(values: list[float]) -> list[float]:
    """The mean of the known values around each place."""
    half = SMOOTH // 2
    means = []
    for i in range(len(values)):
        known = [v for v in values[max(0, i - half) : i + half + 1] if v == v]
        means.append(sum(known) / len(known) if known else float("nan"))
    return means
