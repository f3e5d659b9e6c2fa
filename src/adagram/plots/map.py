"""A map of senses: the senses of chosen words and their neighbours on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.neighbours import nearest, usual_min_count
from adagram.model.projection import SenseMap, place
from adagram.model.ranking import marginal_senses
from adagram.plots.captions import add_notes
from adagram.plots.style import COLOURS, MARKERS, new_figure, shortened, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox


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


# Offsets in points from the middle of a point, and the corner of the text that is put there.
_SPOTS = [
    (dx * far, dy * far, horizontal, vertical)
    for far in (1.0, 1.8, 3.0, 4.5, 6.0, 8.0)
    for dx, dy, horizontal, vertical in (
        (1.0, 0.0, "left", "center"),
        (-1.0, 0.0, "right", "center"),
        (0.0, 1.0, "center", "bottom"),
        (0.0, -1.0, "center", "top"),
        (0.8, 0.8, "left", "bottom"),
        (-0.8, 0.8, "right", "bottom"),
        (0.8, -0.8, "left", "top"),
        (-0.8, -0.8, "right", "top"),
    )
]


_NEAR = 16  # spots that need no line to their point


class Labeller:
    """Places texts one after the other, important ones first."""

    def __init__(self, figure: Figure, axes: Axes, points: Floats, radii: Floats) -> None:
        self.axes = axes
        figure.draw_without_rendering()  # the layout must be final before anything is measured
        figure.set_layout_engine("none")
        self.renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        self.pixels = figure.dpi / 72
        centres = axes.transData.transform(points)
        reach = (radii * self.pixels)[:, None]
        self.taken = np.hstack(
            [centres - reach, centres + reach]
        )  # (n, 4) left, bottom, right, top in pixels
        self.frame = axes.get_window_extent(self.renderer).extents

    def place(self, text: str, point: Floats, radius: float, is_needed: bool = False, **look: Any) -> bool:
        """Write `text` beside a point where it hides nothing; False if there is no such place.

        One that is needed goes further away, with a line to its point, or where it hides least.
        """
        least, best = np.inf, -1
        for i in range(len(_SPOTS) if is_needed else _NEAR):
            label = self._write(text, point, radius, i, look)
            hidden = self._hidden(label)
            label.remove()
            if hidden < least:
                least, best = hidden, i
            if hidden == 0:
                break
        if best < 0 or (least > 0 and not is_needed):
            return False
        label = self._write(text, point, radius, best, look)
        self.taken = np.vstack([self.taken, self._box(label).extents])
        return True

    def _write(self, text: str, point: Floats, radius: float, spot: int, look: dict[str, Any]) -> Annotation:
        dx, dy, horizontal, vertical = _SPOTS[spot]
        edge = (0.5 - 0.5 * np.sign(dx), 0.5 - 0.5 * np.sign(dy))  # of the text, towards the point
        line = {
            "arrowstyle": "-",
            "color": "#5a6068",
            "linewidth": 0.7,
            "relpos": edge,
            "shrinkA": 0,
            "shrinkB": radius,
        }
        return self.axes.annotate(
            text,
            (float(point[0]), float(point[1])),
            xytext=(dx * (radius + 2.5), dy * (radius + 2.5)),
            textcoords="offset points",
            ha=horizontal,
            va=vertical,
            arrowprops=line if spot >= _NEAR else None,
            **look,
        )

    def _box(self, label: Annotation) -> Bbox:
        """Where the text is, without the line."""
        from matplotlib.text import Text

        label.update_positions(self.renderer)
        return Text.get_window_extent(label, self.renderer)

    def _hidden(self, label: Annotation) -> float:
        """The area of marks and labels that it lies over, in pixels; infinite outside of the frame."""
        left, bottom, right, top = self._box(label).extents
        frame = self.frame
        if left < frame[0] or bottom < frame[1] or right > frame[2] or top > frame[3]:
            return np.inf
        width = np.minimum(self.taken[:, 2], right) - np.maximum(self.taken[:, 0], left)
        height = np.minimum(self.taken[:, 3], top) - np.maximum(self.taken[:, 1], bottom)
        return float((np.maximum(width, 0) * np.maximum(height, 0)).sum())
