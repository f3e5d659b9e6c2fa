"""Figures of the experiments: curves, dots with intervals, bars of senses, in a colour-blind-safe palette."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adagram.plots.style import COLOURS, MARKERS, new_figure, quiet_grid, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#767676"
DARK = frozenset({"#0072b2", "#d55e00", "#009e73", "#8a8000", "#4d4d4d"})  # white text is readable on these


@dataclass(frozen=True)
class Curve:
    label: str
    x: Sequence[float]
    y: Sequence[float]
    is_reference: bool = False  # drawn grey and dashed
    is_level: bool = False  # a value that does not depend on x


@dataclass(frozen=True)
class Panel:
    """One pair of axes of curves."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_x: bool = False


@dataclass(frozen=True)
class Dot:
    """A score with its interval, and the paper's beside it."""

    label: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    paper: float | None = None


def curves_figure(panels: Sequence[Panel]) -> Figure:
    """Panels side by side with one legend."""
    with styled():
        figure = new_figure(4.6 * len(panels), 4.2)
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for ax, panel in zip(axes, panels, strict=True):
            _draw_curves(ax, panel.curves)
            ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
            quiet_grid(ax)
            if panel.log_x:
                _plain_log_axis(ax, panel)
        handles = {label: h for ax in axes for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        columns = min(len(handles), 5)
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _draw_curves(ax: Any, curves: Sequence[Curve]) -> None:
    for number, curve in enumerate(curves):
        look: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4.5}
        if curve.is_level:
            look = {"color": COLOURS[number], "linestyle": ":" if number % 2 else "-."}
        if curve.is_reference:
            look = {"color": GREY, "linestyle": "--"}
        ax.plot(curve.x, curve.y, label=curve.label, linewidth=1.5, **look)


def _plain_log_axis(ax: Any, panel: Panel) -> None:
    ax.set_xscale("log")
    ticks = _apart(sorted({x for curve in panel.curves for x in curve.x}))
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()


def _apart(values: Sequence[float], room: float = 0.09) -> list[float]:
    """Return the values at least `room` of a logarithmic axis apart, so that tick labels do not overlap.

    >>> _apart([0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 4, 16])
    [0.05, 0.1, 0.2, 0.5, 1, 4, 16]
    """
    gap = (values[-1] / values[0]) ** room
    kept = [values[0]]
    for value in values[1:]:
        if value > kept[-1] * gap:
            kept.append(value)
    return kept


def dots_figure(panels: Mapping[str, Sequence[Dot]], x_label: str) -> Figure:
    """A panel per set, a row per system; the interval as a line, the paper's value as an open diamond."""
    rows = max(len(dots) for dots in panels.values())
    with styled():
        figure = new_figure(2.0 + 2.6 * len(panels), 1.5 + 0.34 * rows)
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for ax, (title, dots) in zip(axes, panels.items(), strict=True):
            for y, dot in enumerate(dots):
                colour = COLOURS[1] if dot.label.startswith("AdaGram") else COLOURS[0]
                ax.plot([dot.low, dot.high], [y, y], color=colour, linewidth=2, alpha=0.5)
                ax.plot(dot.value, y, "o", color=colour, markersize=6)
                if dot.paper is not None:
                    ax.plot(dot.paper, y, "D", markerfacecolor="none", markeredgecolor="black", markersize=6)
            ax.set(title=title, xlabel=x_label)
            ax.set_yticks(range(len(dots)), [dot.label for dot in dots])
            ax.set_ylim(len(dots) - 0.5, -0.5)
            quiet_grid(ax)
        figure.legend(handles=_dot_legend(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def _dot_legend() -> list[Any]:
    from matplotlib.lines import Line2D

    def handle(label: str, **look: Any) -> Any:
        return Line2D([], [], linestyle="none", label=label, **look)

    return [
        handle("AdaGram (line: 95 % interval)", marker="o", color=COLOURS[1]),
        handle("other systems", marker="o", color=COLOURS[0]),
        handle("the paper's value", marker="D", markerfacecolor="none", markeredgecolor="black"),
    ]


def sense_bars_figure(bars: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> Figure:
    """A bar per word, cut by the priors of its senses; each part is named by its nearest neighbour."""
    with styled():
        figure = new_figure(9.0, 0.8 + 0.46 * len(bars))
        ax = figure.subplots()
        for y, (_, senses) in enumerate(bars):
            left = 0.0
            for number, (prior, neighbours) in enumerate(senses):
                colour = COLOURS[number % len(COLOURS)]
                ax.barh(y, prior, left=left, color=colour, edgecolor="white", height=0.78)
                name = neighbours.split(",")[0]
                if prior > 0.013 * len(name) + 0.01:  # there is room for it
                    ink = "white" if colour in DARK else "black"
                    ax.text(left + prior / 2, y, name, color=ink, ha="center", va="center", fontsize=9)
                left += prior
        ax.set_yticks(range(len(bars)), [label for label, _ in bars])
        ax.set(xlim=(0, 1), ylim=(len(bars) - 0.5, -0.5))
        ax.set_xlabel("prior of the sense; each named by its nearest neighbour")
    return figure
