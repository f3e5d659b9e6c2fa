"""Writing a file completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adagram.errors import InputError


@contextmanager
def new_file(target: str | Path) -> Iterator[Path]:
    """A temporary sibling that takes the place of `target` when the block ends well, and vanishes when it does not.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with new_file(target) as made: _ = made.write_text("1 2 3")
    >>> target.read_text()
    '1 2 3'
    """
    target = Path(os.path.abspath(target))
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file to write to")
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield made
        os.replace(made, target)
    finally:
        with suppress(OSError):
            made.unlink()
