"""What an experiment is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adagram.reproduce.models import Variant
from adagram.reproduce.result import Result
from adagram.reproduce.setup import Setup


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str  # in a few words, with the paper's name for it
    variants: tuple[Variant, ...]  # models it needs
    run: Callable[[Setup], Result]
