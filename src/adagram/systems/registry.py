"""From the name of an algorithm to its system."""

from __future__ import annotations

from importlib import import_module

from adagram.config import ALGORITHMS
from adagram.systems.base import System


def system_class(algorithm: str) -> type[System]:
    """Return the class of an algorithm, which `adagram.config.ALGORITHMS` names."""
    module, _, name = ALGORITHMS[algorithm].system.rpartition(".")
    found: type[System] = getattr(import_module(f"adagram.systems.{module}"), name)
    return found
