"""The fast kernel against the oracle that evaluates all T senses of every token."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.config import TrainConfig
from adagram.kernels.arrays import padded
from adagram.paper.reference import Reference
from adagram.paper.softmax import huffman
from adagram.systems.adagram import AdaGram
from adagram.training.workers import Piece, SpanMaker
from tests_support import planted, train_in_memory, zipf_corpus


def span_of(corpus, config):
    return SpanMaker(corpus, config, len(corpus.tokens)).make(Piece(0, 0, len(corpus.tokens)))


def oracle_of(corpus, vectors, output, alpha):
    n_w = corpus.vocabulary.counts.astype(float)
    return Reference(huffman(corpus.vocabulary.counts), n_w, vectors, output, alpha)


@pytest.mark.parametrize("row_limit", [0.0, 0.5])
@pytest.mark.parametrize("n_senses", [1, 3])
@pytest.mark.parametrize("dim", [5, 16])
def test_agrees_with_the_oracle_on_live_senses(n_senses, dim, row_limit):
    """All senses alive from the start, large vectors: counts and vectors after 400 tokens are the oracle's."""
    draw = np.random.default_rng(3)
    corpus = zipf_corpus(20, 400, seed=1)
    n = len(corpus.vocabulary)
    config = TrainConfig.from_preset(
        "paper", dim=dim, window=3, alpha=0.3, max_senses=n_senses, threads=1, row_limit=row_limit
    )
    system = AdaGram(config, corpus.vocabulary, corpus.vocabulary.counts.astype(float))
    vectors, output = draw.normal(size=(n, n_senses, dim)), draw.normal(size=(n, dim)) / 2
    counts = draw.gamma(1.0, 5.0, size=(n, n_senses))
    oracle = oracle_of(corpus, vectors.copy(), output.copy(), config.alpha)
    oracle.counts = counts.copy()
    if row_limit:  # a token updates node n of the tree 6 P(n) times
        below = np.zeros(n)
        for w, count in enumerate(corpus.vocabulary.counts.tolist()):
            below[oracle.tree.path(w)[0]] += count
        visits = 6 * below / below.max()  # every path starts at the root
        oracle.row_rates = np.minimum(1.0, row_limit / np.maximum(visits, 1e-9))[:, None]
        assert (oracle.row_rates < 1).sum() > 5

    state = {
        "vectors": np.zeros((n * n_senses, padded(dim)), np.float32),
        "counts": counts.T.ravel(),
        "next_row": np.append(np.arange(n, n * n_senses), np.full(n, -1)).astype(np.int32),
        "pending": np.zeros(n),
        "output": np.zeros((n, padded(dim)), np.float32),
    }
    state["vectors"][:, :dim] = vectors.transpose(1, 0, 2).reshape(-1, dim)
    system.restore(state)
    padding = np.zeros((n, padded(dim) - dim))
    system.output.set(np.hstack([output, padding]).astype(np.float32))
    span = span_of(corpus, config)
    assert system.train(span, system.scratch()) == span.last
    oracle.train(corpus.tokens, config.window, config.lr)

    after = system.state()
    assert_allclose(after["counts"].reshape(n_senses, n).T, oracle.counts, rtol=2e-3, atol=2e-3)
    found = after["vectors"].reshape(n_senses, n, -1).transpose(1, 0, 2)
    assert_allclose(found[:, :, :dim], oracle.vectors, atol=2e-3)
    assert_allclose(system.output.learned()[:, :dim], oracle.output, atol=2e-3)
    assert not found[:, :, dim:].any(), "padding stays zero"


def test_posteriors_agree_with_the_oracle(planted_corpus, planted_model):
    """The model's Eq. (8), single and in batch, against the formula on the same parameters."""
    words, ids = planted_corpus.vocabulary.words, planted_corpus.tokens
    i = int(np.flatnonzero(ids == planted_corpus.vocabulary.index["planted"])[7])
    context = [words[t] for t in [*ids[i - 4 : i], *ids[i + 1 : i + 5]]]
    rows = planted_model.rows("planted")
    tree = huffman(planted_corpus.vocabulary.counts)
    output = planted_model.arrays["output"][:, :24].astype(float)
    log_p = np.zeros(2)
    for k, vector in enumerate(planted_model.vectors[rows].astype(float)):
        for y in planted_corpus.vocabulary.ids(context):
            nodes, turns = tree.path(int(y))
            log_p[k] += np.log(1 / (1 + np.exp(-turns * (output[nodes] @ vector)))).sum()
    weights = planted_model.priors[rows] * np.exp(log_p - log_p.max())
    assert_allclose(planted_model.disambiguate("planted", context), weights / weights.sum(), rtol=1e-4)
    batch = planted_model.disambiguate_batch(["planted"], [context])[0]
    assert_allclose(batch, weights / weights.sum(), rtol=1e-4)


@pytest.mark.parametrize("n_topics", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_lazily_born_senses_are_those_of_evaluating_all(n_topics):
    corpus = planted(n_topics, n_sentences=200 * n_topics)
    n, dim, n_senses, alpha = len(corpus.vocabulary), 8, 4, 0.1
    model = train_in_memory(corpus, dim=dim, window=3, max_senses=n_senses, alpha=alpha, lr=0.1, threads=1)
    draw = np.random.default_rng(0)
    start = (draw.random((n, n_senses, dim)) - 0.5) / dim
    oracle = oracle_of(corpus, start, (draw.random((n, dim)) - 0.5) / dim, alpha)
    oracle.train(corpus.tokens, 3, 0.1)

    w = corpus.vocabulary.index["planted"]
    assert oracle.n_senses()[w] == n_topics
    assert len(model.senses("planted", top=0)) == n_topics
    assert model.n_senses / n == pytest.approx(oracle.n_senses().mean(), rel=0.01)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens[:1500]]
    assert model.log_likelihood(words) == pytest.approx(oracle.log_likelihood(corpus.tokens[:1500], 3), abs=2e-3)
