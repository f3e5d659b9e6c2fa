"""Two folders change names in one step, so that there is no moment without one."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_AT_FDCWD, _EXCHANGE = -100, 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(a: Path, b: Path) -> None:
    """Exchange the names of two folders: at once where the system can, else by three renames."""
    if not _exchange_at_once(a, b):
        aside = a.with_name(a.name + ".old")
        os.rename(b, aside)
        try:
            os.rename(a, b)
        except BaseException:
            os.rename(aside, b)
            raise
        os.rename(aside, a)


def _exchange_at_once(a: Path, b: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    if rename(_AT_FDCWD, os.fsencode(a), _AT_FDCWD, os.fsencode(b), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(b))


def recover(target: Path) -> None:
    """Give `target` its name back where a process died between two of the three renames.

    The old folder then has the name of a temporary one with `.old` after it.
    """
    from adagram.whole.temporary import MAKING, host_mark, is_dead

    if target.exists() or not target.parent.is_dir():
        return
    begin, end = f".{target.name[:100]}.{host_mark()}-", MAKING + ".old"
    for path in sorted(target.parent.iterdir()):
        if path.name.startswith(begin) and path.name.endswith(end) and is_dead(path):
            os.rename(path, target)
            return
