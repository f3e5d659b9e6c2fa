"""A stream in blocks of words: which words are in a block depends on the text alone, not on how its bytes arrive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.count import DROPPED, Candidates, Scan, Scanners, WordTable, add_words, none_known
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import EARLY, NO_WORD, keep_words, refuse_runs
from adagram.corpus.options import EncodeOptions
from adagram.corpus.readers import read_blocks
from adagram.corpus.sources import Sources
from adagram.corpus.vocabulary import Vocabulary, add_unknown
from adagram.errors import InputError
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import Model
from adagram.model.model import write_model
from adagram.model.storage import FORMAT_VERSION
from adagram.paper.schedule import learning_rate
from adagram.training.checkpoint import STREAM, Checkpoint, Position, Saving
from adagram.training.continue_model import Start, Text, seen
from adagram.training.continued_systems import text_growth
from adagram.training.progress import Meter, Report, Stop, StreamProgress, TrainingLog, interruptible
from adagram.training.run import check_progress, new_crew, versions
from adagram.training.workers import Pace
from adagram.types import I64

_UNLIMITED = 1 << 30  # words of a table: no block has so many


@dataclass(frozen=True)
class WordBlock:
    """`tokens` are places in `words`, which are in the order of their first use; the word at 0 is none."""

    words: list[str]
    tokens: NDArray[np.uint32]
    ends: I64  # of sentences
    n_read: int  # its words, and those that were too long

    @cached_property
    def counts(self) -> I64:
        return np.bincount(self.tokens, minlength=len(self.words))

    def has_known(self, known: Vocabulary) -> bool:
        return any(word in known for word in self.words)

    def update(self, digest: hashlib.blake2b) -> None:
        """With its text."""
        digest.update("\n".join(self.words).encode())
        digest.update(self.tokens.data)


def word_blocks(sources: Sources, state: ReadState, size: int) -> Iterator[WordBlock]:
    """Blocks of `size` words each, but for the last; after an end that the user chose nothing is damaged."""
    scanners, filling, n_tokens = Scanners(state.options), _Filling(size), 0
    try:
        for text in read_blocks(sources, state):
            scan, at = scanners.scan(text), 0
            state.report.uncut_runs += scan.n_runs
            n_tokens += len(scan.tokens)
            if n_tokens > EARLY:
                refuse_runs(state.report.uncut_runs, n_tokens)
            while at < len(scan.tokens):
                at = filling.take(scan, at)
                if filling.is_full:
                    yield filling.block(state)
                    filling = _Filling(size)
    except InputError:
        if not (state.is_over and state.is_over()):
            raise
    refuse_runs(state.report.uncut_runs, n_tokens)
    if filling.n_read:
        yield filling.block(state)


class _Filling:
    """A block that is not full yet."""

    def __init__(self, size: int) -> None:
        self._size, self.n_read = size, 0
        self._table = WordTable(_UNLIMITED)
        self._tokens: list[NDArray[np.uint32]] = []
        self._ends: list[I64] = []

    @property
    def is_full(self) -> bool:
        return self.n_read == self._size

    def take(self, scan: Scan, start: int) -> int:
        """Tokens of the scan from `start` on, as many as there is room for; returns where the others begin."""
        stop = min(len(scan.tokens), start + self._size - self.n_read)
        self._tokens.append(self._table.add(scan.words)[scan.tokens[start:stop]].astype(np.uint32))
        ends = scan.ends[(scan.ends > start) & (scan.ends <= stop)]
        self._ends.append(ends - start + self.n_read)
        self.n_read += stop - start
        return stop

    def block(self, state: ReadState) -> WordBlock:
        """Words are numbered anew: those of the table depend on how the text was cut."""
        if self._table.n_too_long:
            state.skip("words that are too long", self._table.n_too_long)
        tokens, ends = np.concatenate(self._tokens), np.concatenate(self._ends)
        ids, firsts = np.unique(tokens, return_index=True)
        ids = ids[np.argsort(firsts)]
        ids = ids[ids != DROPPED]
        places = np.full(self._table.next_id, NO_WORD, np.uint32)
        places[ids] = np.arange(1, len(ids) + 1, dtype=np.uint32)
        _, tokens, ends = keep_words(places, (tokens, ends))
        ends = ends[ends > 0]
        word = self._table.candidates().word
        return WordBlock(["", *map(word, ids.tolist())], tokens, ends, self.n_read)


def encode_block(
    block: WordBlock, known: Vocabulary, options: EncodeOptions, met: Mapping[str, int]
) -> EncodedCorpus:
    """In the ids of the known words and of those after them that join now: of the words `met` before, not of others."""
    counts = block.counts.copy()
    for i, word in enumerate(block.words):
        if word not in known and word not in met:
            counts[i] = 0
    selection = add_words(Candidates(counts, block.words.__getitem__), options, known, met)
    ids = np.full(len(block.words), NO_WORD, np.uint32)
    ids[selection.ids] = np.arange(len(selection.vocabulary), dtype=np.uint32)
    ids[0] = NO_WORD  # where known words are that the block has not
    _, tokens, ends = keep_words(ids, (block.tokens, block.ends))
    tokens, last = tokens.astype("<u4"), np.unique(ends[ends > 0]).astype("<u8")
    tokens.flags.writeable = last.flags.writeable = (
        False  # as mapped files are, for which the kernels are compiled
    )
    return EncodedCorpus(tokens, last, selection.vocabulary, fingerprint="")


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)


@dataclass
class Reached:
    """A block that fails or is left out changes nothing: it works on a `copy`."""

    start: Start  # the model as it is, from which the next block goes on
    unknown: dict[str, int]  # words that it does not know
    n_read: int = 0  # words of the stream
    n_tokens: int = 0  # without those that were too long
    n_known: int = 0
    has_forgotten: bool = False  # rare ones of the unknown words
    digest: hashlib.blake2b = field(default_factory=_new_digest)  # of the words

    def copy(self) -> Reached:
        return replace(self, unknown=dict(self.unknown), digest=self.digest.copy())

    def read(self, block: WordBlock) -> None:
        block.update(self.digest)
        self.n_read += block.n_read
        self.n_tokens += len(block.tokens)

    def count(self, block: WordBlock, known: Vocabulary) -> None:
        """Its words, those that are not known by name; some that were not may be now."""
        counts = dict(zip(block.words[1:], block.counts[1:].tolist(), strict=True))
        unknown = {word: n for word, n in counts.items() if word not in known}
        for word in counts.keys() - unknown.keys():
            self.unknown.pop(word, None)
        self.has_forgotten |= add_unknown(self.unknown, unknown)
        self.n_known += len(block.tokens) - sum(unknown.values())

    @property
    def text(self) -> Text:
        digest = self.digest.hexdigest()
        return Text(self.n_known, digest, digest)


SEEK = 0.04  # growth of the text after which new meanings are looked for again


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
        run = StreamRun(start.settled(config, pace.block), state, saving, report, start, pace)
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
        except Exception as error:
            kept = run.keep()
            if kept and isinstance(error, InputError):
                raise InputError(f"{error}{kept}") from None
            raise
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
        self._at = Reached(start, dict(start.model.unknown))
        self._n_contexts = 0.0  # context words trained on
        self._log = TrainingLog(config)
        self._kept = Position()  # of the last checkpoint
        self._checkpoint = Checkpoint(saving, _stream_after(start), config)
        if found := self._checkpoint.restore(self):
            folder, self._kept = found
            self._log = TrainingLog.read(folder, config)
        self._meter = Meter(self._kept.words, 0, self._kept.seconds)

    @property
    def n_read(self) -> int:
        return self._at.n_read

    @property
    def has_learned(self) -> bool:
        return self._at.start is not self._start

    @property
    def has_caught_up(self) -> bool:
        """With its checkpoint, and there is something to save."""
        return self.has_learned and self.n_read >= self._kept.words

    def learn(self, block: WordBlock) -> None:
        after = self._at.copy()
        after.read(block)
        is_fresh = after.n_read > self._kept.words
        if is_fresh:
            self._go_on(block, after)
        elif after.n_read == self._kept.words:
            self._check_kept(after)
        self._at = after
        if is_fresh and self._checkpoint.is_due:
            self._write_checkpoint()

    def _go_on(self, block: WordBlock, after: Reached) -> None:
        """Count the words of a block and train those that are known."""
        known = after.start.vocabulary(self._config.memory)
        if block.has_known(known):
            met = {word: after.unknown.get(word, 0) for word in self._start.model.unknown}
            corpus = encode_block(block, known, self._state.options, met)
            after.count(block, corpus.vocabulary)
            after.start = Start(self._train(block, corpus, after), self._start.say)
        elif self.has_learned:
            after.count(block, known)
        else:
            raise none_known(len(block.words) - 1)

    def _train(self, block: WordBlock, corpus: EncodedCorpus, after: Reached) -> Model:
        start = replace(
            after.start, find_new_senses=not self.has_learned or self._is_time_to_search(after.n_read)
        )
        crew = new_crew(corpus, self._config, self._pace, start)
        crew.start()
        total, at = self._config.epochs * len(corpus.tokens), 0
        while at < total:
            done = crew.round(at, min(total, at + crew.round_tokens), Stop())
            at = done.reached
            self._n_contexts += done.tally.get("contexts", 0.0)
            self._meter.add(done.tally)
            if at < total and self._meter.since_last >= self._pace.report_seconds:
                words = after.n_read - round(block.n_read * (1 - at / total))
                self._tell(after, words, learning_rate(self._config.lr, at, total))
        self._log.add(self._tell(after, after.n_read, 0.0), {})
        model = Model(crew.model_arrays(), corpus.vocabulary, self._info(after, corpus.vocabulary))
        model.rest = crew.unlearned_arrays() or None
        return model

    def _is_time_to_search(self, n_read: int) -> bool:
        """Whether the text has grown by SEEK once more, from the last block to here.

        Each time a stick waits in most words, and some learn a sense: with every block, senses would become too many.
        """
        memory = self._config.memory
        old = int(self._start.vocabulary(memory).counts.sum())
        before, now = (int(text_growth(old, n, memory) / SEEK) for n in (self.n_read, n_read))
        return now > before

    def _tell(self, after: Reached, words: int, rate: float) -> StreamProgress:
        figures = asdict(self._meter.report(words, rate))
        progress = StreamProgress(**figures, unknown=after.n_tokens - after.n_known)
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
                "whole stream again, or begin anew with overwrite=True"
            )
        if not self._n_contexts and not self._kept.words:
            raise InputError(
                f"no known word with a context was met in {self.n_read} words, so nothing was learned; raise "
                f"subsample, which is {self._config.subsample}, or give longer sentences"
            )
        self._start.warn_of_text(self._at.text.text)
        output = self._saving.output
        if output is None:
            return self._start.decided(self._model())
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
            "repaired, with resume=True"
        )

    def write_state(self, folder: Path) -> None:
        """After a block the model is all that is needed to go on."""

    def restore(self, folder: Path) -> None:
        model = Model.load(folder, raw=True)
        n_known = int(model.info["corpus"]["tokens"])
        self._at = Reached(Start(model, self._start.say), dict(model.unknown), n_known=n_known)

    def _write_checkpoint(self) -> None:
        position = Position(self.n_read, self._meter.seconds)
        self._checkpoint.write(self, position, self._write_model)
        self._kept = position

    def _write_model(self, folder: Path) -> None:
        write_model(self._model(), folder)
        self._start.carry_over(folder)
        self._log.write(folder)

    def _model(self) -> Model:
        """As it is after the last block that was learned; blocks without known words may have come after it."""
        last = self._at.start.model
        model = Model(last.learned_arrays, last.vocabulary, self._info(self._at, last.vocabulary))
        model.rest, model.unknown = last.rest, self._at.unknown
        return model

    def _info(self, at: Reached, vocabulary: Vocabulary) -> dict[str, Any]:
        """What config.json says."""
        report = replace(
            self._state.report,
            tokens=at.n_tokens,
            types=len(vocabulary) + len(at.unknown),
            kept_tokens=at.n_known,
            kept_types=len(vocabulary),
            counts_are_lower_bounds=at.has_forgotten,
        )
        return {
            "format": FORMAT_VERSION,
            "config": self._config.to_dict(),
            "corpus": at.text.corpus | {"report": report.to_dict()},
            "tokenizer": self._start.model.info["tokenizer"],
            "seen": seen(self._start, at.text),
            "training": {"words": at.n_read, **self._log.summary()},
            "versions": versions(),
        }

    def _check_kept(self, at: Reached) -> None:
        """At the place of the checkpoint: whether this is its stream."""
        if at.text.fingerprint != at.start.model.info["corpus"]["fingerprint"]:
            raise InputError(
                f"the checkpoint of {self._saving.output} has learned another stream: the first {at.n_read} words "
                "are not the same; give the same stream from its beginning, or begin anew with overwrite=True"
            )


def _stream_after(start: Start) -> str:
    """A mark of checkpoints: a stream that continues this model."""
    known = [start.model.vocabulary.checksum, *(str(text) for text in start.model.info.get("seen", []))]
    return STREAM + hashlib.blake2b("\n".join(known).encode(), digest_size=16).hexdigest()
