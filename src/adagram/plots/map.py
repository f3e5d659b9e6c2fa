"""A map of senses: the senses of chosen words and their neighbours on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model import Model
from adagram.model.neighbours import SenseMap, marginal_senses, nearest, place, usual_min_count
from adagram.model.sheet import label_of
from adagram.plots.style import COLOURS, MARKERS, add_captions, new_figure, shortened, styled
from adagram.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox


_MAX_POINTS = 1_000
_ROOM = 72  # neighbours that fit on a figure of the usual size
_MIN_NEAR, _MAX_NEAR = 3, 12  # neighbours of a sense
_MAX_LARGE = 8  # more senses than that have smaller labels
_SMALL = 2.2  # radius of a neighbour's mark, in points
# Where a label may be, in radii from its point: near ones first; far ones, with a line, for senses that were asked for.
_NEAR, _FAR = (1.0, 1.8), (3.0, 4.5, 6.0, 8.0)
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))


def map_figure(model: Model, words: Sequence[str], top: int | None = None) -> Figure:
    """Large marks for the senses of `words`, small ones for their neighbours, in the colour of their sense.

    `top` neighbours of each; without it as many as the map has room for. Marginal senses are left out.
    """
    asked = _clear_senses(model, words)
    top = top or max(_MIN_NEAR, min(_MAX_NEAR, _ROOM // len(asked)))
    plane = place(model, asked, nearest(model, asked, top, usual_min_count(model)))
    if len(plane.rows) > _MAX_POINTS:
        raise InputError(
            f"{len(plane.rows)} senses are too many for one map; give fewer words or a lower --top"
        )
    names = model.names(plane.rows)
    with styled():
        size = min(1.4, max(1.0, (len(plane.rows) / _ROOM) ** 0.5))  # many marks need a larger sheet
        figure = new_figure(9 * size, 6.5 * size)
        axes = figure.subplots()
        radii = _draw_marks(axes, model, plane, names)
        x, y = plane.explained
        axes.set(xlabel=f"first direction ({x:.0%} of the variance)", ylabel=f"second direction ({y:.0%})")
        axes.set_title(
            "Senses of "
            + ", ".join(f"“{word}”" for word in dict.fromkeys(words))
            + " and their nearest senses"
        )
        axes.tick_params(labelbottom=False, labelleft=False, length=0)
        axes.margins(0.12, 0.08)
        add_captions(figure, model, plane.rows[: plane.n_asked].tolist(), range(plane.n_asked))
        if len(set(words)) > 1:
            _draw_legend(axes, words)
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
        axes.plot(
            x,
            y,
            marker,
            color=colour,
            markersize=2 * radii[i],
            markeredgecolor="white",
            markeredgewidth=0.7,
            zorder=2 if i < plane.n_asked else 3,  # a neighbour may lie within a large mark
        )
    return radii


def _clear_senses(model: Model, words: Sequence[str]) -> NDArray[np.int64]:
    """Rows of the senses of the words, but for those that lists leave out."""
    clear = []
    for word in dict.fromkeys(words):
        rows = np.arange(model.rows(word).start, model.rows(word).stop)
        clear.append(rows[~marginal_senses(model, word)])
    return np.concatenate(clear)


def _draw_legend(axes: Axes, words: Sequence[str]) -> None:
    """Which mark is which word's, below the map."""
    for i, word in enumerate(dict.fromkeys(words)):
        axes.plot([], [], MARKERS[i % len(MARKERS)], color="#4d4d4d", markersize=8, linestyle="", label=word)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.05), ncols=6)


def _draw_labels(
    figure: Figure, axes: Axes, model: Model, plane: SenseMap, names: list[str], radii: Floats
) -> None:
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
    axes: Axes,
    text: str,
    point: Floats,
    radius: float,
    taken: list[Bbox],
    is_asked: bool,
    look: dict[str, Any],
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
                line = {
                    "arrowstyle": "-",
                    "color": "#5a6068",
                    "linewidth": 0.7,
                    "shrinkA": 0,
                    "shrinkB": radius,
                }
                axes.annotate(
                    "", point.tolist(), label.get_position(), textcoords="offset points", arrowprops=line
                )
            return
    if not is_asked:
        label.remove()
