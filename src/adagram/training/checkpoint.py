"""A checkpoint: a model folder, which can be looked at like any other, plus all that the trainer needs to go on."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.storage import read_arrays, read_json, write_arrays, write_json
from adagram.training.log import TrainingLog
from adagram.training.trainer import Position, Trainer
from adagram.whole import is_ours, new_folder

STATE, POSITION = "trainer.safetensors", "trainer.json"


def checkpoint_folder(output: Path) -> Path:
    """Where the checkpoint of a run that will write `output` stands."""
    return output.with_name(output.name + ".checkpoint")


def write_checkpoint(folder: Path, trainer: Trainer, model: Model, log: TrainingLog) -> None:
    """Replace the checkpoint; a run killed at any moment leaves the old one or the new one, complete."""
    with new_folder(folder) as made:
        model.write(made)
        log.write(made)
        write_arrays(made / STATE, trainer.system.state())
        write_position(made, trainer.position, trainer.corpus, trainer.config, n_workers=None)


def read_checkpoint(folder: Path, trainer: Trainer) -> TrainingLog:
    """Bring a fresh trainer to where the checkpoint was written; refuse one of another corpus or other options."""
    position = read_position(folder, trainer.corpus, trainer.config, n_workers=None)
    trainer.restore(read_arrays(folder / STATE), position)
    return TrainingLog.read(folder)


def read_position(
    folder: Path, corpus: EncodedCorpus, config: TrainConfig, n_workers: int | None
) -> Position:
    """Where the checkpoint was written; `n_workers` trained together, or None for a run on one machine."""
    where = read_json(folder / POSITION)
    if where.get("fingerprint") != corpus.fingerprint:
        raise InputError(f"{folder} belongs to another corpus; remove it, or train without --resume")
    _check_same(folder, where.get("config", {}), config)
    saved = where.get("workers")
    if saved != n_workers:
        how = f"with --ray --workers {saved}" if saved else "without --ray"
        raise InputError(f"{folder} was written by a run {how}; go on like that, or train without --resume")
    return Position(int(where["words"]), float(where["seconds"]))


def write_position(
    folder: Path, position: Position, corpus: EncodedCorpus, config: TrainConfig, n_workers: int | None
) -> None:
    where = asdict(position) | {
        "config": config.to_dict(),
        "fingerprint": corpus.fingerprint,
        "workers": n_workers,
    }
    write_json(folder / POSITION, where)


def _check_same(folder: Path, saved: dict[str, Any], config: TrainConfig) -> None:
    for name, value in config.to_dict().items():
        if name != "threads" and saved.get(name) != value:
            raise InputError(
                f"{folder} was trained with {name}={saved.get(name)}, now it is {value}; "
                "give the same options, or train without --resume"
            )


def has_checkpoint(folder: Path) -> bool:
    return (folder / POSITION).is_file() and is_ours(folder)
