"""Labels beside points, none over another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# Offsets in points from the middle of a point, and the corner of the text that is put there.
_SPOTS = [
    (dx * far, dy * far, horizontal, vertical)
    for far in (1.0, 1.8)
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


class Labeller:
    """Places texts one after the other, important ones first; what has no room is left out."""

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

    def place(self, text: str, point: Floats, radius: float, **look: Any) -> bool:
        """Write `text` beside a point where it hides nothing; False if there is no such place."""
        for dx, dy, horizontal, vertical in _SPOTS:
            label = self.axes.annotate(
                text,
                (float(point[0]), float(point[1])),
                xytext=(dx * (radius + 2.5), dy * (radius + 2.5)),
                textcoords="offset points",
                ha=horizontal,
                va=vertical,
                **look,
            )
            if self._is_free(label):
                self.taken = np.vstack([self.taken, label.get_window_extent(self.renderer).extents])
                return True
            label.remove()
        return False

    def _is_free(self, label: Text) -> bool:
        left, bottom, right, top = label.get_window_extent(self.renderer).extents
        frame = self.frame
        if left < frame[0] or bottom < frame[1] or right > frame[2] or top > frame[3]:
            return False
        apart = (
            (self.taken[:, 0] >= right)
            | (self.taken[:, 2] <= left)
            | (self.taken[:, 1] >= top)
            | (self.taken[:, 3] <= bottom)
        )
        return bool(apart.all())
