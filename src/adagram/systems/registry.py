"""From the name of an algorithm to its system."""

from __future__ import annotations

from importlib import import_module

from adagram.systems.base import System

_HOMES = {
    "adagram": ("adagram", "AdaGram"),
    "skipgram": ("skipgram", "SkipGram"),
    "skipgram-ns": ("skipgram_ns", "SkipGramNS"),
    "mpsg": ("mpsg", "MPSG"),
    "mssg": ("mssg", "MSSG"),
    "np-mssg": ("np_mssg", "NPMSSG"),
}


def system_class(algorithm: str) -> type[System]:
    module, name = _HOMES[algorithm]
    found: type[System] = getattr(import_module(f"adagram.systems.{module}"), name)
    return found
