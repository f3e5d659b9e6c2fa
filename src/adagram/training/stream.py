"""Continue a model with a stream: read it in blocks of words, and train on each block as on a text.

Which words are in a block depends on the text alone, not on how its bytes arrive.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.count import DROPPED, Candidates, Scan, Scanners, WordTable, add_words, none_known
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encoded import EncodedCorpus, TokenBatch
from adagram.corpus.encoder import EARLY, keep_words, refuse_runs
from adagram.corpus.options import EncodeOptions
from adagram.corpus.readers import read_blocks
from adagram.corpus.sources import Sources
from adagram.corpus.vocabulary import Vocabulary, add_unknown
from adagram.errors import InputError
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import Model
from adagram.model.storage import Continuation, write_model
from adagram.training.checkpoint import STREAM, Checkpoint, Position, Saving
from adagram.training.continue_model import PreviousModel, Text
from adagram.training.continued_systems import text_growth
from adagram.training.progress import Meter, Report, Stop, TrainingLog, interruptible
from adagram.training.run import check_progress, model_info
from adagram.training.workers import Chunks, Threads

_UNLIMITED = 1 << 30  # more words than a block has


class WordBlock:
    """Words of a stream by provisional ids; DROPPED if they are too long."""

    def __init__(self) -> None:
        self._table = WordTable(_UNLIMITED)
        self._parts: list[TokenBatch] = []
        self.n_read = 0

    def take(self, scan: Scan, start: int, size: int) -> int:
        """Add words of the scan from `start` on, up to `size` in all; return where the others begin."""
        stop = min(len(scan.tokens), start + size - self.n_read)
        tokens = self._table.add(scan.words)[scan.tokens[start:stop]]
        ends = scan.ends[(scan.ends > start) & (scan.ends <= stop)]
        self._parts.append((tokens, ends - start + self.n_read))
        self.n_read += stop - start
        return stop

    @cached_property
    def batch(self) -> TokenBatch:
        tokens, ends = zip(*self._parts, strict=True)
        return np.concatenate(tokens), np.concatenate(ends)

    def candidates(self) -> Candidates:
        counts = np.bincount(self.batch[0], minlength=self._table.next_id)
        counts[DROPPED] = 0
        return Candidates(counts, self._table.candidates().word)


def word_blocks(sources: Sources, state: ReadState, size: int) -> Iterator[WordBlock]:
    """Yield blocks of `size` words; the last may have fewer. Ignore damage after the user has ended the stream."""
    scanners, block, n_tokens = Scanners(state.options), WordBlock(), 0
    try:
        for text in read_blocks(sources, state):
            scan, at = scanners.scan(text), 0
            state.report.uncut_runs += scan.n_runs
            n_tokens += len(scan.tokens)
            if n_tokens > EARLY:
                refuse_runs(state.report.uncut_runs, n_tokens)
            while at < len(scan.tokens):
                at = block.take(scan, at, size)
                if block.n_read == size:
                    yield block
                    block = WordBlock()
    except InputError:
        if not (state.is_over and state.is_over()):
            raise
    refuse_runs(state.report.uncut_runs, n_tokens)
    if block.n_read:
        yield block


def encode_block(
    block: WordBlock, old_vocabulary: Vocabulary, options: EncodeOptions, rare_counts: Mapping[str, int]
) -> EncodedCorpus:
    """Encode a block with the old vocabulary and the words of `rare_counts` that are frequent enough by now."""
    candidates = block.candidates()
    for i in np.flatnonzero(candidates.counts).tolist():
        if (word := candidates.word(i)) not in old_vocabulary and word not in rare_counts:
            candidates.counts[i] = 0
    selection = add_words(candidates, options, old_vocabulary, rare_counts)
    _, tokens, ends = keep_words(selection.numbers(len(candidates.counts)), block.batch)
    tokens, last = tokens.astype("<u4"), np.unique(ends[ends > 0]).astype("<u8")
    tokens.flags.writeable = last.flags.writeable = False  # as mapped files, for which kernels are compiled
    return EncodedCorpus(tokens, last, selection.vocabulary, fingerprint="")


@dataclass
class StreamState:
    """Progress through a stream. Each block works on a copy, so a failed block leaves no trace."""

    model: PreviousModel  # after the last block; the next block continues it
    unknown: dict[str, int]  # words that are not in its vocabulary
    n_read: int = 0  # words of the stream
    n_tokens: int = 0  # without those that were too long
    n_known: int = 0
    has_forgotten: bool = False  # whether rare unknown words were dropped
    digest: hashlib.blake2b = field(default_factory=partial(hashlib.blake2b, digest_size=16))  # of the words

    def read(self, block: WordBlock) -> dict[str, int]:
        """Add a block to the figures of what was read and to the digest; return the counts of its words."""
        candidates = block.candidates()
        word, counts = candidates.word, candidates.counts
        self.digest.update("".join(f"{word(i)}\n" for i in block.batch[0].tolist()).encode())
        self.n_read += block.n_read
        self.n_tokens += int(counts.sum())
        return {word(i): int(counts[i]) for i in np.flatnonzero(counts).tolist()}

    def count(self, counts: Mapping[str, int], vocabulary: Vocabulary) -> None:
        """Count known words, and unknown words by name; unknown words may have become known."""
        unknown = {word: n for word, n in counts.items() if word not in vocabulary}
        for word in counts.keys() - unknown.keys():
            self.unknown.pop(word, None)
        self.has_forgotten |= add_unknown(self.unknown, unknown)
        self.n_known += sum(counts.values()) - sum(unknown.values())

    @property
    def text(self) -> Text:
        digest = self.digest.hexdigest()
        return Text(self.n_known, digest, digest)


SEARCH_GROWTH = 0.04  # growth of the text after which new meanings are searched again


def train_stream(
    sources: Sources,
    config: TrainConfig,
    encoding: EncodeOptions,
    saving: Saving,
    report: Report,
    previous_model: PreviousModel,
    chunks: Chunks | None = None,
) -> Model:
    """Learn the stream block by block, to its end or to Ctrl-C; save and return the model."""
    chunks = chunks or Chunks()
    with interruptible() as stop:
        state = ReadState(encoding, CorpusReport(), is_over=lambda: stop.asked)
        resolved = previous_model.resolve(config, chunks.block)
        run = StreamRun(resolved, state, saving, report, previous_model, chunks)
        try:
            for block in word_blocks(sources, state, chunks.block):
                if stop:
                    previous_model.say(
                        f"the stream ends here: its last {block.n_read:,} words are learned, then the model is saved; "
                        "Ctrl-C again leaves them out"
                    )
                run.learn(block)
        except KeyboardInterrupt:
            if not run.has_learned:
                raise
        if stop and not run.has_caught_up:
            raise KeyboardInterrupt
    with interruptible():  # another Ctrl-C must not lose what was learned
        return run.finish()


class StreamRun:
    """`learn` block after block, then `finish`. A resumed run skips the blocks of its checkpoint."""

    def __init__(
        self,
        config: TrainConfig,
        reading: ReadState,
        saving: Saving,
        report: Report,
        previous_model: PreviousModel,
        chunks: Chunks,
    ) -> None:
        self._config, self._reading, self._saving = config, reading, saving
        self._report, self._previous_model, self._chunks = report, previous_model, chunks
        self._state = StreamState(previous_model, dict(previous_model.model._continuation.unknown))
        self._n_contexts = 0.0  # context words trained on
        self._log = TrainingLog(config)
        self._kept = Position()  # of the last checkpoint
        self._checkpoint = Checkpoint(saving, _stream_after(previous_model), config)
        if found := self._checkpoint.restore(self._restore):
            folder, self._kept = found
            self._log = TrainingLog.read(folder, config)
        self._meter = Meter(self._kept.words, 0, self._kept.seconds)

    @property
    def has_learned(self) -> bool:
        return self._state.model is not self._previous_model

    @property
    def has_caught_up(self) -> bool:
        """Return whether it has passed its checkpoint and has something to save."""
        return self.has_learned and self._state.n_read >= self._kept.words

    def learn(self, block: WordBlock) -> None:
        """Train on a block that the checkpoint does not have; write a checkpoint if it is due."""
        state = self._state
        after = replace(state, unknown=dict(state.unknown), digest=state.digest.copy())
        counts = after.read(block)
        if after.n_read > self._kept.words:
            self._continue(block, counts, after)
        elif after.n_read == self._kept.words:
            self._check_kept(after)
        self._state = after
        if after.n_read > self._kept.words and self._checkpoint.is_due:
            self._kept = Position(after.n_read, self._meter.seconds)
            self._checkpoint.write(self._kept, self._write_model)

    def _continue(self, block: WordBlock, counts: Mapping[str, int], after: StreamState) -> None:
        """Count the words of a block and train on those that are known."""
        vocabulary = after.model.vocabulary(self._config.memory)
        if any(word in vocabulary for word in counts):
            rare = self._previous_model.model._continuation.unknown
            rare_counts = {word: after.unknown.get(word, 0) for word in rare}
            corpus = encode_block(block, vocabulary, self._reading.options, rare_counts)
            after.count(counts, corpus.vocabulary)
            after.model = PreviousModel(self._train(corpus, after), self._previous_model.say)
        elif self.has_learned:
            after.count(counts, vocabulary)
        else:
            raise none_known(len(counts))

    def _train(self, corpus: EncodedCorpus, after: StreamState) -> Model:
        is_search = not self.has_learned or self._is_time_to_search(after.n_read)
        state = replace(after.model, find_new_senses=is_search).state_for(corpus, self._config.memory)
        workers = Threads(corpus, self._config, self._chunks, state)
        workers.start()
        tally = workers.round(0, self._config.epochs * len(corpus.tokens), Stop()).tally
        self._n_contexts += tally["contexts"]
        self._meter.add(tally)
        progress = replace(self._meter.report(after.n_read, 0.0), unknown=after.n_tokens - after.n_known)
        check_progress(progress, self._config)
        self._report(progress)
        self._log.add(progress)
        arrays, rest = workers.system.arrays()
        model = Model(arrays, corpus.vocabulary, self._previous_model.model.info)
        model._continuation = Continuation(rest or None, {})
        return model

    def _is_time_to_search(self, n_read: int) -> bool:
        """Return whether the text has grown by SEARCH_GROWTH once more since the last block.

        Each search gives candidate senses to many words, and some of them are learned: a search in every block would
        create too many senses.
        """
        memory = self._config.memory
        old = int(self._previous_model.vocabulary(memory).counts.sum())
        before, now = (int(text_growth(old, n, memory) / SEARCH_GROWTH) for n in (self._state.n_read, n_read))
        return now > before

    def finish(self) -> Model:
        """Return the model of all blocks; save it if there is an output, and remove the checkpoint."""
        n_read = self._state.n_read
        if not n_read:
            raise InputError("the stream has no words: there is nothing to learn in it")
        if n_read < self._kept.words:
            raise InputError(
                f"the stream has {n_read} words, but the checkpoint had learned {self._kept.words}; give the "
                "whole stream again, or begin anew with overwrite=True"
            )
        if not self._n_contexts and not self._kept.words:
            raise InputError(
                f"no known word with a context was met in {n_read} words, so nothing was learned; raise "
                f"subsample, which is {self._config.subsample}, or give longer sentences"
            )
        self._previous_model.warn_of_text(self._state.text.text)
        output = self._saving.output
        if output is None:
            return self._previous_model.decided(self._model())
        with new_folder(output, MODEL, self._saving.overwrite) as made:
            self._write_model(made)
        self._checkpoint.remove()
        return Model.load(output)

    def _restore(self, folder: Path) -> None:
        """Read the state, which after a block is the model alone."""
        model = Model.load(folder, raw=True)
        n_known = int(model.info["corpus"]["tokens"])
        self._state = StreamState(
            PreviousModel(model, self._previous_model.say), dict(model._continuation.unknown), n_known=n_known
        )

    def _write_model(self, folder: Path) -> None:
        write_model(self._model(), folder)
        self._previous_model.carry_over(folder)
        self._log.write(folder)

    def _model(self) -> Model:
        """Return the model after the last block that had known words, with the counts of all blocks."""
        at, previous = self._state, self._previous_model
        last, read = at.model.model, self._reading.report
        too_long = Counter({"words that are too long": at.n_read - at.n_tokens})
        report = replace(
            read,
            tokens=at.n_tokens,
            types=len(last) + len(at.unknown),
            kept_tokens=at.n_known,
            kept_types=len(last),
            skipped=read.skipped + too_long,
            counts_are_lower_bounds=at.has_forgotten,
        ).to_dict()
        training = {"words": at.n_read, **self._log.summary()}
        info = model_info(self._config, at.text, report, previous.model.info["tokenizer"], previous, training)
        model = Model(last.learned_arrays, last.vocabulary, info)
        model._continuation = Continuation(last._continuation.rest, at.unknown)
        return model

    def _check_kept(self, at: StreamState) -> None:
        """Refuse another stream than that of the checkpoint, at its position."""
        if at.text.fingerprint != at.model.model.info["corpus"]["fingerprint"]:
            raise InputError(
                f"the checkpoint of {self._saving.output} has learned another stream: the first {at.n_read} words "
                "are not the same; give the same stream from its beginning, or begin anew with overwrite=True"
            )


def _stream_after(previous_model: PreviousModel) -> str:
    """Return the fingerprint of runs over a stream that continue this model."""
    model = previous_model.model
    parts = [model.vocabulary.checksum, *(str(text) for text in model.info.get("seen", []))]
    return STREAM + hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
