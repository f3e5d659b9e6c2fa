"""What a model is told to be: the settings that its algorithm uses, and what its figure of progress is called."""

from __future__ import annotations

from typing import Any

from adagram.config import USED_BY, WITH_NOISE, TrainConfig


def settings_used(config: TrainConfig) -> dict[str, Any]:
    """The settings without those that the algorithm does not look at.

    >>> "alpha" in settings_used(TrainConfig(algorithm="skipgram"))
    False
    """
    algorithm = config.algorithm
    return {name: v for name, v in config.to_dict().items() if algorithm in USED_BY.get(name, (algorithm,))}


def objective_name(config: TrainConfig) -> str:
    """What the figure of progress is called: with negative sampling it is no bound of a likelihood."""
    return "objective" if config.algorithm in WITH_NOISE else "bound"


def with_named_objective(figures: dict[str, Any], config: TrainConfig) -> dict[str, Any]:
    """Figures of a run with the objective under the name that is right for its system.

    The first models called it a bound whatever the system.

    >>> with_named_objective({"bound": -1.5, "words": 3}, TrainConfig(algorithm="mssg"))
    {'objective': -1.5, 'words': 3}
    """
    name = objective_name(config)
    return {name if key in ("bound", "objective") else key: value for key, value in figures.items()}
