"""Opening the folder of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from adagram.arrays import ArrayMap
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.model import storage
from adagram.model.about import with_named_objective
from adagram.model.checks import check_arrays
from adagram.model.journal import JOURNAL, read_lines
from adagram.options import options_of
from adagram.text.tokenizer import TokenizerConfig
from adagram.vocabulary import Vocabulary
from adagram.whole import MODEL, check_shape, read_json, remove_dead, temporary_folder

TRIES = 20  # a model can be replaced while it is being opened, again and again
Identity = tuple[int, ...] | None
_COUNT = (range(1 << 60), None)
# config.json; TrainConfig and TokenizerConfig check their own parts.
SHAPE = {
    "format": int,
    "config": dict,
    "tokenizer?": (dict, None),
    "corpus?": {"tokens?": _COUNT, "fingerprint?": (str, None), "report?": (dict, None)},
    "seen?": [{"tokens": _COUNT, "fingerprint": (str, None), "text?": (str, None)}],
    "training?": {"*": (float, str, None)},
    "versions?": dict,
    "imported?": dict,
}


@dataclass(frozen=True)
class Place:
    """The folder that a model was opened from."""

    folder: Path
    identity: Identity
    archive: str = ""  # the file or the address that it was unpacked from, if it was

    def check(self) -> None:
        """Raise InputError if another model has taken the place of this one since it was opened."""
        if identity_of(self.folder) != self.identity:
            raise InputError(f"{self.folder} was replaced or removed since it was opened; open it again")

    def check_writable(self) -> None:
        """Raise InputError if decisions, a sense sheet or trends cannot be written into the folder."""
        if self.archive:
            raise read_only(self.archive)
        self.check()
        remove_dead(self.folder / storage.CARD)
        try:
            with temporary_folder(self.folder / storage.CARD):
                pass
        except InputError as error:
            raise InputError(
                f"{self.folder} cannot be written to: {error}; copy it, and name the copy"
            ) from None


def read_only(archive: str | Path) -> InputError:
    """Return the error for a verb that would write into a packed model or one on the Hub."""
    return InputError(
        f"{archive} is read-only, as all models that are packed or on the Hub; make a folder of it with "
        f"adagram.load({str(archive)!r}).save('model'), and name that"
    )


class Opened(NamedTuple):
    """All of the same model: arrays (mapped), vocabulary, config.json and the text of the journal."""

    arrays: ArrayMap
    vocabulary: Vocabulary
    info: dict[str, Any]
    journal: str | InputError
    place: Place


def read_folder(folder: Path, archive: str = "") -> Opened:
    """Open a model folder; nothing large is read. One that is replaced meanwhile is opened again."""
    for _ in range(TRIES):
        identity = identity_of(folder)
        try:
            found = Opened(*_read(folder), _journal(folder), Place(folder, identity, archive))
        except InputError:
            if identity_of(folder) == identity:
                raise
        else:
            if identity_of(folder) == identity:
                return found
    raise InputError(f"{folder} was replaced {TRIES} times while it was being opened; try again")


def identity_of(folder: Path) -> Identity:
    """Return what differs between a folder and one that takes its name; decisions and sheets do not change it."""
    try:
        place, config = os.stat(folder), os.stat(folder / storage.CONFIG)
    except OSError:
        return None
    return place.st_dev, place.st_ino, config.st_ino, config.st_mtime_ns, config.st_size


def _journal(folder: Path) -> str | InputError:
    try:
        return read_lines(folder / JOURNAL)
    except InputError as error:
        return error


def _read(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    info = read_json(folder / storage.CONFIG, {"format": int}, MODEL.article)
    if info["format"] != storage.FORMAT_VERSION:
        raise InputError(
            f"{folder} has model format {info['format']}; this version reads {storage.FORMAT_VERSION}"
        )
    _check_options(folder, info)
    try:
        check_shape(info, SHAPE)
        config = TrainConfig.from_dict(info["config"])
        TokenizerConfig.from_dict(info.get("tokenizer") or {})
        if "training" in info:
            info["training"] = with_named_objective(info["training"], config)
    except (TypeError, ValueError, InputError) as error:
        raise InputError(f"{folder / storage.CONFIG} is damaged: {error}") from None
    vocabulary = Vocabulary.load(folder / storage.VOCAB)
    if not len(vocabulary):
        raise InputError(f"{folder / storage.VOCAB} is damaged: it has no words")
    arrays = storage.read_arrays(folder / storage.ARRAYS, vocabulary.checksum)
    check_arrays(folder / storage.ARRAYS, arrays, len(vocabulary), config.dim)
    return arrays, vocabulary, info


def _check_options(folder: Path, info: Mapping[str, Any]) -> None:
    """An option that this version does not have is rather of a later one than damage."""
    config, versions = info.get("config"), info.get("versions")
    strange = (
        [name for name in config if name not in options_of(TrainConfig)] if isinstance(config, dict) else []
    )
    if strange:
        made_by = str(versions.get("adagram", "another") if isinstance(versions, dict) else "another")
        raise InputError(
            f"{folder / storage.CONFIG} has the option {str(strange[0])[:40]!r}, which adagram {version('adagram')} "
            f"does not know; the model was made by {made_by[:40]}: install that version"
        )
