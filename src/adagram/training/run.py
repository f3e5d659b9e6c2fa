"""A training run: rounds, progress, log, checkpoints, and the finished model."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from adagram.config import ALGORITHMS, TrainConfig, objective_name
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model import Model
from adagram.model.edits import decisions_of
from adagram.model.resolution import MergeTree
from adagram.model.storage import FORMAT_VERSION, Continuation, write_description
from adagram.paper.schedule import learning_rate, thinned
from adagram.training.checkpoint import Checkpoint, Position, Saving
from adagram.training.continue_model import PreviousModel, unknown_after
from adagram.training.merge_senses import merge_alike
from adagram.training.progress import Interrupted, Meter, Progress, Report, Stop, TrainingLog, interruptible
from adagram.training.workers import REPORT_SECONDS, Chunks, Threads, Workers
from adagram.types import ArrayMap

WORST_BOUND = -50.0  # nats per context word; chance is about -log(n_words), so this is divergence


def train_encoded(
    corpus: EncodedCorpus,
    config: TrainConfig,
    saving: Saving,
    report: Report,
    chunks: Chunks | None = None,
    previous_model: PreviousModel | None = None,
    stop: Stop | None = None,
) -> Model:
    """Train with threads of this process, continuing `previous_model` if it is given; save and return the model.

    The caller has called `check_places`. Signals stop the run, or only `stop` if it is given.
    """
    chunks = chunks or Chunks()
    config = resolve(config, corpus, previous_model)
    state = previous_model.state_for(corpus, config.memory) if previous_model else None
    workers = Threads(corpus, config, chunks, state)
    run = Run(corpus, config, workers, saving, chunks.report_seconds, previous_model)
    if objective_name(config) == "bound":
        run.sample = Sample(corpus, config, lambda: run.model(*workers.system.arrays()))
    run.begin()
    with interruptible() if stop is None else nullcontext(stop) as stop:
        run.train(report, stop)
        if config.merge_senses:
            run.tree = merge_alike(workers.system, corpus, run.info(), stop)
            if run.tree is None:
                run.interrupt()
        if saving.output is not None:
            return run.checkpoint.finish(run.write_model)
    model = run.model(*workers.system.arrays())
    return model._changed(decisions=decisions_of(previous_model.model, model)) if previous_model else model


def resolve(config: TrainConfig, corpus: EncodedCorpus, previous_model: PreviousModel | None) -> TrainConfig:
    """Return the options with the automatic ones set for the length of this corpus."""
    n_tokens, n_words = len(corpus.tokens), len(corpus.vocabulary)
    return previous_model.resolve(config, n_tokens) if previous_model else config.resolve(n_tokens, n_words)


class Sample:
    """A fixed sample of the text, whose likelihood under the current model shows how far a run has come.

    The objective does not: it is of the words that are being trained. At a high learning rate the model follows the
    document that it reads, so these are predicted better than any other text, and the objective falls with the rate.
    """

    TEXTS, WORDS = 20, 500  # so many stretches of so many words, thinned as in training
    PARTS, MIN_SECONDS = 10, 20.0  # it is measured after each part of a run that is not over at once

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig, model: Callable[[], Model]) -> None:
        tokens, self._model = corpus.tokens, model
        starts = np.linspace(0, max(0, len(tokens) - self.WORDS), self.TEXTS).astype(int)
        whole = [np.asarray(tokens[start : start + self.WORDS], np.int32) for start in starts]
        kept = [thinned(ids, np.asarray(corpus.vocabulary.counts), config.subsample) for ids in whole]
        self._texts = [ids for ids in kept if len(ids) > 1]
        self._next = 0.0  # words of the run after which it is measured again
        self.likelihood: float | None = None  # Eq. (9), per context word

    def measure(self, progress: Progress) -> float | None:
        """Return the likelihood, measured anew if it is due."""
        is_due = progress.seconds >= self.MIN_SECONDS and progress.words >= self._next
        if self._texts and (is_due or (progress.is_last and self.likelihood is not None)):
            predictor = self._model().predictor
            parts = np.concatenate([predictor.likelihood(ids).parts for ids in self._texts])
            self.likelihood = float(np.divide(*parts.sum(axis=0)))
            self._next = progress.words + progress.total / self.PARTS
        return self.likelihood


class Run:
    """`begin`, at the start or at the checkpoint, then `train`; `write_model` writes the finished model."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        workers: Workers,
        saving: Saving,
        report_seconds: float = REPORT_SECONDS,
        previous_model: PreviousModel | None = None,
    ) -> None:
        check_corpus(corpus)
        # Words that are too rare so far, if the model can be continued; read now, to find damage before the work.
        can_continue = ALGORITHMS[config.algorithm].can_continue
        self.unknown = unknown_after(previous_model, corpus) if can_continue else {}
        self.corpus, self.config, self.workers, self._previous_model = corpus, config, workers, previous_model
        self.total = config.epochs * len(corpus.tokens)
        self.position, self.log = Position(), TrainingLog(config)
        self.checkpoint = Checkpoint(saving, corpus.fingerprint, config)
        self._report_seconds = report_seconds
        self.tree: MergeTree | None = None  # of the finished model, if senses were merged
        self.sample: Sample | None = None

    def begin(self) -> None:
        """Set the initial state, or that of the checkpoint of this run."""
        self.workers.start()
        self.position, self.log = Position(), TrainingLog(self.config)
        if found := self.checkpoint.restore(self.workers.restore):
            folder, self.position = found
            self.log = TrainingLog.read(folder, self.config)

    def train(self, report: Report, stop: Stop) -> None:
        """Train to the end of the run, or to the safe point after the user asked to stop."""
        meter, has_learned = Meter(self.position.words, self.total, self.position.seconds), self.position.words > 0
        while (start := self.position.words) < self.total:
            size = self.workers.round_tokens
            end = min(self.total, start - start % size + size)  # a resumed run has the same round ends
            done = self.workers.round(start, end, stop)
            self.position = Position(done.reached, meter.seconds)
            has_learned |= done.tally.get("contexts", 0.0) > 0
            meter.add(done.tally)
            is_last = done.reached >= self.total
            if is_last or stop or meter.since_last >= self._report_seconds:
                self._report(meter, report)
            if stop and not is_last:
                self.interrupt()
            if not is_last and self.checkpoint.is_due:
                self.checkpoint.write(self.position, self._write_checkpoint)
        if not has_learned:
            raise InputError(
                f"the run met no word with a context in {self.total} words, so nothing was learned; raise subsample, "
                f"which is {self.config.subsample}, or give longer sentences"
            )

    def interrupt(self) -> NoReturn:
        """Write a checkpoint and raise Interrupted."""
        self.checkpoint.write(self.position, self._write_checkpoint)
        raise Interrupted

    def _write_checkpoint(self, folder: Path) -> None:
        self.write_model(folder)
        self.workers.write_state(folder)

    def _report(self, meter: Meter, report: Report) -> None:
        words = self.position.words
        progress = meter.report(words, learning_rate(self.config.lr, words, self.total))
        if not math.isfinite(progress.objective) or progress.objective < WORST_BOUND:
            raise AdagramError(
                f"training diverged after {words} words: the {objective_name(self.config)} is {progress.objective:.3g} "
                f"per context word; lower lr, which is {self.config.lr}"
            )
        if self.sample:
            progress = replace(progress, likelihood=self.sample.measure(progress))
        self.log.add(progress)
        report(progress)

    def write_model(self, folder: Path) -> None:
        """Write a model folder of the present state, with the log."""
        write_description(self.model(*self.workers.write_arrays(folder)), folder)
        if self._previous_model:
            self._previous_model.carry_over(folder)
        self.log.write(folder)

    def model(self, arrays: ArrayMap, rest: ArrayMap) -> Model:
        """Return the model of these arrays, in memory."""
        model = Model(arrays, self.corpus.vocabulary, self.info())
        model._continuation, model._learned_tree = Continuation(rest or None, self.unknown), self.tree
        return model

    def info(self) -> dict[str, Any]:
        """Return the contents of config.json."""
        corpus, previous = self.corpus, self._previous_model
        text = {"tokens": len(corpus.tokens), "fingerprint": corpus.fingerprint}
        about = text | {"text": corpus.meta.get("text"), "words": len(corpus.vocabulary)}
        return {
            "format": FORMAT_VERSION,
            "config": self.config.to_dict(),
            "corpus": text | {"report": corpus.meta.get("report", {})},
            "tokenizer": previous.model.info["tokenizer"] if previous else corpus.meta.get("tokenizer"),
            "seen": [*(previous.model.info.get("seen", []) if previous else []), about],
            "training": {"words": self.position.words, **self.workers.about(), **self.log.summary()},
            "versions": {"python": platform.python_version()}
            | {name: version(name) for name in ("adagram", "numpy", "numba")},
        }


def check_corpus(corpus: EncodedCorpus) -> None:
    n_words = len(corpus.vocabulary)
    if n_words == 0 or len(corpus.tokens) == 0:
        raise InputError("the corpus has no words left to train on; lower min_count or give more text")
    if n_words == 1:
        word = corpus.vocabulary.words[0]
        raise InputError(f"the vocabulary has only the word '{word}'; lower min_count or give more text")
    corpus.check()
