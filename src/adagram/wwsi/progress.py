"""How the two passes tell how far they are."""

from __future__ import annotations

from typing import Protocol


class Meter(Protocol):
    """Told of each pass, its size in bytes of the compressed dump, and each advance."""

    def start(self, name: str, n_bytes: int) -> None: ...

    def advance(self, n_bytes: int) -> None: ...

    def note(self, sentence: str) -> None: ...


class SilentMeter:
    """Says nothing."""

    def start(self, name: str, n_bytes: int) -> None:
        pass

    def advance(self, n_bytes: int) -> None:
        pass

    def note(self, sentence: str) -> None:
        pass
