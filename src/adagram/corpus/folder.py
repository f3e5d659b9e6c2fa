"""Writing a folder so that it appears complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.encoded import is_encoded
from adagram.errors import InputError


@contextmanager
def complete_folder(output: Path) -> Iterator[Path]:
    """A temporary sibling to write in; it becomes `output` when all went well and is removed otherwise."""
    if output.exists() and not is_encoded(output) and not (output.is_dir() and not any(output.iterdir())):
        raise InputError(
            f"{output} exists and is not an encoded corpus; choose another --output or remove it"
        )
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".part", dir=output.parent))
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}") from error
    try:
        yield working
        working.chmod(0o777 & ~_umask())
        _take_place(working, output)
    finally:
        shutil.rmtree(working, ignore_errors=True)


def _take_place(working: Path, output: Path) -> None:
    """Rename; an older corpus of that name is moved aside first: folders cannot replace each other."""
    if not output.exists():
        working.rename(output)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".old", dir=output.parent))
    output.rename(old / "corpus")
    try:
        working.rename(output)
    except BaseException:
        (old / "corpus").rename(output)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
