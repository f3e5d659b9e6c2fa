"""A training run: rounds, progress, log, checkpoints, and the finished model."""

from __future__ import annotations

import math
import platform
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from adagram.config import ALGORITHMS, TrainConfig, objective_name
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import write_unknown
from adagram.errors import AdagramError, InputError
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import Model
from adagram.model.model import write_description
from adagram.model.storage import CONFIG, FORMAT_VERSION, VOCAB, write_json
from adagram.paper.schedule import learning_rate
from adagram.training.checkpoint import Checkpoint, Position, Saving, check_places
from adagram.training.continue_model import Start, Text, seen, unknown_after
from adagram.training.merge_senses import merge_alike
from adagram.training.progress import Interrupted, Meter, Progress, Report, Stop, TrainingLog, interruptible
from adagram.training.workers import REPORT_SECONDS, Crew, Lanes, Pace

WORST_BOUND = -50.0  # nats per context word; chance is about -log(n_words), so this is divergence


def train_encoded(
    corpus: EncodedCorpus,
    config: TrainConfig,
    saving: Saving,
    report: Report,
    pace: Pace | None = None,
    start: Start | None = None,
) -> Model:
    """Train by threads of this process, going on from `start` if it is given; save and return the model."""
    pace, n_tokens = pace or Pace(), len(corpus.tokens)
    config = start.settled(config, n_tokens) if start else config.resolve(n_tokens)
    crew = new_crew(corpus, config, pace, start)
    run = Run(corpus, config, crew, saving, pace.report_seconds, start)
    run.begin()
    with interruptible() as stop:
        run.train(report, stop)
        if config.merge_senses and not merge_alike(crew.system, corpus, run.info(), stop):
            run.interrupt()
        if saving.output is not None:
            return run.save(saving.output)
    model = Model(crew.model_arrays(), corpus.vocabulary, run.info())
    model.rest = crew.unlearned_arrays() or None
    model.unknown = run.unknown
    return start.decided(model) if start else model


def new_crew(corpus: EncodedCorpus, config: TrainConfig, pace: Pace, start: Start | None) -> Lanes:
    """Threads of this process."""
    return Lanes(corpus, config, pace, start.previous(corpus, config.memory) if start else None)


class Run:
    """`begin`, at the start or at the checkpoint, then `train`, then `save`."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        crew: Crew,
        saving: Saving,
        report_seconds: float = REPORT_SECONDS,
        start: Start | None = None,
    ) -> None:
        check_corpus(corpus)
        _ = corpus.unknown, start and start.model.unknown  # damage is found before the work, not after it
        check_places(saving)
        self.corpus, self.config, self.crew, self._start = corpus, config, crew, start
        self.total = config.epochs * len(corpus.tokens)
        self.position, self.log = Position(), TrainingLog(self.config)
        self._overwrite = saving.overwrite
        self.checkpoint = Checkpoint(saving, corpus.fingerprint, config, crew.n_workers, self.total)
        self._report_seconds = report_seconds
        self._n_contexts = 0.0  # context words trained on since `begin`
        self._is_resumed = False

    def begin(self) -> None:
        """With the initial state, or with that of the checkpoint of this run."""
        self.crew.start()
        self.position, self.log = Position(), TrainingLog(self.config)
        found = self.checkpoint.restore(self.crew)
        self._n_contexts, self._is_resumed = 0.0, found is not None
        if found:
            folder, self.position = found
            self.log = TrainingLog.read(folder, self.config)

    def train(self, report: Report, stop: Stop) -> None:
        """To the end of the run, or to the safe point after the user asked to stop."""
        meter = Meter(self.position.words, self.total, self.position.seconds)
        while (start := self.position.words) < self.total:
            size = self.crew.round_tokens
            end = min(self.total, start - start % size + size)  # the same ends wherever it goes on
            done = self.crew.round(start, end, stop)
            self.position = Position(done.reached, meter.seconds)
            self._n_contexts += done.tally.get("contexts", 0.0)
            meter.add(done.tally)
            is_last = done.reached >= self.total
            if is_last or stop or meter.since_last >= self._report_seconds:
                self._report(meter, report)
            if stop and not is_last:
                self.interrupt()
            if not is_last and self.checkpoint.is_due:
                self.checkpoint.write(self.crew, self.position, self._write_model)
        if not self._n_contexts and not self._is_resumed:
            raise InputError(
                f"the run met no word with a context in {self.total} words, so nothing was learned; raise subsample, "
                f"which is {self.config.subsample}, or give longer sentences"
            )

    def interrupt(self) -> NoReturn:
        """Write a checkpoint and raise Interrupted."""
        self.checkpoint.write(self.crew, self.position, self._write_model)
        raise Interrupted

    def _report(self, meter: Meter, report: Report) -> None:
        words = self.position.words
        progress = meter.report(words, learning_rate(self.config.lr, words, self.total))
        check_progress(progress, self.config)
        self.log.add(progress, self.crew.notes())
        report(progress)

    def save(self, output: Path) -> Model:
        """Write the finished model, complete or not at all; the checkpoint is no longer needed."""
        with new_folder(output, MODEL, self._overwrite) as made:
            self._write_model(made)
        self.checkpoint.remove()
        model = Model.load(output)
        model.unknown = self.unknown
        return model

    def _write_model(self, folder: Path) -> None:
        """A model folder of the state as it is, with its log."""
        self.crew.write_arrays(folder)
        self.corpus.vocabulary.save(folder / VOCAB)
        write_json(folder / CONFIG, self.info())
        write_description(Model.load(folder), folder)
        if self._start:
            self._start.carry_over(folder)
        write_unknown(folder, self.unknown)
        self.log.write(folder)

    @cached_property
    def unknown(self) -> dict[str, int]:
        """For a model that can go on: words that are too rare so far."""
        return (
            unknown_after(self._start, self.corpus) if ALGORITHMS[self.config.algorithm].can_continue else {}
        )

    def info(self) -> dict[str, Any]:
        """What config.json says."""
        meta = self.corpus.meta
        text = Text(len(self.corpus.tokens), self.corpus.fingerprint, meta.get("text"))
        return {
            "format": FORMAT_VERSION,
            "config": self.config.to_dict(),
            "corpus": text.corpus | {"report": meta.get("report", {})},
            "tokenizer": self._start.model.info["tokenizer"] if self._start else meta.get("tokenizer"),
            "seen": seen(self._start, text),
            "training": {"words": self.position.words, **self.crew.about(), **self.log.summary()},
            "versions": versions(),
        }


def versions() -> dict[str, str]:
    """Of what made a model, for config.json."""
    names = ("adagram", "numpy", "numba")
    return {"python": platform.python_version()} | {name: version(name) for name in names}


def check_corpus(corpus: EncodedCorpus) -> None:
    n_words = len(corpus.vocabulary)
    if n_words == 0 or len(corpus.tokens) == 0:
        raise InputError("the corpus has no words left to train on; lower min_count or give more text")
    if n_words == 1:
        word = corpus.vocabulary.words[0]
        raise InputError(f"the vocabulary has only the word '{word}'; lower min_count or give more text")
    corpus.check()


def check_progress(progress: Progress, config: TrainConfig) -> None:
    if not math.isfinite(progress.objective) or progress.objective < WORST_BOUND:
        raise AdagramError(
            f"training diverged after {progress.words} words: the {objective_name(config)} is {progress.objective:.3g} "
            f"per context word; lower lr, which is {config.lr}"
        )
