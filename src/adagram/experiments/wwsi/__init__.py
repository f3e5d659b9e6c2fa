"""Build WWSI (Wikipedia word-sense induction) from a dump, as in the paper's supplement, section 3."""

from __future__ import annotations

from adagram.experiments.wwsi.build import DataSet, Files, build
from adagram.experiments.wwsi.rules import SenseRules, default_config, load_rules

__all__ = ["DataSet", "Files", "SenseRules", "build", "default_config", "load_rules"]
