"""Merging at the end of training, on words whose senses are planted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.model import Model
from adagram.model.neighbours import rank_words
from adagram.model.predict import TreePredictor
from adagram.systems.adagram import AdaGram
from adagram.training.merge_senses import (
    MIN_LIKENESS,
    PAIRS,
    NearPairs,
    agreement,
    groups_to_merge,
    merged_pairs,
    near_pairs,
)
from tests_support import corpus_of, planted, train_by_threads, train_in_memory


def trained(corpus: EncodedCorpus) -> AdaGram:
    system = train_by_threads(corpus, TrainConfig.from_preset("paper", dim=24, threads=1, epochs=3)).system
    assert isinstance(system, AdaGram)
    return system


def in_passages(n_passages: int = 300, mixed: str = "") -> EncodedCorpus:
    """As `planted`, but a topic lasts for a line of ten sentences; its word comes in every second one.

    A `mixed` word comes in every second line, whose sentences have a topic each.
    """
    draw = np.random.default_rng(0)
    lines: list[list[str]] = []
    for n in range(n_passages):
        topic, word = draw.integers(2), mixed if mixed and n % 2 else "planted"
        lines.append([])
        for i in range(10):
            topic = topic if word == "planted" else draw.integers(2)
            words = [f"topic{topic}x{j}" for j in draw.integers(0, 12, size=10)]
            words[5] = words[5] if i % 2 else word
            lines[-1] += words
    return corpus_of(lines)


def test_senses_of_a_topic_that_lasts_follow_themselves() -> None:
    corpus = in_passages()
    model = train_in_memory(corpus, dim=24, threads=1, epochs=3)
    pairs = near_pairs(model, corpus).of(corpus.vocabulary.index["planted"])
    assert len(pairs) == 2
    assert pairs.sum() == pytest.approx(PAIRS, rel=0.25)
    assert np.trace(pairs) > 0.7 * pairs.sum()


def test_pairs_are_near_but_not_in_one_context() -> None:
    words = [f"w{i}" for i in range(10)]
    gaps = [5, 10, 40, 299, 302, 100]  # to the next "planted"; those of one context count as one occurrence
    text = ["planted"]
    for gap in gaps:
        text += [words[i % 10] for i in range(gap - 1)] + ["planted"]
    from adagram.training._merge_senses import find_pairs

    for lines, n_pairs in (([text], 3), ([text[:40], text[40:]], 2)):
        corpus = corpus_of(lines)
        counts, n_words = np.zeros(len(corpus.vocabulary), np.int64), len(corpus.vocabulary)
        pairs, ends = np.zeros((2, 9), np.int64), corpus.ends.astype(np.int64)
        last, all_pairs = np.full(n_words, -1), np.ones(n_words)
        find_pairs(corpus.tokens, ends, all_pairs, np.uint64(1), last, counts, *pairs)
        assert counts[corpus.vocabulary.index["planted"]] == n_pairs


def test_posteriors_at_places_are_those_of_the_text(planted_model: Model, planted_corpus: EncodedCorpus) -> None:
    predictor = TreePredictor(planted_model, planted_model.context)
    ids = np.asarray(planted_corpus.tokens[:500], np.int32)
    where = np.flatnonzero(ids == planted_corpus.vocabulary.index["planted"])
    assert len(where) > 10
    found, everywhere = predictor.at_places(ids, where), predictor.in_text(ids, np.array([len(ids)]))
    for i, place in enumerate(where.tolist()):
        assert_allclose(found[i], everywhere[place])


def test_two_meanings_stay_two(planted_model: Model, planted_corpus: EncodedCorpus) -> None:
    assert len(planted_model.senses("planted", top=0)) == 2
    w = planted_corpus.vocabulary.index["planted"]
    merged = dict(groups_to_merge(planted_model, near_pairs(planted_model, planted_corpus)))
    assert w not in merged


def test_one_meaning_in_two_senses_becomes_one(planted_corpus: EncodedCorpus) -> None:
    """The first sense of a word is given a twin, with half of its count."""
    system = trained(planted_corpus)
    w, senses = planted_corpus.vocabulary.index["planted"], system.senses
    row, arrays = senses.used, senses.arrays
    arrays.vectors[row], arrays.counts[row] = arrays.vectors[w], arrays.counts[w] / 2
    arrays.counts[w] /= 2
    arrays.next_row[row], arrays.next_row[w] = arrays.next_row[w], row
    senses.used += 1
    info = {"config": system.config.to_dict()}
    model = Model(system.model_arrays(), planted_corpus.vocabulary, info)
    assert len(model.senses("planted", top=0)) == 3
    groups = [group for word, group in groups_to_merge(model, near_pairs(model, planted_corpus)) if word == w]
    assert groups == [[0, 1]]


def test_two_senses_are_one_meaning_from_a_likeness_of_three_tenths(planted_model: Model) -> None:
    rows = planted_model.rows("planted")
    for cosine in (0.27, 0.33):
        vectors = np.array(planted_model.arrays["vectors"])
        vectors[rows] = 0.0
        vectors[rows, :2] = [1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]
        model = Model({**planted_model.arrays, "vectors": vectors}, planted_model.vocabulary, planted_model.info)
        sizes = np.where(np.arange(len(model)) == model.vocabulary.index["planted"], 2, 1)
        by_chance = NearPairs(sizes, np.zeros(len(model), np.int64), np.full(4, 1e6))
        assert len(list(groups_to_merge(model, by_chance))) == (cosine > 0.3)


def test_uniting_adds_counts_and_leaves_all_else(planted_corpus: EncodedCorpus) -> None:
    system = trained(planted_corpus)
    before = system.model_arrays()
    w = planted_corpus.vocabulary.index["planted"]
    system.merge([(w, [0, 1])])
    after = system.model_arrays()
    sizes, were = np.diff(after["offsets"]), np.diff(before["offsets"])
    assert sizes[w] == were[w] - 1
    assert np.array_equal(np.delete(sizes, w), np.delete(were, w))
    assert_allclose(after["counts"].sum(), before["counts"].sum())
    assert_allclose(np.add.reduceat(after["priors"], after["offsets"][:-1]), 1.0)
    first, were_first = after["offsets"][w], before["offsets"][w]
    rows = slice(were_first, were_first + 2)
    mean = before["counts"][rows] @ before["vectors"][rows] / before["counts"][rows].sum()
    assert_allclose(after["vectors"][first], mean, rtol=1e-5)


def test_any_senses_of_a_chain_can_go() -> None:
    senses = trained(planted(5, 2000)).senses
    rows, offsets = senses.chains()
    w = int(np.diff(offsets).argmax())
    chain = rows[offsets[w] : offsets[w + 1]].tolist()
    assert len(chain) >= 4
    kept = np.array([chain[0], *chain[2:-1]])
    senses.chain(kept, np.full(len(kept), w))
    left, ends = senses.chains()
    assert left[ends[w] : ends[w + 1]].tolist() == [chain[0], *chain[2:-1]]


def test_training_with_merge_senses_has_no_senses_that_are_alike() -> None:
    corpus = planted(2, 1500)
    options = {"dim": 24, "threads": 1, "epochs": 3, "alpha": 2.0}
    plain = train_in_memory(corpus, **options)
    model = train_in_memory(corpus, merge_senses=True, **options)
    assert model.n_senses < plain.n_senses
    assert len(model.senses("planted", top=0)) >= 2
    again = list(groups_to_merge(model, near_pairs(model, corpus), MIN_LIKENESS + 0.1))
    assert not again


def test_a_word_whose_senses_come_in_runs_ranks_above_one_whose_senses_are_mixed() -> None:
    corpus = in_passages(800, mixed="scattered")
    plain = train_in_memory(corpus, dim=24, threads=1, epochs=3)
    known = np.array([agreement(pairs) for pairs in merged_pairs(near_pairs(plain, corpus), [])])
    model = Model({**plain.arrays, "agreement": known}, plain.vocabulary, plain.info)
    in_runs, mixed = (known[corpus.vocabulary.index[word]] for word in ("planted", "scattered"))
    assert in_runs > 0.6 > 0.3 > mixed
    assert {r.word for r in rank_words(plain, 2)} == {"planted", "scattered"}, "both are clear without it"
    assert rank_words(model, 1)[0].word == "planted"
    assert all(r.score < 0.5 * rank_words(model, 1)[0].score for r in rank_words(model, 10)[1:])


def test_a_model_whose_senses_were_merged_keeps_the_agreement(tmp_path: Path) -> None:
    corpus = in_passages()
    options = {"dim": 24, "threads": 1, "epochs": 3, "merge_senses": True}
    train_in_memory(corpus, **options).save(tmp_path / "model")
    model = Model.load(tmp_path / "model")
    assert len(model.arrays["agreement"]) == len(model)
    assert rank_words(model, 1)[0].agreement == model.arrays["agreement"][corpus.vocabulary.index["planted"]] > 0.6
