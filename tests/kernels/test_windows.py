from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.config import TrainConfig
from adagram.paper.schedule import keep_probability
from adagram.training.workers import Piece, SpanMaker
from tests_support import corpus_of, zipf_corpus


def contexts(corpus, config, cuts):
    """(place-independent) list of (word, context) over the corpus cut into pieces at `cuts`."""
    maker = SpanMaker(corpus, config, len(corpus.tokens))
    result = []
    for start, stop in itertools.pairwise(cuts):
        span = maker.make(Piece(0, start, stop))
        for i in range(span.first, span.last):
            around = [int(span.tokens[j]) for j in range(span.left[i], span.right[i]) if j != i]
            result.append((int(span.tokens[i]), around, float(span.rates[i])))
    return result


def test_windows_are_the_words_around():
    corpus = corpus_of([["a", "b", "c", "d", "e"]])
    words = corpus.vocabulary.words
    found = contexts(corpus, TrainConfig.from_preset("paper", window=2), [0, 5])
    assert [(words[w], "".join(words[y] for y in c)) for w, c, _ in found] == [
        ("a", "bc"),
        ("b", "acd"),
        ("c", "abde"),
        ("d", "bce"),
        ("e", "cd"),
    ]


def test_rates_fall_linearly_to_zero():
    corpus = corpus_of([["a", "b"] * 50])
    rates = [rate for _, _, rate in contexts(corpus, TrainConfig.from_preset("paper", lr=0.5), [0, 100])]
    assert rates == pytest.approx([0.5 * (1 - i / 100) for i in range(100)])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 399), max_size=6), st.booleans(), st.sampled_from([0.0, 0.02]), st.booleans())
def test_how_the_corpus_is_cut_changes_nothing(cuts, shrink, subsample, boundaries):
    text = zipf_corpus(30, 400)
    corpus = corpus_of([[text.vocabulary.words[t] for t in text.tokens[a : a + 16]] for a in range(0, 400, 16)])
    config = TrainConfig.from_preset(
        "paper", window=3, shrink_windows=shrink, subsample=subsample, respect_boundaries=boundaries
    )
    whole = contexts(corpus, config, [0, 400])
    assert contexts(corpus, config, [0, *sorted(set(cuts)), 400]) == whole


def test_windows_respect_boundaries():
    corpus = corpus_of([["a", "b"], ["c"], ["d", "e", "f"]])
    words = corpus.vocabulary.words
    found = contexts(corpus, TrainConfig.from_preset("paper", window=4, respect_boundaries=True), [0, 6])
    assert {words[w]: "".join(words[y] for y in c) for w, c, _ in found} == {
        "a": "b", "b": "a", "c": "", "d": "ef", "e": "df", "f": "de",
    }  # fmt: skip


def test_subsampling_keeps_the_expected_share():
    corpus = zipf_corpus(50, 20_000)
    config = TrainConfig.from_preset("paper", window=1, subsample=0.01)
    kept = [w for w, _, _ in contexts(corpus, config, [0, 20_000])]
    keep = keep_probability(corpus.vocabulary.counts, 0.01)
    expected = corpus.vocabulary.counts * keep
    assert keep[0] < 0.5
    assert keep[-1] == 1.0
    assert np.bincount(kept, minlength=50)[0] == pytest.approx(expected[0], rel=0.05)
    assert len(kept) == pytest.approx(expected.sum(), rel=0.02)


def test_shrunk_windows_have_every_size():
    corpus = zipf_corpus(20, 3000)
    sizes = [
        len(c)
        for _, c, _ in contexts(corpus, TrainConfig.from_preset("paper", window=4, shrink_windows=True), [0, 3000])
    ][10:-10]
    assert set(sizes) == {2, 4, 6, 8}
    assert np.mean(sizes) == pytest.approx(5.0, rel=0.05)
