"""Checkpoints: a model folder, which opens like any other, plus the state that resuming needs."""

from __future__ import annotations

import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.files.atomic import check_new_folder, exchange, new_folder, remove_folder
from adagram.files.folders import CHECKPOINT, CORPUS, MODEL, check_sums, foreign_files, kind_of, read_sums
from adagram.files.json import Between, check_shape, read_json
from adagram.model.storage import CONFIG, write_json

POSITION = "trainer.json"
STREAM = "stream after "  # how the fingerprint of a run over a stream begins
LOG = logging.getLogger("adagram")  # its warnings go to stderr by default


@dataclass(frozen=True)
class Saving:
    """Where a run writes its model, and how often a checkpoint."""

    output: Path | None = None  # the model folder; None keeps the model in memory only
    checkpoint_minutes: float = 5.0  # 0 writes a checkpoint only when the run is interrupted
    resume: bool = False  # continue from the checkpoint of `output`
    overwrite: bool = False  # replace an older model, or ignore a checkpoint

    def __post_init__(self) -> None:
        if self.output is not None:
            place = Path(os.path.abspath(self.output))  # "." has no name, and checkpoints are named after it
            if not place.name:
                raise InputError(
                    f"{self.output} is the root of the file system; give the name of a folder in it"
                )
            if self.output.name in ("", ".."):
                object.__setattr__(self, "output", place)


@dataclass(frozen=True)
class Position:
    """Position in a run; with the state of the workers it is all that resuming needs."""

    words: int = 0  # corpus words passed, over all epochs
    seconds: float = 0.0


class Stateful(Protocol):
    """Anything with state to checkpoint: workers, or a run over a stream."""

    def write_state(self, folder: Path) -> None: ...

    def restore(self, folder: Path) -> None: ...


def checkpoint_folder(output: Path) -> Path:
    """Return the checkpoint folder of a run that will write `output`."""
    return output.with_name(output.name + ".checkpoint")


def checkpoint_folders(output: Path) -> tuple[Path, Path]:
    """Return the folders of the last checkpoint and of the one before it, in case the last is damaged."""
    last = checkpoint_folder(output)
    return last, last.with_name(last.name + ".older")


def has_checkpoint(output: Path) -> bool:
    """Return whether there is a checkpoint of the run that will write `output`."""
    return any(is_checkpoint(folder) for folder in checkpoint_folders(output))


def is_checkpoint(folder: Path) -> bool:
    """Return whether this is a checkpoint, even if its position file is damaged: then its checksums list that file."""
    if kind_of(folder) is CHECKPOINT:
        return True
    try:
        return POSITION in read_sums(folder) and not foreign_files(folder, CHECKPOINT)
    except (InputError, OSError):
        return False


def is_stream(folder: Path) -> bool:
    """Return whether this is the checkpoint of a run over a stream, whose state is the model alone."""
    where = read_json(folder / POSITION, {"fingerprint": str}, CHECKPOINT.article)
    return str(where["fingerprint"]).startswith(STREAM)


def was_saved(folder: Path, output: Path) -> bool:
    """Return whether the run of a checkpoint has saved `output` after it, so that nothing is left to resume."""
    if kind_of(folder) is not CHECKPOINT or kind_of(output) is not MODEL:
        return False
    try:
        ours, saved = (read_json(each / CONFIG, {"config": dict}, MODEL.article) for each in (folder, output))
        times = [os.stat(path).st_mtime_ns for path in (folder / POSITION, output / CONFIG)]
        is_same_text = is_stream(folder) or _fingerprint(ours) == _fingerprint(saved)
    except (InputError, OSError):
        return False
    options = [{**each["config"], "threads": None} for each in (ours, saved)]
    return is_same_text and options[0] == options[1] and times[0] < times[1]


def _fingerprint(info: dict[str, Any]) -> Any:
    corpus = info.get("corpus")
    return corpus.get("fingerprint") if isinstance(corpus, dict) else None


class Checkpoint:
    """The checkpoint of one run: when it is due, what is in it, and whether it belongs to the run.

    A run that keeps its model in memory only has none: it is never due and writes nothing.
    """

    def __init__(
        self,
        saving: Saving,
        fingerprint: str,  # of what is trained on
        config: TrainConfig,
        n_words: float = math.inf,  # of the whole run, if it is known
    ) -> None:
        self._folders = checkpoint_folders(saving.output) if saving.output else None
        self._minutes = saving.checkpoint_minutes
        self._fingerprint, self._config, self._n_words = fingerprint, config, n_words
        self._written = time.monotonic()
        self._found: list[tuple[Path, Position]] = []  # to resume from, the last one first
        if saving.resume:
            self._found = self._find()

    @property
    def position(self) -> Position | None:
        """Position of the last checkpoint, None without one."""
        return self._found[0][1] if self._found else None

    @property
    def is_due(self) -> bool:
        """Return whether the minutes since the last one, or since the start of the run, are over."""
        return self._minutes > 0 and time.monotonic() - self._written >= 60 * self._minutes

    def write(self, workers: Stateful, position: Position, write_model: Callable[[Path], None]) -> None:
        """Write the last checkpoint; the one before becomes the older. At any moment one of them is complete."""
        if self._folders is None:
            return
        last, older = self._folders
        has_last = bool(self._found) and self._found[0][0] == last
        place = older if has_last else last
        if is_checkpoint(place) and kind_of(place) is not CHECKPOINT:  # too damaged to be replaced
            remove_folder(place)
        with new_folder(place, CHECKPOINT, overwrite=True) as made:
            write_model(made)
            workers.write_state(made)
            run = {"config": self._config.to_dict(), "fingerprint": self._fingerprint}
            write_json(made / POSITION, asdict(position) | run)
        if has_last:
            exchange(older, last)
            self._found = [(last, position), (older, self._found[0][1])]
        else:
            if not self._found and is_checkpoint(older):  # of a run that was given up
                remove_folder(older)
            self._found = [(last, position), *self._found]
        self._written = time.monotonic()

    def restore(self, workers: Stateful) -> tuple[Path, Position] | None:
        """Restore the last checkpoint that is not damaged; return None if there is none."""
        while self._found:
            folder, position = self._found[0]
            try:
                workers.restore(folder)
                return folder, position
            except InputError as error:
                if len(self._found) == 1:
                    raise InputError(f"{folder} cannot be resumed: {error}") from None
                LOG.warning("%s: %s; going back to the checkpoint before it", folder, error)
                del self._found[0]
        return None

    def remove(self) -> None:
        """Delete the checkpoints of a finished run."""
        for folder in self._folders or ():
            if is_checkpoint(folder):
                remove_folder(folder)

    def _find(self) -> list[tuple[Path, Position]]:
        """Return the checkpoints to resume from; refuse those of another corpus or with other options."""
        if self._folders is None:
            raise InputError("there is no checkpoint to resume from without an output folder; give one")
        there = [folder for folder in self._folders if is_checkpoint(folder)]
        if not there:
            raise InputError(
                f"there is no checkpoint at {self._folders[0]} to resume from; train without resume=True"
            )
        found: list[tuple[Path, Position]] = []
        damages = []
        for folder in there:
            try:
                check_sums(folder)
            except InputError as error:
                damages.append(str(error))
            else:
                found.append((folder, self._position_of(folder)))
        if not found:
            raise InputError(f"{'; '.join(damages)}; begin anew with overwrite=True")
        for damage in damages:
            LOG.warning("%s; the checkpoint used is %s", damage, found[0][0])
        return found

    def _position_of(self, folder: Path) -> Position:
        """Return the position of a checkpoint; refuse one of another run."""
        where = read_json(folder / POSITION, {"config": dict}, CHECKPOINT.article)
        if where.get("fingerprint") != self._fingerprint:
            raise InputError(f"{folder} belongs to another corpus; begin anew with overwrite=True")
        self._check_options(folder, where.get("config"))
        try:
            check_shape(where, {"words": int, "seconds": Between(0.0, sys.float_info.max)})
            check_shape(where, {"words": Between(0.0, self._n_words)})
        except ValueError as error:
            raise InputError(f"{folder / POSITION} is damaged: {error}") from None
        return Position(where["words"], float(where["seconds"]))

    def _check_options(self, folder: Path, saved: Any) -> None:
        if not isinstance(saved, dict):
            raise InputError(f"{folder / POSITION} is damaged: it has no options")
        saved = TrainConfig().to_dict() | saved  # an older version has fewer options
        for name, value in self._config.to_dict().items():
            if name not in ("threads", "deterministic") and saved.get(name) != value:
                raise InputError(
                    f"{folder} was trained with {name}={saved.get(name)}, now it is {value}; "
                    "give the same options, or begin anew with overwrite=True"
                )


def check_places(saving: Saving) -> None:
    """Refuse a run if its output, or the checkpoint of an earlier run, exists."""
    if saving.output is None:
        return
    for folder in checkpoint_folders(saving.output):
        is_ours = is_checkpoint(folder)
        if is_ours and not saving.resume and not saving.overwrite:
            raise InputError(
                f"{folder} is the checkpoint of a run that was stopped; give resume=True to go on from it, "
                "overwrite=True to begin anew, or another name"
            )
        if folder.exists() and not is_ours and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(
                f"{folder} stands where checkpoints would be written; move it, or give another name"
            )
    check_new_folder(saving.output, MODEL, saving.overwrite)


@contextmanager
def kept_for_resuming(folder: Path, output: Path) -> Iterator[None]:
    """Remove an encoded corpus at the end, unless a checkpoint needs it."""
    try:
        yield
    finally:
        if not has_checkpoint(output) and kind_of(folder) is CORPUS:
            remove_folder(folder)
