"""Small models and corpora to be tortured, made once."""

from __future__ import annotations

from functools import cache

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.pace import Pace
from adagram.training.run import train_encoded
from adagram.vocabulary import Vocabulary

CONFIG = TrainConfig(dim=8, threads=1, window=3)
PACE = Pace(piece=256, pieces_per_round=2, report_seconds=0.0)
N_WORDS, N_TOKENS = 40, 2_000


@cache
def corpus(turn: int) -> EncodedCorpus:
    """Random words a0, a1, … or b0, b1, …; sentences of ten."""
    draw = np.random.default_rng(turn)
    tokens = np.minimum(draw.geometric(0.1, N_TOKENS) - 1, N_WORDS - 1)
    tokens[:N_WORDS] = np.arange(N_WORDS)
    counts = {f"{'ab'[turn]}{i}": int((tokens == i).sum()) for i in range(N_WORDS)}
    vocabulary = Vocabulary.from_counts(counts)
    ids = np.array([vocabulary.index[f"{'ab'[turn]}{i}"] for i in tokens], np.uint32)
    ends = np.arange(10, N_TOKENS + 1, 10).astype(np.uint64)
    return EncodedCorpus(ids, ends, vocabulary, f"torture-{turn}")


@cache
def model(turn: int) -> Model:
    return train_encoded(corpus(turn), CONFIG, Saving(), lambda progress: None, PACE)
