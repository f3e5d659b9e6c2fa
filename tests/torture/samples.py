"""Small models and corpora to be tortured, made once."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from adagram.cli import main as command_line
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from adagram.training.workers import Chunks
from torture.texts import DATED

CONFIG = TrainConfig.from_preset(
    "paper", dim=8, threads=1, window=3, alpha=1.0, epochs=5
)  # some words get several senses
CHUNKS = Chunks(piece=256, pieces_per_round=2, report_seconds=0.0)
N_WORDS, N_TOKENS = 40, 2_000


@cache
def corpus(turn: int) -> EncodedCorpus:
    """Sentences of ten words a1, a2, … or b1, b2, … of one of two topics, with a0 or b0 in all of them."""
    draw = np.random.default_rng(turn)
    topics = np.repeat(draw.integers(0, 2, N_TOKENS // 10), 10)
    tokens = np.minimum(draw.geometric(0.15, N_TOKENS), N_WORDS // 2 - 1) + topics * (N_WORDS // 2)
    tokens[draw.integers(3, 7, N_TOKENS // 10) + np.arange(0, N_TOKENS, 10)] = 0
    tokens[:N_WORDS] = np.arange(N_WORDS)
    counts = {f"{'ab'[turn]}{i}": int((tokens == i).sum()) for i in range(N_WORDS)}
    vocabulary = Vocabulary.from_counts(counts)
    ids = np.array([vocabulary.index[f"{'ab'[turn]}{i}"] for i in tokens], np.uint32)
    ends = np.arange(10, N_TOKENS + 1, 10).astype(np.uint64)
    return EncodedCorpus(ids, ends, vocabulary, f"torture-{turn}")


@cache
def model(turn: int) -> Model:
    return train_encoded(corpus(turn), CONFIG, Saving(), lambda progress: None, CHUNKS)


def configured(algorithm: str) -> TrainConfig:
    return replace(CONFIG, algorithm=algorithm)


def command(*arguments: object) -> None:
    """A verb as users give it, without its words; a refusal is an error."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as words:
        try:
            command_line([str(argument) for argument in arguments])
        except SystemExit as stop:
            if stop.code:
                raise InputError(words.getvalue().strip()) from None


def curated(folder: Path) -> None:
    """A model with a sense sheet, trends and a journal."""
    model(0).save(folder)
    dated = folder.with_name("dated.jsonl")
    dated.write_text(DATED)
    command("describe", folder, dated, "--threads", 1)
    command("trends", folder, dated, "--by", "year", "--min-count", 1, "--threads", 1)
    two = ambiguous()
    command("label", folder, f"{two}#0", "a label")
    command("merge", folder, two, 0, 1)


def ambiguous() -> str:
    """A word of the first model with two senses."""
    return model(0).vocabulary.words[int(np.argmax(np.diff(model(0).offsets) > 1))]
