"""Continue a model with a stream: read it in blocks of words, and continue with each block as with a text.

Which words are in a block depends on the text alone, not on how its bytes arrive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.count import DROPPED, Scan, WordTable, add_words, make_scan
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encoded import EncodedCorpus, TokenBatch
from adagram.corpus.encoder import keep_words, without_runs
from adagram.corpus.options import EncodeOptions, min_count_for
from adagram.corpus.readers import read_blocks
from adagram.corpus.sources import Sources
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.storage import write_model
from adagram.training.checkpoint import STREAM, Checkpoint, Position, Saving
from adagram.training.continue_model import PreviousModel
from adagram.training.progress import Progress, Report, Stop, TrainingLog, interruptible
from adagram.training.run import train_encoded
from adagram.training.workers import Chunks

_UNLIMITED = 1 << 30  # more words than a block has
SEARCH_GROWTH = 0.04  # growth of the text after which new meanings are searched again


class WordBlock:
    """Words of a stream by provisional ids; DROPPED if they are too long."""

    def __init__(self) -> None:
        self._table = WordTable(_UNLIMITED)
        self._parts: list[TokenBatch] = []
        self.n_read = 0

    def take(self, scan: Scan, start: int, size: int) -> int:
        """Add words of the scan from `start` on, up to `size` in all; return where the others begin."""
        stop = min(len(scan.tokens), start + size - self.n_read)
        tokens = self._table.add(scan)[scan.tokens[start:stop]]
        ends = scan.ends[(scan.ends > start) & (scan.ends <= stop)]
        self._parts.append((tokens, ends - start + self.n_read))
        self.n_read += stop - start
        return stop

    def encode(self, previous: PreviousModel, options: EncodeOptions, memory: float) -> EncodedCorpus:
        """Return the corpus by which a model is continued with this block."""
        tokens, ends = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        known = self._table.candidates()
        counts = np.bincount(tokens, minlength=len(known.counts))
        counts[DROPPED] = 0
        candidates = replace(known, counts=counts)
        rare_counts = previous.model._continuation.unknown
        selection = add_words(candidates, options, previous.vocabulary(memory), rare_counts)
        _, tokens, ends = keep_words(selection.numbers(len(counts)), (tokens, ends))
        tokens, last = tokens.astype("<u4"), np.unique(ends[ends > 0]).astype("<u8")
        tokens.flags.writeable = last.flags.writeable = False  # as mapped files, for which kernels are compiled
        fingerprint = hashlib.blake2b(tokens.tobytes(), digest_size=16).hexdigest()
        corpus = EncodedCorpus(tokens, last, selection.vocabulary, fingerprint, {"text": fingerprint})
        vars(corpus)["unknown"] = selection.rare  # which a corpus in memory has no file for
        return corpus


def word_blocks(sources: Sources, state: ReadState, size: int) -> Iterator[WordBlock]:
    """Yield blocks of `size` words; the last may have fewer. Ignore damage after the user has ended the stream."""
    block, scans = WordBlock(), map(make_scan(state.options.tokenizer_config), read_blocks(sources, state))
    try:
        for scan in without_runs(scans, state.report):
            at = 0
            while at < len(scan.tokens):
                at = block.take(scan, at, size)
                if block.n_read == size:
                    yield block
                    block = WordBlock()
    except InputError:
        if not (state.is_over and state.is_over()):
            raise
    if block.n_read:
        yield block


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
    if saving.resume:
        raise InputError(
            f"a stream cannot be resumed; the checkpoint {saving.output}.checkpoint is a model: continue it with the "
            "rest of the stream, to another output"
        )
    chunks = chunks or Chunks()
    encoding = replace(encoding, min_count=encoding.min_count or min_count_for(chunks.block))
    with interruptible() as stop:
        reading = ReadState(encoding, CorpusReport(), is_over=lambda: stop.asked)
        run = StreamRun(config, reading, saving, report, previous_model, chunks)
        try:
            for block in word_blocks(sources, reading, chunks.block):
                if stop:
                    previous_model.say(
                        f"the stream ends here: its last {block.n_read:,} words are learned, then the model is saved; "
                        "Ctrl-C again leaves them out"
                    )
                run.learn(block)
        except KeyboardInterrupt:
            if not run.n_known:
                raise
    with interruptible():  # another Ctrl-C must not lose what was learned
        return run.finish()


class StreamRun:
    """`learn` block after block, then `finish`. A block that fails leaves no trace."""

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
        self._report, self._first, self._chunks = report, previous_model, chunks
        self._last = previous_model  # after the last block; the next block continues it
        self._n_read = self._n_searched = self.n_known = 0  # words of the stream
        self._seconds = 0.0
        self._log = TrainingLog(config)
        self._checkpoint = Checkpoint(saving, STREAM, config)

    def learn(self, block: WordBlock) -> None:
        """Continue the model with a block, and write a checkpoint if it is due."""
        read, is_search = self._n_read + block.n_read, self._is_time_to_search(block.n_read)
        last = replace(self._last, find_new_senses=is_search)
        try:
            corpus = block.encode(last, self._reading.options, self._config.memory)
            last.warn_of_text(corpus.fingerprint)
            n_known, heard = self.n_known + len(corpus.tokens), list[Progress]()

            def tell(progress: Progress) -> None:
                words = self._n_read + block.n_read * progress.words // progress.total
                seconds = self._seconds + progress.seconds
                heard.append(replace(progress, words=words, total=0, eta=0.0, seconds=seconds, unknown=read - n_known))
                self._report(heard[-1])

            model = train_encoded(corpus, self._config, Saving(), tell, self._chunks, last, Stop())
        except InputError as error:
            if not self.n_known:
                raise
            self._first.say(f"{block.n_read:,} words of the stream are left out: {error}")
            return
        self._log.add(heard[-1])
        self._last, self._n_read, self.n_known = PreviousModel(model, self._first.say), read, n_known
        self._seconds = heard[-1].seconds
        self._n_searched = read if is_search else self._n_searched
        if self._checkpoint.is_due:
            self._checkpoint.write(Position(read, self._seconds), self._write_model)

    def _is_time_to_search(self, n_more: int) -> bool:
        """Return whether the text has grown by SEARCH_GROWTH since new meanings were searched.

        Each search gives candidate senses to many words, and some of them are learned: a search in every block of a
        long stream would create too many senses.
        """
        known = min(self._last.n_tokens, self._config.memory or np.inf)
        return not self.n_known or self._n_read + n_more - self._n_searched >= SEARCH_GROWTH * known

    def finish(self) -> Model:
        """Return the model of all blocks; save it if there is an output, and remove the checkpoint."""
        if not self._n_read:
            raise InputError("the stream has no words: there is nothing to learn in it")
        return self._checkpoint.finish(self._write_model) if self._saving.output else self._model()

    def _write_model(self, folder: Path) -> None:
        write_model(self._model(), folder)
        self._first.carry_over(folder)
        self._log.write(folder)

    def _model(self) -> Model:
        """Return the model after the last block, with the figures of all blocks."""
        model, n_words = self._last.model, len(self._last.model)
        report = replace(self._reading.report, tokens=self._n_read, kept_tokens=self.n_known, kept_types=n_words)
        corpus = model.info["corpus"] | {"tokens": self.n_known, "report": report.to_dict()}
        training = {"words": self._n_read, **self._log.summary()}
        return model._changed(info=model.info | {"corpus": corpus, "training": training})
