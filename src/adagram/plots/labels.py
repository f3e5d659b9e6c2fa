"""Labels beside points, none over another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

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
