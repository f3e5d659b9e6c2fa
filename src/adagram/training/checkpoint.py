"""A checkpoint: a model folder, which can be looked at like any other, plus all that is needed to go on from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model.storage import read_json, write_json
from adagram.training.crew import Crew
from adagram.whole import CHECKPOINT, CORPUS, MODEL, check_new_folder, kind_of, new_folder, remove_folder

POSITION = "trainer.json"


@dataclass(frozen=True)
class Saving:
    """Where a run writes, and how often it makes sure that little is lost."""

    output: Path | None = None  # the model folder; None keeps the model in memory only
    checkpoint_minutes: float = 5.0  # 0 writes a checkpoint only when the run is interrupted
    resume: bool = False  # go on from the checkpoint of `output`
    overwrite: bool = False  # replace an older model, or begin anew in spite of a checkpoint


@dataclass(frozen=True)
class Position:
    """How far a run has come; with the crew's state it is all that is needed to go on."""

    words: int = 0  # corpus words passed, over all epochs
    seconds: float = 0.0


def checkpoint_folder(output: Path) -> Path:
    """Where the checkpoint of a run that will write `output` stands."""
    return output.with_name(output.name + ".checkpoint")


def has_checkpoint(folder: Path) -> bool:
    return kind_of(folder) is CHECKPOINT


class Checkpoint:
    """The checkpoint of one run: when it is due, what is in it, and whether it belongs to the run.

    A run that keeps its model in memory only has none: it is never due and writes nothing.
    """

    def __init__(
        self, saving: Saving, corpus: EncodedCorpus, config: TrainConfig, n_workers: int | None
    ) -> None:
        self.folder = checkpoint_folder(saving.output) if saving.output else None
        self._minutes = saving.checkpoint_minutes
        self._fingerprint, self._config, self._n_workers = corpus.fingerprint, config, n_workers
        self._written = time.monotonic()
        self.position: Position | None = None  # of the checkpoint, if this run has one to go back to
        if saving.resume:
            self.position = self._find()

    @property
    def is_due(self) -> bool:
        """The minutes since the last one, or since the run began, are over."""
        return self._minutes > 0 and time.monotonic() - self._written >= 60 * self._minutes

    def write(self, crew: Crew, position: Position, write_model: Callable[[Path], None]) -> None:
        """Replace the checkpoint; a run killed at any moment leaves the old one or the new one, complete."""
        if self.folder is None:
            return
        with new_folder(self.folder, CHECKPOINT, overwrite=True) as made:
            write_model(made)
            crew.write_state(made)
            run = {"config": self._config.to_dict(), "fingerprint": self._fingerprint}
            write_json(made / POSITION, asdict(position) | run | {"workers": self._n_workers})
        self.position, self._written = position, time.monotonic()

    def remove(self) -> None:
        """The run is done: its model has taken over."""
        if self.folder and has_checkpoint(self.folder):
            remove_folder(self.folder)

    def _find(self) -> Position:
        """The checkpoint to resume from; one of another corpus, other options or another crew is refused."""
        if self.folder is None:
            raise InputError("there is no checkpoint to resume from without an output folder; give one")
        if not has_checkpoint(self.folder):
            raise InputError(
                f"there is no checkpoint at {self.folder} to resume from; train without --resume"
            )
        where = read_json(self.folder / POSITION)
        if where.get("fingerprint") != self._fingerprint:
            raise InputError(f"{self.folder} belongs to another corpus; remove it, or train without --resume")
        self._check_options(self.folder, where.get("config", {}))
        saved = where.get("workers")
        if saved != self._n_workers:
            how = f"with --ray --workers {saved}" if saved else "without --ray"
            raise InputError(
                f"{self.folder} was written by a run {how}; go on like that, or train without --resume"
            )
        return Position(int(where["words"]), float(where["seconds"]))

    def _check_options(self, folder: Path, saved: dict[str, Any]) -> None:
        for name, value in self._config.to_dict().items():
            if name != "threads" and saved.get(name) != value:
                raise InputError(
                    f"{folder} was trained with {name}={saved.get(name)}, now it is {value}; "
                    "give the same options, or train without --resume"
                )


def check_places(saving: Saving) -> None:
    """Refuse a run whose output, or the checkpoint of an earlier run, stands in its way."""
    if saving.output is None:
        return
    folder = checkpoint_folder(saving.output)
    if has_checkpoint(folder) and not saving.resume and not saving.overwrite:
        raise InputError(
            f"{folder} is the checkpoint of a run that was stopped; give --resume to go on from it, "
            "--overwrite to begin anew, or another name"
        )
    if folder.exists() and not has_checkpoint(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} stands where checkpoints would be written; move it, or give another name")
    check_new_folder(saving.output, MODEL, saving.overwrite)


@contextmanager
def kept_for_resuming(folder: Path, output: Path) -> Iterator[None]:
    """An encoded corpus that a run needs only while it can be resumed: removed where no checkpoint is left."""
    try:
        yield
    finally:
        if not has_checkpoint(checkpoint_folder(output)) and kind_of(folder) is CORPUS:
            remove_folder(folder)
