"""Small corpora with known senses, and the command line in this process."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from adagram.training.checkpoint import Saving, check_places
from adagram.training.progress import Progress, Report, interruptible
from adagram.training.run import Run, train_encoded
from adagram.training.workers import Chunks, Threads

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # noqa: F401 (for the tests)

FINE = Chunks(piece=256, pieces_per_round=4, report_seconds=0.0)  # a report after every thousand tokens


@cache
def called(part: Any) -> Any:
    """A part of kernels as Python can call it."""
    return numba.njit(lambda *arguments: part(*arguments))


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Make `data` the standard input of commands in this process."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def corpus_of(sentences: Iterable[list[str]], name: str = "test") -> EncodedCorpus:
    """An encoded corpus in memory."""
    sentences = list(sentences)
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    vocabulary = Vocabulary.from_counts(counts)
    tokens = np.array([vocabulary.index[word] for s in sentences for word in s], dtype=np.uint32)
    ends = np.cumsum([len(s) for s in sentences]).astype(np.uint64)
    return EncodedCorpus(tokens, ends, vocabulary, name)


def planted(n_topics: int, n_sentences: int, seed: int = 0) -> EncodedCorpus:
    """Sentences about one of several topics; 'planted' occurs in all of them, the other words in one topic each."""
    draw = np.random.default_rng(seed)
    sentences = []
    for _ in range(n_sentences):
        topic = draw.integers(n_topics)
        words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
        words[int(draw.integers(2, 8))] = "planted"
        sentences.append(words)
    return corpus_of(sentences)


def zipf_corpus(n_words: int, n_tokens: int, seed: int = 0) -> EncodedCorpus:
    """Random words with Zipf's frequencies: a shape like text, without meaning."""
    draw = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, n_words + 1)
    ids = draw.choice(n_words, size=n_tokens, p=chances / chances.sum())
    return corpus_of([[f"w{i}" for i in ids]])


def train_by_threads(
    corpus: EncodedCorpus, config: TrainConfig, report: Report = lambda progress: None, chunks: Chunks | None = None
) -> Threads:
    """Run to the end; return the threads."""
    chunks = chunks or Chunks()
    workers = Threads(corpus, config, chunks)
    run = Run(corpus, config, workers, Saving(), chunks.report_seconds)
    run.begin()
    with interruptible() as stop:
        run.train(report, stop)
    return workers


def stopping(at: int, how: signal.Signals = signal.SIGINT) -> Report:
    """A listener that asks the run to stop, as Ctrl-C would, at the given report."""
    heard: list[Progress] = []

    def hear(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) == at:
            signal.raise_signal(how)

    return hear


def train_in_memory(corpus: EncodedCorpus, output: Path | None = None, **options: Any) -> Model:
    saving = Saving(output)
    check_places(saving)
    return train_encoded(corpus, TrainConfig.from_preset("paper", **options), saving, lambda progress: None)
