"""Names for the types of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Floats = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]
ArrayMap = Mapping[str, NDArray[Any]]  # arrays to read from, which may be joined or mapped when asked for
