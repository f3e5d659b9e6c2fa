"""A training run on a Ray cluster: rounds of the workers, with checkpoints to go back to when one is lost."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from adagram.cluster.connection import ClusterOptions, WorkerLost, connected
from adagram.cluster.crew import Crew
from adagram.cluster.worker import RoundReport
from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model import Model
from adagram.model.shards import write_index
from adagram.model.storage import CONFIG, VOCAB, write_json
from adagram.training.checkpoint import checkpoint_folder, has_checkpoint, read_position, write_position
from adagram.training.interrupt import interruptible
from adagram.training.log import TrainingLog
from adagram.training.progress import Meter, Report
from adagram.training.rounds import rounds
from adagram.training.run import Saving, model_info
from adagram.training.trainer import REPORT_SECONDS, Interrupted, Position, check_corpus, check_progress
from adagram.whole import check_writable, new_folder

MOST_LOSSES = 5  # workers lost in a row without a new checkpoint, after which the cluster is given up


def train_on_ray(
    corpus: EncodedCorpus, config: TrainConfig, saving: Saving, report: Report, options: ClusterOptions
) -> Model:
    """Train, save and return the model, as `train_encoded` does; workers share nothing but files and messages."""
    if saving.output is None:
        raise InputError("training on Ray needs an output folder, on a file system that all nodes see")
    if config.threads > 1:
        raise InputError(
            f"threads is {config.threads}, but a Ray worker has one; give more --workers instead"
        )
    check_corpus(corpus)
    with connected(options) as n_workers:
        run = _Run(corpus, replace(config, threads=1), saving.output, n_workers)
        if saving.resume:
            run.resume()
        check_writable(saving.output)
        try:
            run.train(report, saving.checkpoint_minutes)
            return run.finish()
        finally:
            run.crew.stop()


class _Run:
    """The driver's side: where the run is, and its checkpoint."""

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig, output: Path, n_workers: int) -> None:
        self.corpus, self.config, self.output = corpus, config, output
        self.total = config.epochs * len(corpus.tokens)
        self.checkpoint = checkpoint_folder(output)
        self.position, self.log = Position(), TrainingLog()
        self.crew = Crew(corpus, config, n_workers)
        self._has_checkpoint = False  # one of this run, which may be gone back to
        self._sent, self._memory = 0, 0

    def resume(self) -> None:
        if not has_checkpoint(self.checkpoint):
            raise InputError(
                f"there is no checkpoint at {self.checkpoint} to resume from; train without --resume"
            )
        self._go_back()
        self._has_checkpoint = True

    def _go_back(self) -> None:
        self.position = read_position(self.checkpoint, self.corpus, self.config, self.crew.n)
        self.log = TrainingLog.read(self.checkpoint)

    def train(self, report: Report, checkpoint_minutes: float) -> None:
        """To the end of the run, over the loss of workers."""
        losses, reached = 0, -1
        while True:
            try:
                self.crew.start()
                if self._has_checkpoint:
                    self.crew.restore(self.checkpoint)
                self._train(report, checkpoint_minutes)
                return
            except WorkerLost:
                self.crew.stop()
                if self._has_checkpoint:
                    self._go_back()
                else:
                    self.position, self.log = Position(), TrainingLog()
                losses = losses + 1 if self.position.words <= reached else 1
                reached = self.position.words
                if losses > MOST_LOSSES:
                    raise AdagramError(
                        f"workers of the Ray cluster were lost {losses} times at {reached} words; see Ray's logs"
                    ) from None

    def _train(self, report: Report, checkpoint_minutes: float) -> None:
        meter = Meter(self.position.words, self.total, self.position.seconds)
        written = time.monotonic()
        with interruptible() as stop:
            for start, end in rounds(len(self.corpus.tokens), self.position.words, self.total, self.crew.n):
                found = self.crew.round(start, end)
                self.position = Position(end, meter.seconds)
                self._add(found, meter)
                done = self.position.words >= self.total
                if done or stop or meter.since_last >= REPORT_SECONDS:
                    self._report(meter, report)
                if done:
                    return
                due = checkpoint_minutes and time.monotonic() - written >= 60 * checkpoint_minutes
                if stop or due:
                    self._write_checkpoint()
                    written = time.monotonic()
                if stop:
                    raise Interrupted

    def _add(self, found: list[RoundReport], meter: Meter) -> None:
        for of_worker in found:
            meter.add(of_worker.tally)
            self._sent += of_worker.sent
            self._memory = max(self._memory, of_worker.memory)

    def _report(self, meter: Meter, report: Report) -> None:
        progress = meter.report(
            self.position.words, self.config.lr * (1.0 - self.position.words / self.total)
        )
        check_progress(progress, self.config)
        self.log.add(progress, sent_mb=round(self._sent / 1e6, 3))
        self._sent = 0
        report(progress)

    def _write_checkpoint(self) -> None:
        with new_folder(self.checkpoint) as made:
            self.crew.write_state(made)
            self.log.write(made)
            write_json(made / CONFIG, self._info())  # marks the folder as ours
            write_position(made, self.position, self.corpus, self.config, self.crew.n)
        self._has_checkpoint = True

    def _info(self) -> dict[str, Any]:
        return model_info(self.corpus, self.config, self.position.words, self.log)

    def _sent_mb(self) -> float:
        return float(sum(entry["sent_mb"] for entry in self.log.entries))

    def finish(self) -> Model:
        """Every worker writes its shard; then the folder takes its place."""
        n = self.crew.n
        info = self._info()
        info["training"] |= {
            "workers": n,
            "worker_peak_mb": round(self._memory / 1e6, 1),
            "sent_mb_per_million_words": round(1e6 * self._sent_mb() / max(self.position.words, 1), 3),
        }
        with new_folder(self.output) as made:
            self.crew.write_model(made)
            self.corpus.vocabulary.save(made / VOCAB)
            if n > 1:
                write_index(made, n)
            write_json(made / CONFIG, info)
            Model.load(made).write_description(made)
            self.log.write(made)
        shutil.rmtree(self.checkpoint, ignore_errors=True)
        return Model.load(self.output)
