"""Types that all packages share: arrays, and progress of a stage of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Floats = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]
ArrayMap = Mapping[str, NDArray[Any]]  # read-only; an array may be read or computed at first access


@dataclass(frozen=True)
class StageProgress:
    """Progress of a stage of work, such as reading the corpus."""

    stage: str
    done: int
    total: int | None  # None: not known

    def __str__(self) -> str:
        return f"{self.stage}: {100 * self.done / self.total:.1f} %" if self.total else self.stage


ReportStage = Callable[[StageProgress], None]
