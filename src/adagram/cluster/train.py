"""A training run on a Ray cluster, which goes on from its checkpoint when a worker is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adagram.cluster.connection import ClusterOptions, WorkerLost, connected
from adagram.cluster.crew import Workers
from adagram.cluster.pace import ClusterPace
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.continue_model import Start
from adagram.training.progress import Report, interruptible
from adagram.training.run import Run

MOST_LOSSES = 5  # workers lost in a row without a new checkpoint, after which the cluster is given up


def train_on_ray(
    corpus: EncodedCorpus,
    config: TrainConfig,
    saving: Saving,
    report: Report,
    options: ClusterOptions,
    pace: ClusterPace | None = None,
    start: Start | None = None,
) -> Model:
    """As `train_encoded`, by the workers of a cluster; they share nothing but files and messages."""
    if start and start.model.folder is None:
        raise InputError(
            "going on with Ray needs a model in a folder that all nodes see; save it and load it"
        )
    if saving.output is None:
        raise InputError("training on Ray needs an output folder, on a file system that all nodes see")
    if config.threads and config.threads > 1:
        raise InputError(
            f"threads is {config.threads}, but a Ray worker has one; give more --workers instead"
        )
    config = replace(config, threads=1, merge_senses=False)  # senses are with the workers
    pace, n_tokens = pace or ClusterPace(), len(corpus.tokens)
    config = start.settled(config, n_tokens) if start else config.resolve(n_tokens)
    with connected(options) as n_workers:
        model = start.model.folder if start else None
        crew = Workers(corpus, config, n_workers, pace, model)
        run = Run(corpus, config, crew, saving, pace.report_seconds, start)
        try:
            return train_over_losses(run, report, saving.output)
        finally:
            crew.stop()


def train_over_losses(run: Run, report: Report, output: Path) -> Model:
    """To the finished model; where a worker is lost, all begin again at the last checkpoint."""
    losses, last = 0, -1
    while True:
        try:
            run.begin()
            with interruptible() as stop:
                run.train(report, stop)
                return run.save(output)
        except WorkerLost:
            reached = run.checkpoint.position.words if run.checkpoint.position else 0
            losses = losses + 1 if reached <= last else 1
            last = reached
            if losses > MOST_LOSSES:
                raise AdagramError(
                    f"workers of the Ray cluster were lost {losses} times at {reached} words; see Ray's logs"
                ) from None
