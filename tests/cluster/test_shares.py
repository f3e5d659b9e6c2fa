"""Several parts train one model: each word has one owner, and output rows are merged."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from adagram.training.division import divide_words, loads
from adagram.training.merge import Changed, Merger, Rows, curvature_of
from adagram.training.part import Part
from adagram.training.rounds import FEWEST, ROUND, SHORT, SHORTEST, rounds, short_rounds
from hypothesis import given
from hypothesis import strategies as st

from adagram.config import ALGORITHMS, TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.model import Model
from adagram.model.shards import Shards
from tests_support import planted, train_in_memory, zipf_corpus

N_TOKENS = 30_000


def train_parts(
    corpus: EncodedCorpus, config: TrainConfig, n_parts: int, stop: int | None = None
) -> list[Part]:
    parts = [Part(corpus, config, number, n_parts) for number in range(n_parts)]
    for start, end in rounds(len(corpus.tokens), 0, stop or config.epochs * len(corpus.tokens), n_parts):
        train_round(parts, start, end)
    return parts


def train_round(parts: list[Part], start: int, stop: int) -> None:
    for first, last in short_rounds(start, stop, len(parts)):
        for part in parts:
            part.train(first, last)
        if len(parts) > 1:
            given = [part.changed(only_hot=last < stop) for part in parts]
            merged = [
                part.merger.merge([each[part.number] for each in given]) for part in parts if part.merger
            ]
            for part in parts:
                part.take(merged)


def model_of(parts: list[Part]) -> Model:
    corpus, config = parts[0].corpus, parts[0].config
    arrays = Shards([part.model_arrays() for part in parts], len(corpus.vocabulary))
    return Model(arrays, corpus.vocabulary, {"config": config.to_dict()})


def options(algorithm: str) -> dict[str, object]:
    found = {"algorithm": algorithm, "dim": 12, "window": 3, "subsample": 0.01, "shrink_windows": True}
    return found | {"new_sense_below": 0.2, "multi_sense_words": 50, "seed": 7}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_part_is_the_one_thread_trainer_bit_for_bit(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    expected = train_in_memory(corpus, threads=1, **options(algorithm))
    (part,) = train_parts(corpus, TrainConfig.from_dict(options(algorithm)), 1)
    found = part.model_arrays()
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_parts_begin_as_one_would(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    config = TrainConfig.from_dict(options(algorithm))
    expected = Part(corpus, config, 0, 1).model_arrays()
    found = model_of([Part(corpus, config, number, 3) for number in range(3)])
    for name in ("vectors", "output", "offsets", "priors"):
        np.testing.assert_array_equal(found.arrays[name], expected[name])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_after_a_round_all_parts_have_the_same_output_rows(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    parts = train_parts(corpus, TrainConfig.from_dict(options(algorithm)), 3, stop=20_000)
    first = parts[0].system.output.get()
    assert np.isfinite(first).all()
    for part in parts:
        np.testing.assert_array_equal(part.system.output.get(), first)
        assert part.merger is not None
        np.testing.assert_array_equal(part.merger.rows, first[part.number :: 3])


def test_every_position_is_trained_by_one_part_only():
    corpus = zipf_corpus(300, N_TOKENS)
    config = TrainConfig.from_dict(options("adagram"))
    alone = train_parts(corpus, config, 1)[0].take_tally()
    shares = [part.take_tally() for part in train_parts(corpus, config, 4)]
    for name in ("tokens", "contexts"):
        assert sum(share[name] for share in shares) == alone[name]


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns"])
def test_parts_can_take_a_step_per_pair(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    by_pairs = TrainConfig.from_dict(options(algorithm) | {"step": "pair"})
    by_tokens = TrainConfig.from_dict(options(algorithm))
    found, expected = train_parts(corpus, by_pairs, 2), train_parts(corpus, by_tokens, 2)
    assert np.isfinite(model_of(found).vectors).all()
    for part, other in zip(found, expected, strict=True):
        assert part.take_tally()["contexts"] == other.take_tally()["contexts"]


def test_a_part_has_only_its_own_senses():
    corpus = zipf_corpus(3000, N_TOKENS)
    parts = train_parts(corpus, TrainConfig(dim=8), 4)
    owned = [part.system.owned for part in parts]
    assert sorted(np.concatenate(owned).tolist()) == list(range(len(corpus.vocabulary)))
    for part in parts:
        assert len(part.state()["pending"]) == len(part.system.owned) < 0.4 * len(corpus.vocabulary)
        assert len(part.model_arrays()["vectors"]) >= len(part.system.owned)


def test_parts_find_planted_senses():
    corpus = planted(2, n_sentences=6000)
    model = model_of(train_parts(corpus, TrainConfig(dim=16, epochs=3), 2))
    senses = [sense for sense in model.senses("planted", top=3) if sense.prior > 0.1]
    topics = [{n.name[: len("topic0")] for n in sense.neighbours} for sense in senses]
    assert topics in ([{"topic0"}, {"topic1"}], [{"topic1"}, {"topic0"}])


def test_restored_parts_go_on_as_if_nothing_had_happened():
    corpus, config = zipf_corpus(300, 60_000), TrainConfig.from_dict(options("adagram"))
    whole = train_parts(corpus, config, 2)
    all_rounds = list(rounds(len(corpus.tokens), 0, len(corpus.tokens), 2))
    half = all_rounds[: len(all_rounds) // 2]
    parts = train_parts(corpus, config, 2, stop=half[-1][1])
    states = [{name: array.copy() for name, array in part.state().items()} for part in parts]
    fresh = [Part(corpus, config, number, 2) for number in range(2)]
    for part in fresh:
        part.restore(states)
    for start, stop in all_rounds[len(half) :]:
        train_round(fresh, start, stop)
    expected, found = model_of(whole), model_of(fresh)
    for name in expected.arrays:
        np.testing.assert_array_equal(found.arrays[name], expected.arrays[name])


# -- division


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=200), st.integers(1, 8))
def test_loads_differ_by_less_than_the_heaviest_word(load, n_workers):
    load = np.array(load)
    shares = divide_words(load, n_workers)
    assert sorted(np.concatenate(shares).tolist()) == list(range(len(load)))
    sums = [load[share].sum() for share in shares]
    assert max(sums) - min(sums) <= load.max() * (1 + 1e-9)


def test_only_adagram_expects_more_senses_of_frequent_words():
    totals = np.array([10.0, 1e6])
    assert (loads(totals, TrainConfig(algorithm="skipgram")) == totals).all()
    per_token = loads(totals, TrainConfig()) / totals
    assert 1 < per_token[0] < per_token[1]


# -- rounds


@given(st.integers(1, 10**6), st.integers(1, 3), st.integers(1, 70))
def test_rounds_cover_the_run_once(n_tokens, epochs, n_workers):
    found = list(rounds(n_tokens, 0, epochs * n_tokens, n_workers))
    assert found[0][0] == 0
    assert found[-1][1] == epochs * n_tokens
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert all(0 < stop - start <= max(ROUND, FEWEST * n_workers) for start, stop in found)
    assert list(rounds(n_tokens, found[-1][0], epochs * n_tokens, n_workers)) == found[-1:]


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(2, 9))
def test_short_rounds_fill_a_round(start, size, n_workers):
    found = list(short_rounds(start, start + size, n_workers))
    assert (found[0][0], found[-1][1]) == (start, start + size)
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert all(0 < stop - first <= max(SHORT, SHORTEST * n_workers) for first, stop in found)


# -- merging

WIDTH = 8


def spread(seed: int, n: int = 50) -> np.ndarray:
    """Sense vectors of a worker, each used once, that lie more in some directions than in others."""
    draw = np.random.default_rng(seed)
    return (draw.normal(size=(n, WIDTH)) * draw.uniform(0.2, 2, WIDTH) + draw.normal(size=WIDTH)).astype("f4")


def merged(base: np.ndarray, rows: list[np.ndarray], steps: float, reach: float = 1.0) -> np.ndarray:
    """One row, `base`, that worker i changed to rows[i] with so many steps; worker i has the vectors spread(i)."""
    merger = Merger(base[None], 0, 1, reach)
    given = []
    for number, row in enumerate(rows):
        changed = Rows(np.zeros(1, np.int32), row[None].astype(np.float32))
        curvature = curvature_of(spread(number), np.ones(50))
        given.append(Changed(changed, np.array([steps], np.float32), curvature))
    return merger.merge(given).values[0]


@pytest.mark.parametrize("n_steps", [1, 30, 1000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("n_workers", "reach"), [(2, 1.0), (2, 2.0), (4, 4.0), (6, 4.0)])
def test_merging_is_as_if_the_workers_had_taken_turns(n_steps, n_workers, reach):
    """Against workers that each pull a row to a best place of their own, one small step at a time."""
    draw = np.random.default_rng(n_workers)
    base = draw.normal(size=WIDTH).astype(np.float32)
    pulls = [curvature_of(spread(i), np.ones(50)).matrix.astype(np.float64) for i in range(n_workers)]
    best = draw.normal(size=(n_workers, WIDTH))
    rate = 1e-3
    alone = [base.astype(np.float64) for _ in range(n_workers)]
    in_turns = base.astype(np.float64)
    for _ in range(n_steps):
        for i, (pull, place) in enumerate(zip(pulls, best, strict=True)):
            alone[i] = alone[i] + rate * reach * pull @ (place - alone[i])
            in_turns = in_turns + rate * pull @ (place - in_turns)
    found = merged(base, alone, rate * reach * n_steps, reach)
    assert np.linalg.norm(found - in_turns) < 0.06 * np.linalg.norm(in_turns - base)


def test_a_few_steps_of_each_worker_are_added_and_divided_by_the_reach():
    base, changes = np.zeros(WIDTH, np.float32), np.random.default_rng(0).normal(size=(3, WIDTH))
    np.testing.assert_allclose(merged(base, list(changes), 1e-6), changes.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(merged(base, list(changes), 1e-6, 3.0), changes.mean(axis=0), rtol=1e-5)


def test_what_is_not_a_number_is_left_for_training_to_report():
    vectors = spread(0)
    vectors[3] = np.nan
    assert not curvature_of(vectors, np.ones(50)).values.any()
    assert not curvature_of(vectors[:0], np.ones(0)).values.any()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_usage_says_how_many_tokens_fall_to_each_vector(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    for part in train_parts(corpus, TrainConfig.from_dict(options(algorithm)), 2, stop=20_000):
        usage = part.system.usage()
        assert len(usage) == len(part.state()["vectors"])
        assert (usage >= 0).all()
        share = 1.0 if "mssg" not in algorithm else 2 / 3  # clusters count what they have seen
        assert usage.sum() == pytest.approx(share * part.system.totals.sum(), rel=0.1)


def test_rows_that_nobody_changed_are_not_sent():
    corpus = planted(2, n_sentences=300)
    parts = [Part(corpus, TrainConfig(dim=8, window=2), number, 2) for number in range(2)]
    for part in parts:
        part.train(0, 5)
    sent = [sum(len(given.rows.numbers) for given in part.changed(only_hot=False)) for part in parts]
    assert all(0 < n < len(corpus.vocabulary) for n in sent)
    assert all(len(given.rows.numbers) == 0 for part in parts for given in part.changed(only_hot=False))


def test_hot_rows_are_merged_between_rounds(monkeypatch):
    monkeypatch.setattr("adagram.training.part.HOT_ROWS", 16)
    monkeypatch.setattr("adagram.training.rounds.SHORT", 1000)
    monkeypatch.setattr("adagram.training.rounds.SHORTEST", 500)
    corpus = zipf_corpus(300, N_TOKENS)
    config = TrainConfig.from_dict(options("adagram"))
    parts = [Part(corpus, config, number, 2) for number in range(2)]
    for first, last in short_rounds(0, 3000, 2):
        for part in parts:
            part.train(first, last)
        given = [part.changed(only_hot=last < 3000) for part in parts]
        sent = [len(each.rows.numbers) for each in given[0]]
        assert sum(sent) == 16 if last < 3000 else sum(sent) > 100
        merged_rows = [part.merger.merge([each[part.number] for each in given]) for part in parts]
        for part in parts:
            part.take(merged_rows)
        np.testing.assert_array_equal(*(part.system.output.get()[:16] for part in parts))


def test_several_parts_predict_as_well_as_one():
    corpus = zipf_corpus(2000, 400_000)
    config = TrainConfig(dim=24, window=5)
    single, several = train_parts(corpus, config, 1), train_parts(corpus, config, 4)
    bounds = []
    for parts in (single, several):
        tallies = [part.take_tally() for part in parts]
        sums = {name: sum(tally[name] for tally in tallies) for name in tallies[0]}
        bounds.append(sums["bound"] / sums["contexts"])
    assert abs(bounds[0] - bounds[1]) < 0.02
