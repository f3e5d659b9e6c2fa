"""A map of senses: the senses of chosen words and their neighbours on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from adagram.arrays import Floats
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.projection import SenseMap, sense_map
from adagram.plots.labels import Labeller
from adagram.plots.style import COLOURS, MARKERS, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_POINTS = 1_000
_SMALL = 2.2  # radius of a neighbour's mark, in points


def map_figure(model: Model, words: Sequence[str], top: int = 12) -> Figure:
    """Large marks for the senses of `words`, small ones for their neighbours, in the colour of their sense."""
    plane = sense_map(model, words, top)
    if len(plane.rows) > _MOST_POINTS:
        raise InputError(
            f"{len(plane.rows)} senses are too many for one map; give fewer words or a lower --top"
        )
    names = model.names(plane.rows)
    with styled():
        figure = new_figure(9, 6.5)
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
        labels = [model.label(row) for row in plane.rows[: plane.n_asked].tolist()]
        titles = [f"{name}: {label}" if label else name for name, label in zip(names, labels, strict=False)]
        _draw_labels(
            Labeller(figure, axes, plane.points, radii), plane, titles + names[plane.n_asked :], radii
        )
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


def _draw_labels(labeller: Labeller, plane: SenseMap, names: list[str], radii: Floats) -> None:
    for i, name in enumerate(names):
        if i < plane.n_asked:
            labeller.place(name, plane.points[i], radii[i], fontsize=12, weight="bold")
        else:
            labeller.place(name.rpartition("#")[0], plane.points[i], radii[i], fontsize=8.5)
