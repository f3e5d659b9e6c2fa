"""Candidate senses of continued runs: where they start, what they must win, and that a word gets one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adagram
from adagram.corpus import EncodeOptions, encode
from adagram.model import Model
from adagram.training.continue_model import PreviousModel
from adagram.training.continued_systems import MIN_DISTANCE, find_new_meanings, new_direction, sums_around

TOPICS = [[f"topic{t}x{i}" for i in range(12)] for t in range(3)]


def text(topics: list[int], n: int, seed: int) -> list[list[str]]:
    """Sentences of one topic each; 'planted' stands in the middle of those of the given ones."""
    draw = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        t = int(draw.integers(len(TOPICS)))
        line = [TOPICS[t][i] for i in draw.integers(12, size=10)]
        if t in topics:
            line[5] = "planted"
        lines.append(line)
    return lines


@pytest.fixture(scope="module")
def old() -> Model:
    options = {"dim": 8, "window": 4, "epochs": 5, "min_count": 1, "subsample": 0, "threads": 1}
    return adagram.train(text([0], 800, seed=1), alpha=0.1, merge_senses=False, **options)


def extended(old: Model, folder: Path, topics: list[int]) -> Any:
    lines = text(topics, 200, seed=2)
    return encode(lines, folder / "more", EncodeOptions(min_count=1), old_vocabulary=old.vocabulary)


def test_it_begins_among_the_words_around_a_new_meaning(old: Model, tmp_path: Path) -> None:
    """The word was of topic 0, and the new text uses it in topic 2 as well."""
    corpus = extended(old, tmp_path, [0, 2])
    word = np.array([old.vocabulary.index["planted"]])
    previous = PreviousModel(old).state_for(corpus, 0)
    words, vectors = find_new_meanings(previous, corpus.vocabulary, old.config, word)
    assert words.tolist() == word.tolist()
    near = vectors[0] @ old.arrays["vectors"].T / old.arrays["norms"]
    nearest = old.names(np.argsort(-near)[:5])
    assert all(name.startswith("topic2") for name in nearest)


def test_a_word_that_is_not_in_the_text_gets_no_stick(old: Model, tmp_path: Path) -> None:
    corpus = extended(old, tmp_path, [])
    word, past = np.array([old.vocabulary.index["planted"]]), PreviousModel(old).state_for(corpus, 0)
    assert not len(find_new_meanings(past, corpus.vocabulary, old.config, word)[0])


def strangest(kinds: list[int]) -> tuple[Any, float]:
    """Direction and margin of the strangest uses of a word whose one sense lies along the first of 30 axes.

    Each use stands between words that lie near the axis of its kind.
    """
    n, width = len(kinds), 30
    noise = np.random.default_rng(4).normal(size=(n, width))
    means = np.append(np.eye(width)[kinds] + 0.15 * noise, np.zeros((1, width)), axis=0).astype(np.float32)
    tokens = np.array([[i, n, i] for i in range(n)], np.uint32).ravel()
    contexts = sums_around(tokens, np.arange(1, 3 * n, 3), 1, means)
    np.testing.assert_allclose(contexts, 2 * means[:n], rtol=1e-6)
    units = contexts / np.linalg.norm(contexts, axis=1, keepdims=True)
    return new_direction(units, np.eye(1, width, dtype=np.float32))


def test_the_words_around_end_with_the_text() -> None:
    means = 1 + np.eye(4, dtype=np.float32)
    found = sums_around(np.array([0, 1, 2, 1], np.uint32), np.array([0, 3]), 2, means)
    assert found.tolist() == [[2, 3, 3, 2], [2, 3, 3, 2]]


def test_uses_are_apart_where_they_have_something_in_common_that_no_sense_has() -> None:
    direction, apart = strangest([0] * 60 + [1] * 40)
    assert direction.argmax() == 1
    assert apart > MIN_DISTANCE
    assert strangest([0] * 100)[1] < MIN_DISTANCE
    assert strangest([0] * 60 + list(range(1, 30)))[1] < MIN_DISTANCE  # strange, each in its own way


@pytest.mark.parametrize(("alpha", "is_found"), [(0.3, True), (0.003, False)])
def test_a_new_meaning_needs_evidence_on_the_scale_of_alpha(alpha: float, is_found: bool) -> None:
    """With a low resolution a continued run learns no more senses than a first run does."""
    options = {"dim": 8, "window": 4, "epochs": 5, "min_count": 1, "subsample": 0, "threads": 1}
    first, more = text([0], 800, seed=1), text([0, 2], 300, seed=2)
    old = adagram.train(first, alpha=alpha, merge_senses=False, **options)
    new = adagram.train(more, start=old, min_count=1, threads=1)
    assert (len(new.senses("planted")) > len(old.senses("planted"))) == is_found


def test_a_known_word_gets_at_most_one_more_stick(old: Model) -> None:
    """Else every token of a continued run would be scored for sticks that never win a use."""
    new = adagram.train(text([0, 1, 2], 300, seed=3), start=old, min_count=1, threads=1)
    assert new._continuation.rest is not None
    n = len(old.vocabulary)
    sticks = np.diff(new.offsets)[:n] + np.bincount(new._continuation.rest["words"], minlength=n)[:n]
    assert np.all(sticks <= np.diff(old.offsets) + 1)
