"""A run over a stream: each block continues what the blocks before it have taught, as a text of its own would."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from adagram.config import EncodeOptions, TrainConfig
from adagram.corpus.sources import Sources
from adagram.corpus.state import CorpusReport, ReadState
from adagram.corpus.words import none_known
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.maths.schedule import learning_rate, text_growth
from adagram.model import Model
from adagram.model.storage import FORMAT_VERSION
from adagram.model.unknown import add_unknown
from adagram.streaming.blocks import WordBlock, encode_block, word_blocks
from adagram.training.checkpoint import Checkpoint, Position, Saving
from adagram.training.interrupt import Stop, interruptible
from adagram.training.log import TrainingLog
from adagram.training.pace import Pace
from adagram.training.progress import Meter, Report, StreamProgress
from adagram.training.run import check_progress, new_crew, versions
from adagram.training.start import Start, Text, seen
from adagram.vocabulary import Vocabulary
from adagram.whole import MODEL, new_folder

SEEK = 0.25  # growth of the text after which new meanings are looked for again


def train_stream(
    sources: Sources,
    config: TrainConfig,
    encoding: EncodeOptions,
    saving: Saving,
    report: Report,
    start: Start,
    pace: Pace | None = None,
    wait: Callable[[], None] = lambda: None,
) -> Model:
    """Learn the stream block by block, to its end or to Ctrl-C; save and return the model. First `wait` for kernels."""
    pace = pace or Pace()
    with interruptible() as stop:
        state = ReadState(encoding, CorpusReport(), is_over=lambda: stop.asked)
        run = StreamRun(config.settled(pace.block), state, saving, report, start, pace)
        try:
            for block in word_blocks(sources, state, pace.block):
                if not run.n_read:
                    wait()
                if stop:
                    start.say(
                        f"the stream ends here: its last {block.n_read:,} words are learned, then the model is saved; "
                        "Ctrl-C again leaves them out"
                    )
                run.learn(block)
        except KeyboardInterrupt:
            if not run.has_learned:
                raise
        except InputError as error:
            raise InputError(f"{error}{run.keep()}") from None
        if stop and not run.has_caught_up:
            raise KeyboardInterrupt
    with interruptible():  # what was learned is not lost by another Ctrl-C
        return run.finish()


class StreamRun:
    """`learn` block after block, then `finish`. Resumed, it passes over the blocks that its checkpoint has learned."""

    def __init__(
        self,
        config: TrainConfig,
        state: ReadState,
        saving: Saving,
        report: Report,
        start: Start,
        pace: Pace,
    ) -> None:
        self._config, self._state, self._saving = config, state, saving
        self._report, self._start, self._pace = report, start, pace
        self._last = start  # the model as it is after the last block
        self._unknown = dict(start.model.unknown)
        self.n_read = self._n_known = 0  # words of the stream so far; those that are known
        self._n_contexts = 0.0
        self._digest = hashlib.blake2b(digest_size=16)  # of the words read
        self._log = TrainingLog(config)
        self._kept = Position()  # of the last checkpoint
        self._checkpoint = Checkpoint(saving, _stream_after(start), config)
        if found := self._checkpoint.restore(self):
            folder, self._kept = found
            self._log = TrainingLog.read(folder, config)
        self._meter = Meter(self._kept.words, 0, self._kept.seconds)

    @property
    def has_learned(self) -> bool:
        return self._last is not self._start

    @property
    def has_caught_up(self) -> bool:
        """With its checkpoint, and there is something to save."""
        return self.has_learned and self.n_read >= self._kept.words

    def learn(self, block: WordBlock) -> None:
        block.update(self._digest)
        self.n_read += block.n_read
        self._state.report.tokens += len(block.tokens)
        if self.n_read <= self._kept.words:
            self._check_kept()
            return
        known = self._last.vocabulary(self._config.memory)
        if block.has_known(known):
            met = {word: self._unknown.get(word, 0) for word in self._start.model.unknown}
            corpus = encode_block(block, known, self._state.options, met)
            self._count(block, corpus.vocabulary.index)
            self._train(block, corpus)
        elif self.has_learned:
            self._count(block, known.index)
        else:
            raise none_known(len(block.words) - 1)
        if self._checkpoint.is_due:
            self._write_checkpoint()

    def _count(self, block: WordBlock, known: dict[str, int]) -> None:
        """Words that are not known, and how many of the tokens are."""
        counts = dict(zip(block.words[1:], block.counts[1:].tolist(), strict=True))
        unknown = {word: n for word, n in counts.items() if word not in known}
        for word in counts.keys() & self._unknown.keys() & known.keys():
            del self._unknown[word]
        report = self._state.report
        report.counts_are_lower_bounds |= add_unknown(self._unknown, unknown)
        self._n_known += len(block.tokens) - sum(unknown.values())

    def _train(self, block: WordBlock, corpus: EncodedCorpus) -> None:
        start = replace(self._last, seeks=not self.has_learned or self._seeks(block))
        crew = new_crew(corpus, self._config, self._pace, start)
        crew.start()
        total, at = self._config.epochs * len(corpus.tokens), 0
        while at < total:
            done = crew.round(at, min(total, at + crew.round_tokens), Stop())
            at = done.reached
            self._n_contexts += done.tally.get("contexts", 0.0)
            self._meter.add(done.tally)
            if at < total and self._meter.since_last >= self._pace.report_seconds:
                words = self.n_read - round(block.n_read * (1 - at / total))
                self._tell(words, learning_rate(self._config.lr, at, total))
        self._log.add(self._tell(self.n_read, 0.0), {})
        model = Model(crew.model_arrays(), corpus.vocabulary, self._info(corpus.vocabulary))
        model.rest = crew.rest_arrays() or None
        self._last = Start(model, self._start.say)

    def _seeks(self, block: WordBlock) -> bool:
        """Whether the text has grown by SEEK once more at the end of the block.

        Each time a stick waits in most words, and some learn a sense: with every block, senses would become too many.
        """
        memory = self._config.memory
        past = int(self._start.vocabulary(memory).counts.sum())
        before, after = (
            int(text_growth(past, n, memory) / SEEK) for n in (self.n_read - block.n_read, self.n_read)
        )
        return after > before

    def _tell(self, words: int, rate: float) -> StreamProgress:
        n_unknown = self._state.report.tokens - self._n_known
        progress = StreamProgress(**asdict(self._meter.report(words, rate)), unknown=n_unknown)
        check_progress(progress, self._config)
        self._report(progress)
        return progress

    def finish(self) -> Model:
        """The model of all blocks, saved if it is to be; the checkpoint is no longer needed."""
        if not self.n_read:
            raise InputError("the stream has no words: there is nothing to learn in it")
        if self.n_read < self._kept.words:
            raise InputError(
                f"the stream has {self.n_read} words, but the checkpoint had learned {self._kept.words}; give the "
                "whole stream again, or begin anew with --overwrite"
            )
        if not self._n_contexts and not self._kept.words:
            raise InputError(
                f"no known word with a context was met in {self.n_read} words, so nothing was learned; raise "
                f"subsample, which is {self._config.subsample}, or give longer sentences"
            )
        self._start.warn_of_text(self._digest.hexdigest())
        output, model = self._saving.output, self._model()
        if output is None:
            return self._start.decided(model)
        with new_folder(output, MODEL, self._saving.overwrite) as made:
            self._write_model(made)
        self._checkpoint.remove()
        return Model.load(output)

    def keep(self) -> str:
        """After a failure: a checkpoint, if there is something new for it, and what to say of it."""
        if self.n_read <= self._kept.words or not self.has_learned or self._saving.output is None:
            return ""
        self._write_checkpoint()
        return (
            f"; what {self._kept.words:,} words before that have taught is kept: give the whole stream again, "
            "repaired, with --resume"
        )

    def write_state(self, folder: Path) -> None:
        """After a block the model is all that is needed to go on."""

    def restore(self, folder: Path) -> None:
        model = Model.load(folder, raw=True)
        self._last, self._unknown = Start(model, self._start.say), dict(model.unknown)
        self._n_known = int(model.info["corpus"]["tokens"])

    def _write_checkpoint(self) -> None:
        position = Position(self.n_read, self._meter.seconds)
        self._checkpoint.write(self, position, self._write_model)
        self._kept = position

    def _write_model(self, folder: Path) -> None:
        self._model().write(folder)
        self._start.carry_over(folder)
        self._log.write(folder)

    def _model(self) -> Model:
        """As it is after the last block that was learned; blocks without known words may have come after it."""
        last = self._last.model
        model = Model(last.learned_arrays, last.vocabulary, self._info(last.vocabulary))
        model.rest, model.unknown = last.rest, self._unknown
        return model

    def _info(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """What config.json says."""
        digest = self._digest.hexdigest()
        text, old = Text(self._n_known, digest, digest), self._start.model.info
        report = self._state.report
        report.kept_tokens, report.kept_types = self._n_known, len(vocabulary)
        report.types = len(vocabulary) + len(self._unknown)
        return {
            "format": FORMAT_VERSION,
            "config": self._config.to_dict(),
            "corpus": text.corpus | {"report": report.to_dict()},
            "tokenizer": old["tokenizer"],
            "seen": seen(self._start, text),
            "training": {"words": self.n_read, **self._log.summary()},
            "versions": versions(),
        }

    def _check_kept(self) -> None:
        """At the place of the checkpoint: whether this is its stream."""
        told = self._last.model.info["corpus"]["fingerprint"]
        if self.n_read == self._kept.words and self._digest.hexdigest() != told:
            raise InputError(
                f"the checkpoint of {self._saving.output} has learned another stream: the first {self.n_read} words "
                "are not the same; give the same stream from its beginning, or begin anew with --overwrite"
            )


def _stream_after(start: Start) -> str:
    """A mark of checkpoints: a stream that continues this model."""
    known = [start.model.vocabulary.checksum, *(str(text) for text in start.model.info.get("seen", []))]
    return "stream after " + hashlib.blake2b("\n".join(known).encode(), digest_size=16).hexdigest()
