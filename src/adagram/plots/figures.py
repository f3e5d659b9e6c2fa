"""Figures of senses: those of a word, over time, on a map; and how many words have (the paper's figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.errors import InputError
from adagram.model import Model, Sense
from adagram.model.neighbours import marginal_senses, nearest, usual_min_count
from adagram.model.sheet import label_of
from adagram.model.trends import running_share
from adagram.plots.plane import SenseMap, place
from adagram.plots.style import COLOURS, DASHES, INKS, MARKERS, new_figure, quiet_grid, shortened, styled
from adagram.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox


_POINT = 40.0  # area of the point of the epoch with most uses
_COLUMNS = 3
_MAX_SENSES = 30
_INSIDE = 0.2  # a longer bar has its value inside
_INK = "#5a6068"


def senses_figure(model: Model, word: str, top: int = 10) -> Figure:
    """A bar for each sense, the most frequent first, above a panel of neighbours for each."""
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
        axes = above.add_subplot()
        names = [shortened(f"{s.name}  {s.label}".strip(), 36) for s in senses]
        _draw_bars(axes, names, [sense.prior for sense in senses], [_colour(sense) for sense in senses])
        axes.set_ylim(len(senses) - 0.4, -0.6)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_title(f"Priors of the senses of “{word}”")
        for i, sense in enumerate(senses):
            _draw_neighbours(below.add_subplot(rows, columns, i + 1), sense, top)
    return figure


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
    for y, value, colour in zip(places, values, colours, strict=True):
        x, side, ink = max(value, 0) + 0.015, "left", _INK
        if value > _INSIDE:
            x, side, ink = value - 0.015, "right", INKS[colour]
        axes.text(x, y, f"{value:.2f}", ha=side, va="center", fontsize=8, color=ink)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(min(0.0, *values, 0.0), 1.0), xticks=[0, 0.5, 1])


def trend_figure(model: Model, word: str) -> Figure:
    """The share of each sense of a word: points for the epochs, larger with more uses, and a running mean."""
    kept = model.trends
    if kept is None:
        raise InputError(f"{model.folder} has no counts over time; run adagram trends first")
    names, counts = model.names(model.rows(word)), kept.counts_of_word(model, word)
    series, uses = running_share(counts, 0)
    means, _ = running_share(counts)
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
        axes.set(xlabel="year", ylabel="share of the word's uses", ylim=(0, 1))
        axes.set_title(f"Senses of “{word}” over time")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))  # beside the lines
        quiet_grid(axes)
    return figure


N_BINS = 30
N_LEVELS = 51


def senses_by_frequency(model: Model, n_bins: int = N_BINS) -> tuple[Floats, Floats]:
    """Middles of equal bins of log10 frequency, and the mean number of senses of the words in each; no empty bins."""
    sizes = np.diff(model.offsets)
    logs = np.log10(np.maximum(model.vocabulary.counts, 1))
    edges = np.linspace(logs.min(), max(logs.max(), logs.min() + 1e-9), n_bins + 1)
    at = np.clip(np.searchsorted(edges, logs, side="right") - 1, 0, n_bins - 1)
    words = np.bincount(at, minlength=n_bins)
    total = np.bincount(at, sizes, minlength=n_bins)
    filled = words > 0
    return ((edges[:-1] + edges[1:]) / 2)[filled], total[filled] / words[filled]


def senses_by_resolution(model: Model, n_levels: int = N_LEVELS) -> tuple[Floats, Floats]:
    """Return levels from 0 to 1, and the mean number of senses per word at each (`Model.at`)."""
    levels = np.linspace(0.0, 1.0, n_levels)
    tree, n_words = model._merge_tree, len(model.vocabulary)
    heights = np.sort(tree.height[tree.into != np.arange(len(tree.into))])
    n_merged = len(heights) - np.searchsorted(heights, levels)
    return levels, (len(tree.into) - np.where(levels < 1.0, n_merged, 0)) / n_words


def resolution_figure(models: Mapping[str, Model]) -> Figure:
    """Draw the three panels for one or several models, named by the keys."""
    if len(models) > len(COLOURS):
        raise InputError(f"{len(models)} models are too many for one figure; give at most {len(COLOURS)}")
    with styled():
        from matplotlib.ticker import MaxNLocator, NullFormatter, StrMethodFormatter

        figure = new_figure(14, 4)
        left, right, levels = figure.subplots(1, 3)
        for i, (name, model) in enumerate(models.items()):
            look: dict[str, Any] = {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": DASHES[i], "markersize": 4}
            look["label"] = name
            n_k = np.bincount(np.diff(model.offsets))[1:]
            left.plot(np.arange(1, len(n_k) + 1), np.where(n_k > 0, n_k, np.nan), **look)
            logs, means = senses_by_frequency(model)
            right.plot(10.0**logs, means, **look)
            levels.plot(*senses_by_resolution(model), **look | {"marker": ""})
        left.set(title="How many senses words have", yscale="log", ylim=(0.8, None))
        left.set(xlabel="senses of a word, k", ylabel="words with k senses")
        left.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        right.set(title="Senses against frequency", xscale="log", ylim=(0, None))
        right.set(xlabel=f"frequency of the word, {N_BINS} bins", ylabel="mean number of senses")
        levels.set(title="Senses against resolution at use", ylim=(0, None))
        levels.set(xlabel="resolution: 0 one sense, 1 as learned", ylabel="senses per word")
        for axis in (left.yaxis, right.xaxis):
            axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axis.set_minor_formatter(NullFormatter())
        for axes in (left, right, levels):
            quiet_grid(axes)
        if len(models) > 1:
            right.legend(frameon=False, loc="best")
        else:
            figure.suptitle(next(iter(models)))
    return figure


_MAX_POINTS = 1_000
_ROOM = 72  # neighbours that fit on a figure of the usual size
_MIN_NEAR, _MAX_NEAR = 3, 12  # neighbours of a sense
_MAX_LARGE = 8  # more senses than that have smaller labels
_SMALL = 2.2  # radius of a neighbour's mark, in points
# Where a label may be, in radii from its point: near ones first; far ones, with a line, for senses that were asked for.
_NEAR, _FAR = (1.0, 1.8), (3.0, 4.5, 6.0, 8.0)
_LINE = {"arrowstyle": "-", "color": _INK, "linewidth": 0.7, "shrinkA": 0}
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))


def map_figure(model: Model, words: Sequence[str], top: int | None = None) -> Figure:
    """Large marks for the senses of `words`, small ones for their neighbours, in the colour of their sense.

    `top` neighbours of each; without it as many as the map has room for. Marginal senses are left out.
    """
    rows = {word: np.arange(model.n_senses)[model.rows(word)] for word in words}
    asked = np.concatenate([rows[word][~marginal_senses(model, word)] for word in rows])
    top = top or max(_MIN_NEAR, min(_MAX_NEAR, _ROOM // len(asked)))
    plane = place(model, asked, nearest(model, asked, top, usual_min_count(model)))
    if len(plane.rows) > _MAX_POINTS:
        raise InputError(f"{len(plane.rows)} senses are too many for one map; give fewer words or a lower --top")
    names = model.names(plane.rows)
    with styled():
        size = min(1.4, max(1.0, (len(plane.rows) / _ROOM) ** 0.5))  # many marks need a larger sheet
        figure = new_figure(9 * size, 6.5 * size)
        axes = figure.subplots()
        radii = _draw_marks(axes, model, plane, names)
        x, y = plane.explained
        axes.set(xlabel=f"first direction ({x:.0%} of the variance)", ylabel=f"second direction ({y:.0%})")
        named = ", ".join(f"“{word}”" for word in rows)
        axes.set_title(f"Senses of {named} and their nearest senses")
        axes.tick_params(labelbottom=False, labelleft=False, length=0)
        axes.margins(0.12, 0.08)
        if len(rows) > 1:
            for i, word in enumerate(rows):  # which mark is which word's, below the map
                axes.plot([], [], MARKERS[i % len(MARKERS)], color="#4d4d4d", markersize=8, linestyle="", label=word)
            axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.05), ncols=6)
        _draw_labels(figure, axes, model, plane, names, radii)
    return figure


def _draw_marks(axes: Axes, model: Model, plane: SenseMap, names: list[str]) -> Floats:
    """Marks and lines to the owner; returns the radius of every mark in points."""
    radii = np.full(len(plane.rows), _SMALL)
    radii[: plane.n_asked] = 5 + 6 * np.sqrt(model.priors[plane.rows[: plane.n_asked]])
    words = list(dict.fromkeys(name.rpartition("#")[0] for name in names[: plane.n_asked]))
    for i, owner in enumerate(plane.owner.tolist()):
        colour = COLOURS[owner % len(COLOURS)]
        marker = MARKERS[words.index(names[owner].rpartition("#")[0]) % len(MARKERS)]
        if i >= plane.n_asked:
            ends = plane.points[[owner, i]]
            axes.plot(ends[:, 0], ends[:, 1], color=colour, alpha=0.25, linewidth=0.8, zorder=1)
        x, y = plane.points[i]
        edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.7}
        above = 2 if i < plane.n_asked else 3  # a neighbour may lie within a large mark
        axes.plot(x, y, marker, color=colour, markersize=2 * radii[i], zorder=above, **edge)
    return radii


def _draw_labels(figure: Figure, axes: Axes, model: Model, plane: SenseMap, names: list[str], radii: Floats) -> None:
    """Name every sense that was asked for, and the neighbours that have room for it."""
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()  # the layout must be final before anything is measured
    figure.set_layout_engine("none")
    centres, reach = axes.transData.transform(plane.points), (radii * figure.dpi / 72)[:, None]
    taken = [Bbox(corners) for corners in np.stack([centres - reach, centres + reach], axis=1)]
    for i, name in enumerate(names):
        is_asked = i < plane.n_asked
        text = name.rpartition("#")[0]
        look: dict[str, Any] = {"fontsize": 8}
        if is_asked:
            label = shortened(label_of(model, int(plane.rows[i])), 30)
            text = f"{name}: {label}" if label else name
            look = {"fontsize": 11 if plane.n_asked <= _MAX_LARGE else 9.5, "weight": "bold"}
        _place(axes, text, plane.points[i], float(radii[i]) + 2.5, taken, is_asked, look)


def _place(
    axes: Axes, text: str, point: Floats, radius: float, taken: list[Bbox], is_asked: bool, look: dict[str, Any]
) -> None:
    """Write `text` at the first place beside a point that is free; without one only if it was asked for."""
    frame = axes.get_window_extent()
    label = axes.annotate(text, point.tolist(), xytext=(radius, 0), textcoords="offset points", **look)
    for far, (dx, dy) in product(_NEAR + _FAR if is_asked else _NEAR, _DIRECTIONS):
        label.set_position((dx * far * radius, dy * far * radius))
        label.set_horizontalalignment("center" if dx == 0 else "left" if dx > 0 else "right")
        label.set_verticalalignment("center" if dy == 0 else "bottom" if dy > 0 else "top")
        box = label.get_window_extent()
        is_inside = np.all(box.min >= frame.min) and np.all(box.max <= frame.max)
        if is_inside and not box.count_overlaps(taken):
            taken.append(box)
            if far in _FAR:
                line = _LINE | {"shrinkB": radius}
                at = label.get_position()
                axes.annotate("", point.tolist(), at, textcoords="offset points", arrowprops=line)
            return
    if not is_asked:
        label.remove()
