"""The paper's figure 1: how many senses words have, by frequency; and how many at each resolution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model import Model
from adagram.plots.style import COLOURS, DASHES, MARKERS, new_figure, quiet_grid, styled
from adagram.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_BINS = 30
N_LEVELS = 51


def words_per_number_of_senses(model: Model) -> NDArray[np.int64]:
    """n_k: how many words have k senses, for k = 0, 1, …"""
    return np.bincount(np.diff(model.offsets))


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
            look = {
                "color": COLOURS[i],
                "marker": MARKERS[i],
                "linestyle": DASHES[i],
                "markersize": 4,
                "label": name,
            }
            n_k = words_per_number_of_senses(model)[1:]
            left.plot(np.arange(1, len(n_k) + 1), np.where(n_k > 0, n_k, np.nan), **look)
            logs, means = senses_by_frequency(model)
            right.plot(10.0**logs, means, **look)
            levels.plot(*senses_by_resolution(model), **look | {"marker": ""})
        left.set(xlabel="senses of a word, k", ylabel="words with k senses", yscale="log")
        left.set_ylim(bottom=0.8)
        left.set_title("How many senses words have")
        left.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        right.set(
            xlabel=f"frequency of the word, {N_BINS} bins", ylabel="mean number of senses", xscale="log"
        )
        right.set_ylim(bottom=0)
        right.set_title("Senses against frequency")
        levels.set(xlabel="resolution: 0 one sense, 1 as learned", ylabel="senses per word")
        levels.set_ylim(bottom=0)
        levels.set_title("Senses against resolution at use")
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
