"""A block of four tokens against the same tokens one at a time: the result is the same but for rounding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.config import TrainConfig
from adagram.kernels.arrays import BLOCK_SPAN, aligned
from adagram.kernels.block import choose_centres
from adagram.paper.schedule import keep_probability
from adagram.systems.adagram import AdaGram
from adagram.training.workers import Piece, SpanMaker
from tests_support import called, corpus_of, planted, zipf_corpus

ROOM = 16  # births of a block: four words that can have four more senses
SHORT = [[f"w{i % 7}" for i in range(j, j + 1 + j % 6)] for j in range(90)]  # windows are cut, some words stand alone
CASES = {
    "many repeats": (zipf_corpus(12, 600, seed=1), {}),
    "few repeats": (zipf_corpus(300, 600, seed=2), {}),
    "sentence ends": (corpus_of(SHORT), {"respect_boundaries": True}),
    "shrinking windows": (zipf_corpus(60, 600, seed=3), {"shrink_windows": True, "window": 4}),
    "subsampling": (zipf_corpus(60, 900, seed=4), {"subsample": 1e-2}),
    "private hot rows": (zipf_corpus(300, 600, seed=5), {"threads": 2}),
    "one sense": (zipf_corpus(60, 600, seed=7), {"max_senses": 1}),
    "births": (planted(2, n_sentences=60), {"alpha": 0.5}),
}


def trained(corpus, options, pieces_of):
    """The state after training on spans of these tokens; pieces_of gives the bounds of each call."""
    config = TrainConfig.from_preset(
        "paper", **({"dim": 20, "window": 3, "max_senses": 5, "threads": 1, "lr": 0.1} | options)
    )
    keep = keep_probability(corpus.vocabulary.counts, config.subsample)
    system = AdaGram(config, corpus.vocabulary, corpus.vocabulary.counts * keep)
    system.start()
    draw, state = np.random.default_rng(0), system.state()
    for name in ("vectors", "output"):  # long vectors, so that what one token moves is seen by the next
        state[name] = (draw.normal(size=state[name].shape) * (state[name] != 0) / 2).astype(np.float32)
    system.restore(state)
    scratch = system.scratch()
    span = SpanMaker(corpus, config, len(corpus.tokens)).make(Piece(0, 0, len(corpus.tokens)))
    for first, last in pieces_of(span):
        part = span._replace(first=first, last=last)
        while (reached := system.train(part, scratch)) < part.last:
            part = part._replace(first=reached)
            assert system.make_room(scratch)
    return system, scratch


def singly(span):
    return [(i, i + 1) for i in range(span.first, span.last)]


def at_once(span):
    return [(span.first, span.last)]


def assert_same(left, right):
    (one, one_scratch), (other, other_scratch) = left, right
    assert_array_equal(one.senses.arrays.next_row, other.senses.arrays.next_row)
    for name in ("vectors", "counts", "pending"):
        found, expected = getattr(one.senses.arrays, name), getattr(other.senses.arrays, name)
        assert_allclose(found, expected, rtol=1e-4, atol=2e-5, err_msg=name)
    assert_allclose(one.output.rows, other.output.rows, atol=2e-5)
    assert_allclose(one_scratch.tally, other_scratch.tally, rtol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_a_block_gives_what_its_tokens_give_one_by_one(case):
    corpus, options = CASES[case]
    in_blocks, one_by_one = (trained(corpus, options, how) for how in (at_once, singly))
    assert_same(in_blocks, one_by_one)
    assert abs(in_blocks[0].senses.arrays.vectors).max() > 0.1, "the vectors have moved"
    if case == "births":
        assert in_blocks[1].tally[4] > 10


def test_a_block_waits_for_spare_rows_and_is_then_the_same():
    """With few spare rows at a time blocks wait after most births; the result is to the bit that of plenty."""
    corpus, options = CASES["births"]
    plenty = trained(corpus, options, at_once)
    config = plenty[0].config
    scarce = AdaGram(config, corpus.vocabulary, plenty[0].totals)
    scarce.restore(trained(corpus, options, lambda span: [])[0].state())
    scratch = scarce.scratch()
    part = SpanMaker(corpus, config, len(corpus.tokens)).make(Piece(0, 0, len(corpus.tokens)))
    n_words, stops = len(corpus.vocabulary), 0
    while (reached := scarce.train(part, scratch)) < part.last:
        part = part._replace(first=reached)
        scratch.spare[:] = n_words + ROOM * stops, n_words + ROOM * (stops + 1)
        stops += 1
    assert stops > 4
    assert_array_equal(scratch.tally, plenty[1].tally)
    for one, other in zip(*(system.model_arrays().items() for system in (scarce, plenty[0])), strict=True):
        assert_array_equal(one[1], other[1], err_msg=one[0])


def test_blocks_are_the_same_wherever_the_text_is_cut_at_a_stretch():
    corpus, options = zipf_corpus(300, 3 * BLOCK_SPAN, seed=2), {"subsample": 1e-2}
    whole = trained(corpus, options, at_once)[0]

    def in_stretches(span):
        places = span.positions[span.first : span.last]
        cuts = span.first + np.searchsorted(places, [0, BLOCK_SPAN, 2 * BLOCK_SPAN, 3 * BLOCK_SPAN])
        return list(pairwise(cuts.tolist()))

    cut = trained(corpus, options, in_stretches)[0]
    for name, array in whole.state().items():
        assert_array_equal(array, cut.state()[name], err_msg=name)


def test_a_block_has_different_words_that_have_a_context():
    corpus = corpus_of([["a", "b", "a", "c", "d", "e", "f"], ["g"], ["h", "i"]])
    config = TrainConfig.from_preset("paper", window=2, respect_boundaries=True)
    span = SpanMaker(corpus, config, 10).make(Piece(0, 0, 10))
    centres, blocks, i = np.zeros(4, np.int64), [], 0
    while i < span.last:
        n = called(choose_centres)(span, i, centres)
        blocks.append(centres[:n].tolist())
        i = blocks[-1][-1] + 1
    assert blocks == [[0, 1], [2, 3, 4, 5], [6, 8, 9]]


def test_arrays_start_at_a_cache_line():
    for shape in ((3, 8), (1 << 17, 8)):
        array = aligned(shape)
        assert array.shape == shape
        assert array.ctypes.data % 64 == 0
        assert not array.any()
        array[:] = 1.0
