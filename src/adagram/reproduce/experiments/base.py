"""What an experiment is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adagram.reproduce.lab import Lab
from adagram.reproduce.lineup import Entry
from adagram.reproduce.result import Result


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str  # in a few words, with the paper's name for it
    entries: tuple[Entry, ...]  # models it needs
    run: Callable[[Lab], Result]
