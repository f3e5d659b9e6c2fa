"""Several vectors per word, one per sense, learned from raw text: Adaptive Skip-gram."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from adagram.api import load, train
    from adagram.config import TrainConfig
    from adagram.errors import AdagramError
    from adagram.model import Model, Sense

# Modules of the public names; each is imported at first use, so `import adagram` stays light.
_LAZY = {
    "AdagramError": "adagram.errors",
    "Model": "adagram.model",
    "Sense": "adagram.model",
    "TrainConfig": "adagram.config",
    "load": "adagram.api",
    "train": "adagram.api",
}
__all__ = ["AdagramError", "Model", "Sense", "TrainConfig", "load", "train"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'adagram' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
