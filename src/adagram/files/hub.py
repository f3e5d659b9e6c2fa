"""Models that are not a local folder: `en`, which comes with the package, `hf:owner/name[@revision]` on the Hugging
Face Hub, or a zip or tar file.

An archive is unpacked once into the user's cache; only files of a model are taken from it.
"""

from __future__ import annotations

import errno
import hashlib
import lzma
import os
import re
import shutil
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from adagram.errors import AdagramError, InputError, need
from adagram.files.atomic import locked, new_folder, remove_folder
from adagram.files.folders import MODEL, SUMS, check_sums, is_part, kind_of
from adagram.files.json import read_json

PREFIX = "hf:"
PACKAGED = Path(__file__).parents[1] / "models"  # a folder for each model that comes with the package
MAX_GROWTH = 50  # ratio of unpacked to packed size; vectors hardly compress
MIN_LIMIT = 1 << 26  # bytes that a small archive may always unpack to
KEPT_SECONDS = 30 * 24 * 3600  # evict unpacked models that were not used for this long
_EXTRA = "hub"
_OF_NETWORK = ("huggingface_hub", "httpx", "httpx2", "httpcore", "requests")  # packages whose errors are of the network
_FILES = [*MODEL.files, SUMS]  # nothing else is downloaded or uploaded
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
# What the standard library raises for archives that are damaged, encrypted or compressed in an unknown way.
_BAD: tuple[type[Exception], ...] = (
    *(OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, RuntimeError, ValueError, LookupError),
)


def is_archive(path: str | Path) -> bool:
    """Return whether a model is on the Hub, in an archive or in the package, so that nothing can be written into it."""
    return str(path).startswith(PREFIX) or _is_packed(Path(path)) or is_packaged(path)


def is_packaged(path: str | Path) -> bool:
    """Return whether a path is the name of a model of the package, and not of a model in the working directory."""
    return str(path) in packaged_models() and kind_of(Path(path)) is None


def packaged_models() -> dict[str, Path]:
    """Return the folders of the models that come with the package, by name."""
    return {folder.name: folder for folder in sorted(PACKAGED.glob("*")) if (folder / MODEL.mark).is_file()}


def folder_of(path: str | Path) -> tuple[Path, str]:
    """Return the folder of a model, downloaded or unpacked if necessary, and the archive it came from, or ""."""
    if not is_archive(path):
        return Path(path), ""
    if is_packaged(path):
        return packaged_models()[str(path)], str(path)
    return (fetch(str(path)) if str(path).startswith(PREFIX) else unpack(Path(path))), str(path)


def fetch(name: str) -> Path:
    """Return the folder of a model from the Hub in huggingface_hub's cache, downloading what is missing."""
    hub = need("huggingface_hub", _EXTRA, name)
    repository, revision = _parse(name)
    with _readable_errors(repository):
        return Path(hub.snapshot_download(repository, revision=revision, allow_patterns=_FILES))


def push(folder: Path, name: str, private: bool = False) -> str:
    """Upload a model folder to the Hub, creating the repository if necessary; return the address of the commit."""
    read_json(folder / MODEL.mark, {"format": int}, MODEL.article)
    check_sums(folder)
    hub = need("huggingface_hub", _EXTRA, "push")
    repository, revision = _parse(name)
    with _readable_errors(repository):
        api = hub.HfApi(library_name="adagram")
        api.create_repo(repository, private=private, exist_ok=True)
        sent = api.upload_folder(
            repo_id=repository,
            folder_path=folder,
            allow_patterns=_FILES,
            revision=revision,
            commit_message="Upload an adagram model",
        )
    return str(sent.commit_url)


def _parse(name: str) -> tuple[str, str | None]:
    name = name.removeprefix(PREFIX)
    found = _NAME.fullmatch(name)
    if not found:
        raise InputError(
            f"{name!r} is not the name of a model on the Hub; it must be OWNER/NAME or OWNER/NAME@REVISION"
        )
    return found[1], found[2]


@contextmanager
def _readable_errors(repository: str) -> Iterator[None]:
    """Turn errors of huggingface_hub and its network library into sentences."""
    errors = need("huggingface_hub.errors", _EXTRA, repository)
    log_in = "log in with `hf auth login`, or set HF_TOKEN"
    try:
        yield
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.HFValidationError):
        raise InputError(
            f"the Hub has no model {repository} of this revision, or it is private; check the name, or {log_in}"
        ) from None
    except Exception as error:
        # The network library differs between versions of huggingface_hub.
        if type(error).__module__.partition(".")[0] not in _OF_NETWORK:
            raise
        reason = str(error).partition("\n")[0]
        raise AdagramError(f"the Hub cannot be reached for {repository}: {reason}; {log_in}, or try again") from None


def _is_packed(path: Path) -> bool:
    try:
        return path.is_file() and (zipfile.is_zipfile(path) or tarfile.is_tarfile(path))
    except _BAD:  # compressed and truncated: `unpack` reports it
        return True


def unpack(path: Path) -> Path:
    """Return the folder that an archive was unpacked to, in a cache keyed by its path, size and time."""
    about = path.stat()
    key = f"{path.resolve()} {about.st_size} {about.st_mtime_ns}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adagram" / "unpacked"
    target = cache / hashlib.sha256(os.fsencode(key)).hexdigest()[:32]
    if kind_of(target) is not MODEL:
        with locked(target, wait=True):
            if kind_of(target) is not MODEL:
                _unpack(path, target)
    with suppress(OSError):  # a read-only cache
        os.utime(target)
        for folder in cache.iterdir():
            if folder.is_dir() and folder.stat().st_mtime < time.time() - KEPT_SECONDS:
                remove_folder(folder)
    return target


def _unpack(path: Path, target: Path) -> None:
    if target.exists():
        remove_folder(target)
    with new_folder(target, MODEL) as folder:
        try:
            _extract(path, folder)
        except _BAD as error:
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            raise InputError(f"{path} cannot be unpacked: {error}") from None
        if (folder / SUMS).exists():
            check_sums(folder)
        if kind_of(folder) is not MODEL:
            raise InputError(f"{path} has no model in it: its {MODEL.mark} is of another program")


def _extract(path: Path, folder: Path) -> None:
    """Copy the files of the one model in an archive; all else in it, such as links, is left out."""
    limit = min(max(MAX_GROWTH * path.stat().st_size, MIN_LIMIT), shutil.disk_usage(folder).free)
    with _members(path) as members:
        places = {place.parent for place in members if place.name == MODEL.mark}
        if len(places) != 1:
            raise InputError(f"{path} has {len(places) or 'no'} models in it; pack the folder of one model")
        files = {
            place.name: about
            for place, about in members.items()
            if {place.parent} == places and is_part(MODEL, place.name)
        }
        if sum(size for size, _ in files.values()) > limit:
            raise InputError(f"{path} would unpack to more than is plausible, or than the disk has room for")
        for name, (_, opened) in files.items():
            with opened() as source, open(folder / name, "xb") as out:
                shutil.copyfileobj(source, out)


@contextmanager
def _members(path: Path) -> Iterator[dict[PurePosixPath, tuple[int, Callable[[], Any]]]]:
    """Yield the regular files in an archive, each with its size and a function that opens it."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield {PurePosixPath(i.filename): (i.file_size, partial(packed.open, i)) for i in packed.infolist()}
    else:
        with tarfile.open(path) as tar:
            yield {PurePosixPath(i.name): (i.size, partial(tar.extractfile, i)) for i in tar if i.isreg()}
