"""Checkpoints: a model folder, which opens like any other, plus the state that resuming needs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.files.atomic import check_new_folder, new_folder, remove_folder
from adagram.files.folders import CHECKPOINT, MODEL, check_sums, kind_of
from adagram.files.json import read_json
from adagram.model import Model
from adagram.model.storage import write_json

POSITION = "trainer.json"
STREAM = "stream"  # how the fingerprint of a run over a stream begins


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
                raise InputError(f"{self.output} is the root of the file system; give the name of a folder in it")
            if self.output.name in ("", ".."):
                object.__setattr__(self, "output", place)


@dataclass(frozen=True)
class Position:
    """Position in a run; with the state of the workers it is all that resuming needs."""

    words: int = 0  # corpus words passed, over all epochs
    seconds: float = 0.0


def checkpoint_folder(output: Path) -> Path:
    """Return the checkpoint folder of a run that will write `output`."""
    return output.with_name(output.name + ".checkpoint")


def has_checkpoint(output: Path) -> bool:
    """Return whether there is a checkpoint of the run that will write `output`."""
    return kind_of(checkpoint_folder(output)) is CHECKPOINT


def is_stream(folder: Path) -> bool:
    """Return whether this is the checkpoint of a run over a stream, whose state is the model alone."""
    where = read_json(folder / POSITION, {"fingerprint": str}, CHECKPOINT.article)
    return str(where["fingerprint"]).startswith(STREAM)


class Checkpoint:
    """The checkpoint of one run: when it is due, what is in it, and whether it belongs to the run.

    A run that keeps its model in memory only has none: it is never due and writes nothing.
    """

    def __init__(self, saving: Saving, fingerprint: str, config: TrainConfig) -> None:
        """`fingerprint` is of what is trained on."""
        self._folder = checkpoint_folder(saving.output) if saving.output else None
        self._output, self._overwrite, self._minutes = saving.output, saving.overwrite, saving.checkpoint_minutes
        self._fingerprint, self._config = fingerprint, config
        self._written = time.monotonic()
        self.position = self._find() if saving.resume else None  # of the last one

    @property
    def is_due(self) -> bool:
        """Return whether the minutes since the last one, or since the start of the run, are over."""
        return self._minutes > 0 and time.monotonic() - self._written >= 60 * self._minutes

    def write(self, position: Position, write: Callable[[Path], None]) -> None:
        """Write the checkpoint in place of the one before; `write` writes the model and the state into a folder."""
        if self._folder is None:
            return
        with new_folder(self._folder, CHECKPOINT, overwrite=True) as made:
            write(made)
            run = {"config": self._config.to_dict(), "fingerprint": self._fingerprint}
            write_json(made / POSITION, asdict(position) | run)
        self.position, self._written = position, time.monotonic()

    def restore(self, restore: Callable[[Path], None]) -> tuple[Path, Position] | None:
        """Call `restore` with the folder to resume from; return None if there is none."""
        if self._folder is None or self.position is None:
            return None
        try:
            restore(self._folder)
        except InputError as error:
            raise InputError(f"{self._folder} cannot be resumed: {error}") from None
        return self._folder, self.position

    def finish(self, write: Callable[[Path], None]) -> Model:
        """Write the finished model into the output, complete or not at all, and delete the checkpoint."""
        assert self._output is not None
        with new_folder(self._output, MODEL, self._overwrite) as made:
            write(made)
        if self._folder and kind_of(self._folder) is CHECKPOINT:
            remove_folder(self._folder)
        return Model.load(self._output)

    def _find(self) -> Position:
        """Return the position to resume from; refuse a checkpoint of another corpus or with other options."""
        if self._folder is None:
            raise InputError("there is no checkpoint to resume from without an output folder; give one")
        if kind_of(self._folder) is not CHECKPOINT:
            raise InputError(f"there is no checkpoint at {self._folder} to resume from; train without resume=True")
        try:
            check_sums(self._folder)
        except InputError as error:
            raise InputError(f"{error}; begin anew with overwrite=True") from None
        where = read_json(self._folder / POSITION, {"config": dict}, CHECKPOINT.article)
        if where["fingerprint"] != self._fingerprint:
            raise InputError(f"{self._folder} belongs to another corpus; begin anew with overwrite=True")
        saved = TrainConfig().to_dict() | where["config"]  # an older version has fewer options
        for name, value in self._config.to_dict().items():
            if name not in ("threads", "deterministic") and saved.get(name) != value:
                raise InputError(
                    f"{self._folder} was trained with {name}={saved.get(name)}, now it is {value}; "
                    "give the same options, or begin anew with overwrite=True"
                )
        return Position(where["words"], where["seconds"])


def check_places(saving: Saving) -> None:
    """Refuse a run if its output, or the checkpoint of an earlier run, exists."""
    if saving.output is None:
        return
    folder = checkpoint_folder(saving.output)
    is_ours = kind_of(folder) is CHECKPOINT
    if is_ours and not saving.resume and not saving.overwrite:
        raise InputError(
            f"{folder} is the checkpoint of a run that was stopped; give resume=True to go on from it, "
            "overwrite=True to begin anew, or another name"
        )
    if folder.exists() and not is_ours and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} stands where checkpoints would be written; move it, or give another name")
    check_new_folder(saving.output, MODEL, saving.overwrite)
