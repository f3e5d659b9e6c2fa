"""Provisional ids on disk between reading and writing: the text is tokenized once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from adagram.encoded import ENDS, TOKENS

CHUNK = 1 << 20  # tokens per step when a spool is read
Piece = tuple[NDArray[np.uint32], NDArray[np.int64]]  # tokens, and ends counted from the first of them


class Spool:
    """Tokens and ends of sentences, written in order, then read back in pieces."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self.tokens_path, self.ends_path = folder / f"{prefix}{TOKENS}", folder / f"{prefix}{ENDS}"
        self.n_tokens, self.n_ends = 0, 0
        self._tokens: IO[bytes] = open(self.tokens_path, "wb")  # noqa: SIM115 (closed by `close`)
        self._ends: IO[bytes] = open(self.ends_path, "wb")  # noqa: SIM115
        self._last_end = 0

    def write(self, tokens: NDArray[np.uint32], ends: NDArray[np.int64]) -> None:
        """Append tokens, and ends counted from the first of them; sentences without tokens leave no end."""
        if len(ends):
            absolute = ends + self.n_tokens
            absolute = absolute[np.diff(absolute, prepend=self._last_end) > 0]
            self._ends.write(absolute.astype("<u8").data)
            self.n_ends += len(absolute)
            self._last_end = int(absolute[-1]) if len(absolute) else self._last_end
        self._tokens.write(np.ascontiguousarray(tokens, "<u4").data)
        self.n_tokens += len(tokens)

    def close(self) -> None:
        self._tokens.close()
        self._ends.close()

    def remove(self) -> None:
        self.close()
        self.tokens_path.unlink(missing_ok=True)
        self.ends_path.unlink(missing_ok=True)

    def read(self) -> Iterator[Piece]:
        """(tokens, ends counted from the first of them), piece by piece."""
        with open(self.tokens_path, "rb") as tokens_file, open(self.ends_path, "rb") as ends_file:
            waiting = np.empty(0, np.int64)
            start = 0
            while data := tokens_file.read(4 * CHUNK):
                tokens = np.frombuffer(data, "<u4")
                stop = start + len(tokens)
                # A piece has at most as many ends as tokens.
                more = np.frombuffer(ends_file.read(8 * max(len(tokens) - len(waiting), 0)), "<u8").astype(
                    np.int64
                )
                waiting = np.concatenate([waiting, more])
                n = int(np.searchsorted(waiting, stop, side="right"))
                yield tokens, waiting[:n] - start
                waiting, start = waiting[n:], stop
