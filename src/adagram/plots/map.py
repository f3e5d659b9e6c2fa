"""A map of senses: the senses of chosen words and their neighbours on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.neighbours import SenseMap, marginal_senses, nearest, place, usual_min_count
from adagram.plots.labels import Labeller
from adagram.plots.notes import add_notes
from adagram.plots.style import COLOURS, MARKERS, new_figure, shortened, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_POINTS = 1_000
_ROOM = 72  # neighbours for which the ordinary sheet has room
_LEAST, _MOST_NEAR = 3, 12  # neighbours of a sense
_FEW = 8  # senses whose labels may be large
_SMALL = 2.2  # radius of a neighbour's mark, in points


def map_figure(model: Model, words: Sequence[str], top: int | None = None) -> Figure:
    """Large marks for the senses of `words`, small ones for their neighbours, in the colour of their sense.

    `top` neighbours of each; without it as many as the map has room for. Marginal senses are left out.
    """
    asked = _clear_senses(model, words)
    top = top or max(_LEAST, min(_MOST_NEAR, _ROOM // len(asked)))
    plane = place(model, asked, nearest(model, asked, top, usual_min_count(model)))
    if len(plane.rows) > _MOST_POINTS:
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
        add_notes(figure, model, plane.rows[: plane.n_asked].tolist(), range(plane.n_asked))
        if len(set(words)) > 1:
            _draw_legend(axes, words)
        _draw_labels(Labeller(figure, axes, plane.points, radii), model, plane, names, radii)
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


def _draw_labels(labeller: Labeller, model: Model, plane: SenseMap, names: list[str], radii: Floats) -> None:
    """Every sense that was asked for has its name and label; a neighbour where there is room."""
    for i, name in enumerate(names):
        if i < plane.n_asked:
            label = shortened(model.label(int(plane.rows[i])), 30)
            text = f"{name}: {label}" if label else name
            size = 11 if plane.n_asked <= _FEW else 9.5
            labeller.place(text, plane.points[i], radii[i], is_needed=True, fontsize=size, weight="bold")
        else:
            labeller.place(name.rpartition("#")[0], plane.points[i], radii[i], fontsize=8)
