"""The senses of one word: priors, and the nearest senses of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adagram.errors import InputError
from adagram.model import Model, Sense
from adagram.plots.style import COLOURS, INKS, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_MOST = 30


def senses_figure(model: Model, word: str, top: int = 10) -> Figure:
    """A bar of priors above a panel of neighbours for each sense."""
    senses = model.senses(word, top)
    if len(senses) > _MOST:
        raise InputError(f"'{word}' has {len(senses)} senses; a figure has room for {_MOST}")
    columns = min(_COLUMNS, len(senses))
    rows = -(-len(senses) // columns)
    with styled():
        panel = 0.8 + 0.24 * max(top, 1)
        figure = new_figure(max(5.0, 3.6 * columns), 1.3 + panel * rows)
        grid = figure.add_gridspec(rows + 1, columns, height_ratios=[0.55, *[panel] * rows])
        _draw_priors(figure.add_subplot(grid[0, :]), word, senses)
        for i, sense in enumerate(senses):
            axes = figure.add_subplot(grid[1 + i // columns, i % columns])
            _draw_neighbours(axes, sense, COLOURS[i % len(COLOURS)], top)
    return figure


def _draw_priors(axes: Axes, word: str, senses: list[Sense]) -> None:
    left = 0.0
    for i, sense in enumerate(senses):
        axes.barh(0, sense.prior, left=left, color=COLOURS[i % len(COLOURS)], edgecolor="white", linewidth=2)
        number = sense.name.rpartition("#")[2]
        if sense.prior > 0.04:
            axes.text(
                left + sense.prior / 2,
                0,
                f"#{number}",
                ha="center",
                va="center",
                color=INKS[i % len(INKS)],
                weight="bold",
            )
        left += sense.prior
    axes.set(xlim=(0, 1), yticks=[], xticks=[0, 0.25, 0.5, 0.75, 1])
    axes.set_title(f"Priors of the senses of “{word}”")
    axes.spines[["left", "bottom"]].set_visible(False)


def _draw_neighbours(axes: Axes, sense: Sense, colour: str, top: int) -> None:
    names = [near.name for near in sense.neighbours]
    values = [near.similarity for near in sense.neighbours]
    axes.barh(range(len(names)), values, color=colour, height=0.72)
    for place, value in enumerate(values):
        axes.text(max(value, 0) + 0.02, place, f"{value:.2f}", va="center", fontsize=8, color="#5a6068")
    axes.set_yticks(range(len(names)), [_shortened(name) for name in names])
    axes.set(xlim=(min(0.0, *values, 0.0), 1.12), ylim=(max(top, 1) - 0.4, -0.6), xticks=[0, 0.5, 1])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("cosine")
    title = f"{sense.name}, prior {sense.prior:.3f}"
    axes.set_title(
        f"{title}\n{_shortened(sense.label, 40)}" if sense.label else title, weight="bold", loc="left"
    )


def _shortened(name: str, longest: int = 24) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
