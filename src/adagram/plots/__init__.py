"""Figures of models: how many senses words have, the senses of a word, also over time, and maps of senses."""

from adagram.plots.figures import map_figure, resolution_figure, senses_figure, trend_figure
from adagram.plots.style import save

__all__ = ["map_figure", "resolution_figure", "save", "senses_figure", "trend_figure"]
