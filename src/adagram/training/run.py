"""A whole training run: from an encoded corpus to a model, with checkpoints on the way."""

from __future__ import annotations

import platform
import shutil
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.storage import FORMAT_VERSION
from adagram.training.checkpoint import checkpoint_folder, has_checkpoint, read_checkpoint, write_checkpoint
from adagram.training.log import TrainingLog
from adagram.training.progress import Progress, Report
from adagram.training.trainer import Trainer
from adagram.whole import check_writable, new_folder


@dataclass(frozen=True)
class Saving:
    """Where a run writes, and how often it makes sure that little is lost."""

    output: Path | None = None  # the model folder; None keeps the model in memory only
    checkpoint_minutes: float = 5.0  # 0 writes a checkpoint only when the run is interrupted
    resume: bool = False  # go on from the checkpoint of `output`


def train_encoded(corpus: EncodedCorpus, config: TrainConfig, saving: Saving, report: Report) -> Model:
    """Train, save and return the model."""
    trainer = Trainer(corpus, config)
    log = TrainingLog()
    folder = checkpoint_folder(saving.output) if saving.output else None
    if folder and saving.resume:
        if not has_checkpoint(folder):
            raise InputError(f"there is no checkpoint at {folder} to resume from; train without --resume")
        log = read_checkpoint(folder, trainer)
    if saving.output:
        check_writable(saving.output)

    def note(progress: Progress) -> None:
        log.add(progress)
        report(progress)

    written = time.monotonic()

    def on_safe_point(is_last: bool) -> None:
        nonlocal written
        due = saving.checkpoint_minutes and time.monotonic() - written >= 60 * saving.checkpoint_minutes
        if folder and (is_last or due):
            write_checkpoint(folder, trainer, model_of(trainer, log), log)
            written = time.monotonic()

    trainer.run(note, on_safe_point)
    model = model_of(trainer, log)
    if saving.output and folder:
        with new_folder(saving.output) as made:
            model.write(made)
            log.write(made)
        shutil.rmtree(folder, ignore_errors=True)
    return model


def model_of(trainer: Trainer, log: TrainingLog) -> Model:
    """The model as it stands."""
    info = model_info(trainer.corpus, trainer.config, trainer.position.words, log)
    return Model(trainer.system.model_arrays(), trainer.corpus.vocabulary, info)


def model_info(corpus: EncodedCorpus, config: TrainConfig, words: int, log: TrainingLog) -> dict[str, Any]:
    """What config.json says."""
    return {
        "format": FORMAT_VERSION,
        "config": config.to_dict(),
        "corpus": {
            "tokens": len(corpus.tokens),
            "fingerprint": corpus.fingerprint,
            "report": corpus.meta.get("report", {}),
        },
        "tokenizer": corpus.meta.get("tokenizer"),
        "training": {"words": words, **log.summary()},
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("adagram", "numpy", "numba")},
    }
