"""A model in a zip or tar file, unpacked once: only files of a model, no links, no paths out of the folder."""

from __future__ import annotations

import errno
import gzip
import hashlib
import lzma
import os
import re
import shutil
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from adagram.errors import InputError
from adagram.whole import (
    MODEL,
    SUMS,
    check_sums,
    foreign_files,
    is_temporary,
    kind_of,
    locked,
    new_folder,
    remove_all_dead,
    remove_folder,
)

MOST_GROWTH = 50  # times its packed size; vectors hardly pack at all
LEAST_BOUND = 1 << 26  # bytes that a small file may always become
MOST_FILES = 10_000
KEPT_SECONDS = 30 * 24 * 3600  # that an unpacked model is kept without use
_PIECE = 1 << 20
_LEFT_BY_OTHERS = re.compile(r"^__MACOSX/|(^|/)(\._[^/]*|\.DS_Store|desktop\.ini)$")  # file managers
# What a file that is damaged, encrypted or packed in an unknown way makes the standard library say.
_BAD: tuple[type[Exception], ...] = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError),
    *(EOFError, RuntimeError, NotImplementedError, ValueError),
)


class _Member(NamedTuple):
    name: str
    size: int
    open: Callable[[], IO[bytes] | None]


def is_packed(path: Path) -> bool:
    try:
        return path.is_file() and (zipfile.is_zipfile(path) or tarfile.is_tarfile(path))
    except _BAD:  # compressed and cut: `unpack` says so
        return True


def unpack(path: Path) -> Path:
    """Return a folder with what is in the file, kept in the user's cache until the file changes or is not used."""
    about = path.stat()
    prefix = f"{path.name.partition('.')[0][:40]}-{_digest(str(path.resolve()))}-"
    target = _cache() / f"{prefix}{_digest(f'{about.st_size} {about.st_mtime_ns}')}"
    if kind_of(target) is not MODEL:
        with locked(target, wait=True):
            if kind_of(target) is not MODEL:
                _unpack(path, target)
    with suppress(OSError):  # a cache that cannot be written
        os.utime(target)
        _evict(target, prefix)
    return target


def _unpack(path: Path, target: Path) -> None:
    if target.exists():
        remove_folder(target)
    with new_folder(target, MODEL) as folder:
        _extract(path, folder)
        if (folder / SUMS).exists():
            check_sums(folder)
        if kind_of(folder) is not MODEL:
            raise InputError(f"{path} has no model in it: there is no {MODEL.mark} that says so")


def _evict(used: Path, prefix: str) -> None:
    """Remove earlier versions of the same file, and what was not used for long."""
    remove_all_dead(used.parent)
    for folder in used.parent.iterdir():
        is_old = folder.stat().st_mtime < time.time() - KEPT_SECONDS
        is_earlier = folder.name.startswith(prefix) and folder != used
        if folder.is_dir() and not is_temporary(folder) and (is_old or is_earlier):
            remove_folder(folder)


def _digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adagram" / "unpacked"


def _extract(path: Path, folder: Path) -> None:
    """All members, which must be files of a model beside each other, into an empty folder."""
    left = min(max(MOST_GROWTH * path.stat().st_size, LEAST_BOUND), shutil.disk_usage(folder).free)
    home: PurePosixPath | None = None
    try:
        with _members(path) as members:
            for n, member in enumerate(members):
                if _LEFT_BY_OTHERS.search(member.name):
                    continue
                place = _place(path, member.name)
                if home not in (None, place.parent) or (folder / place.name).exists() or n >= MOST_FILES:
                    raise InputError(f"{path} is not the folder of one model: see {member.name!r}")
                home = place.parent
                left -= member.size
                if left < 0:
                    raise InputError(
                        f"{path} would unpack to more than is plausible, or than the disk has room for"
                    )
                _copy(path, member, folder / place.name)
    except _BAD as error:
        raise InputError(f"{path} cannot be unpacked: {error}") from None
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # none: bz2; EINVAL: a place before the start of the file
            raise
        raise InputError(f"{path} cannot be unpacked: {error.strerror or error}") from None
    if foreign := foreign_files(folder, MODEL):
        raise InputError(f"{path} has files that do not belong to a model: {', '.join(sorted(foreign)[:3])}")


def _place(path: Path, name: str) -> PurePosixPath:
    place = PurePosixPath(name)
    if (
        place.is_absolute()
        or ".." in place.parts
        or "\\" in name
        or ":" in name
        or "\0" in name
        or not place.name
    ):
        raise InputError(f"{path} has the path {name!r}, which leads out of a folder; it is not unpacked")
    return place


def _copy(path: Path, member: _Member, target: Path) -> None:
    """As many bytes as the member says it has, not one more."""
    source = member.open()
    if source is None:
        raise InputError(f"{path} cannot be unpacked: {member.name!r} is no file")
    with source, open(target, "xb") as out:
        left = member.size
        while piece := source.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise InputError(f"{path} is damaged: {member.name!r} is longer than it says")
            out.write(piece)
    if left:
        raise InputError(f"{path} is damaged: {member.name!r} is shorter than it says")


@contextmanager
def _members(path: Path) -> Iterator[Iterator[_Member]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield _of_zip(path, packed)
    else:
        with tarfile.open(path) as tar:
            yield _of_tar(path, tar)


def _of_zip(path: Path, packed: zipfile.ZipFile) -> Iterator[_Member]:
    for info in packed.infolist():
        if not info.filename:
            raise InputError(f"{path} has a file without a name in it; it is not unpacked")
        mode = info.external_attr >> 16
        if stat.S_ISLNK(mode):
            raise InputError(f"{path} has a link in it, {info.filename!r}; it is not unpacked")
        if not info.is_dir():
            yield _Member(info.filename, info.file_size, lambda info=info: packed.open(info))  # type: ignore[misc]


def _of_tar(path: Path, packed: tarfile.TarFile) -> Iterator[_Member]:
    for info in packed:
        if info.isdir():
            continue
        if not info.isreg():
            raise InputError(f"{path} has a link or device in it, {info.name!r}; it is not unpacked")
        yield _Member(info.name, info.size, lambda info=info: packed.extractfile(info))  # type: ignore[misc]
