"""Several workers train one model: each word has one owner, and output rows are merged. No cluster is needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.cluster.division import divide_words, loads
from adagram.cluster.pace import ClusterPace
from adagram.cluster.share import Share
from adagram.config import ALGORITHMS, EncodeOptions, TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.kernels.arrays import STRETCH
from adagram.model import Model
from adagram.model.rest import joined_rests
from adagram.model.shards import Shards
from adagram.systems.base import HOT_ROWS
from adagram.training.continue_model import Start
from tests_support import planted, train_in_memory, zipf_corpus

N_TOKENS = 30_000
PACE = ClusterPace(short=10 * STRETCH, shortest=0)  # hot rows are merged within rounds


def all_rounds(corpus: EncodedCorpus, config: TrainConfig, n_workers: int) -> list[tuple[int, int]]:
    total, size = config.epochs * len(corpus.tokens), PACE.round_of(len(corpus.tokens), n_workers)
    return [(start, min(total, start + size)) for start in range(0, total, size)]


def fresh_shares(corpus: EncodedCorpus, config: TrainConfig, n_workers: int) -> list[Share]:
    return [Share(corpus, config, number, n_workers) for number in range(n_workers)]


def train_shares(
    corpus: EncodedCorpus, config: TrainConfig, n_workers: int, n_rounds: int | None = None
) -> list[Share]:
    shares = fresh_shares(corpus, config, n_workers)
    for start, stop in all_rounds(corpus, config, n_workers)[:n_rounds]:
        train_round(shares, start, stop)
    return shares


def train_round(shares: list[Share], start: int, stop: int) -> None:
    for first, last in PACE.short_rounds(start, stop, len(shares)):
        for share in shares:
            share.train(first, last)
        if len(shares) > 1:
            exchange(shares, only_hot=last < stop)


def exchange(shares: list[Share], only_hot: bool) -> int:
    """All give what they changed and take what was merged; returns the number of rows that the first gave."""
    given = [share.changed(only_hot) for share in shares]
    merged = [share.merger.merge([each[share.number] for each in given]) for share in shares if share.merger]
    for share in shares:
        share.take(merged)
    return sum(len(each.rows.numbers) for each in given[0])


def model_of(shares: list[Share]) -> Model:
    corpus, config = shares[0].corpus, shares[0].config
    arrays = Shards([share.model_arrays() for share in shares], len(corpus.vocabulary))
    return Model(arrays, corpus.vocabulary, {"config": config.to_dict()})


def options(algorithm: str) -> dict[str, object]:
    found = {"algorithm": algorithm, "dim": 12, "window": 3, "subsample": 0.01, "shrink_windows": True}
    return found | {"new_sense_below": 0.2, "multi_sense_words": 50, "seed": 7}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_worker_trains_as_one_thread_bit_for_bit(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    expected = train_in_memory(corpus, threads=1, **options(algorithm))
    (share,) = train_shares(corpus, TrainConfig.from_preset("paper", **options(algorithm)), 1)
    found = share.model_arrays()
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_workers_begin_as_one_would(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    config = TrainConfig.from_preset("paper", **options(algorithm))
    expected = Share(corpus, config, 0, 1).model_arrays()
    found = model_of([Share(corpus, config, number, 3) for number in range(3)])
    for name in ("vectors", "output", "offsets", "priors"):
        np.testing.assert_array_equal(found.arrays[name], expected[name])


@pytest.mark.parametrize("algorithm", ["adagram", "skipgram", "skipgram-ns", "mpsg"])
def test_workers_go_on_from_a_model_as_one_would(algorithm, tmp_path):
    old = train_in_memory(zipf_corpus(200, N_TOKENS), tmp_path / "old", **options(algorithm))
    text = [[f"w{i}" for i in range(190, 260)]] * 20
    corpus = encode(text, tmp_path / "more", EncodeOptions(min_count=1), known=old.vocabulary)
    past = Start(old).past(corpus, 0)
    expected = Share(corpus, old.config, 0, 1, past).model_arrays()
    shares = [Share(corpus, old.config, number, 3, past) for number in range(3)]
    found = model_of(shares)
    for name in ("vectors", "output", "offsets", "priors"):
        np.testing.assert_array_equal(found.arrays[name], expected[name])
    assert len(expected["offsets"]) == 261
    rest = Share(corpus, old.config, 0, 1, past).system.rest_arrays()
    kept = (
        joined_rests(*zip(*((s.system.rest_arrays(), s.system.owned) for s in shares), strict=True))
        if rest
        else {}
    )
    assert kept.keys() == rest.keys()
    for name in rest:
        np.testing.assert_array_equal(kept[name], rest[name])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_after_a_round_all_workers_have_the_same_output_rows(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    shares = train_shares(corpus, TrainConfig.from_preset("paper", **options(algorithm)), 3, n_rounds=5)
    first = shares[0].system.output.get()
    assert np.isfinite(first).all()
    for share in shares:
        np.testing.assert_array_equal(share.system.output.get(), first)
        assert share.merger is not None
        np.testing.assert_array_equal(share.merger.rows, first[share.number :: 3])


def test_every_position_is_trained_by_one_worker_only():
    corpus = zipf_corpus(300, N_TOKENS)
    config = TrainConfig.from_preset("paper", **options("adagram"))
    alone = train_shares(corpus, config, 1)[0].take_tally()
    shares = [share.take_tally() for share in train_shares(corpus, config, 4)]
    for name in ("tokens", "contexts"):
        assert sum(share[name] for share in shares) == alone[name]


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns"])
def test_workers_can_take_a_step_per_pair(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    by_pairs = TrainConfig.from_preset("paper", **(options(algorithm) | {"step": "pair"}))
    by_tokens = TrainConfig.from_preset("paper", **options(algorithm))
    found, expected = train_shares(corpus, by_pairs, 2), train_shares(corpus, by_tokens, 2)
    assert np.isfinite(model_of(found).vectors).all()
    for share, other in zip(found, expected, strict=True):
        assert share.take_tally()["contexts"] == other.take_tally()["contexts"]


def test_a_worker_has_only_its_own_senses():
    corpus = zipf_corpus(3000, N_TOKENS)
    shares = train_shares(corpus, TrainConfig.from_preset("paper", dim=8), 4)
    owned = [share.system.owned for share in shares]
    assert sorted(np.concatenate(owned).tolist()) == list(range(len(corpus.vocabulary)))
    for share in shares:
        assert len(share.state()["pending"]) == len(share.system.owned) < 0.4 * len(corpus.vocabulary)
        assert len(share.model_arrays()["vectors"]) >= len(share.system.owned)


def test_workers_find_planted_senses():
    corpus = planted(2, n_sentences=6000)
    model = model_of(train_shares(corpus, TrainConfig.from_preset("paper", dim=16, epochs=3), 2))
    senses = [sense for sense in model.senses("planted", top=3) if sense.prior > 0.1]
    topics = [{n.name[: len("topic0")] for n in sense.neighbours} for sense in senses]
    assert topics in ([{"topic0"}, {"topic1"}], [{"topic1"}, {"topic0"}])


@pytest.mark.parametrize("algorithm", ["adagram", "np-mssg"])
@pytest.mark.parametrize("n_rounds", [1, 2, 5])
def test_restored_workers_go_on_as_if_nothing_had_happened(algorithm, n_rounds):
    corpus = zipf_corpus(300, 60_000)
    config = TrainConfig.from_preset("paper", **(options(algorithm) | {"alpha": 2.0}))
    whole = train_shares(corpus, config, 2)
    stopped = train_shares(corpus, config, 2, n_rounds)
    states = [{name: array.copy() for name, array in share.state().items()} for share in stopped]
    restored = fresh_shares(corpus, config, 2)
    for share in restored:
        share.restore(states)
    for start, stop in all_rounds(corpus, config, 2)[n_rounds:]:
        train_round(restored, start, stop)
    # Senses are even in the same rows: in others the sums over them would round differently.
    for expected, found in zip(whole, restored, strict=True):
        for name, array in expected.state().items():
            np.testing.assert_array_equal(found.state()[name], array, err_msg=name)


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
    assert (loads(totals, TrainConfig.from_preset("paper", algorithm="skipgram")) == totals).all()
    per_token = loads(totals, TrainConfig.from_preset("paper")) / totals
    assert 1 < per_token[0] < per_token[1]


# -- rounds


@given(st.integers(1, 10**6), st.integers(1, 70))
def test_rounds_are_short_in_small_corpora_and_bounded_in_large_ones(n_tokens, n_workers):
    pace, size = ClusterPace(), ClusterPace().round_of(n_tokens, n_workers)
    assert 0 < size <= max(pace.round, pace.fewest * n_workers)
    assert size <= n_tokens / pace.rounds_per_epoch or size == n_workers * pace.smallest


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(2, 9))
def test_short_rounds_fill_a_round(start, size, n_workers):
    pace = ClusterPace()
    found = list(pace.short_rounds(start, start + size, n_workers))
    assert (found[0][0], found[-1][1]) == (start, start + size)
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert all(0 < stop - first <= max(pace.short, pace.shortest * n_workers) for first, stop in found)


# -- output rows


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_usage_says_how_many_tokens_fall_to_each_vector(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    for share in train_shares(corpus, TrainConfig.from_preset("paper", **options(algorithm)), 2, n_rounds=5):
        usage = share.system.usage()
        assert len(usage) == len(share.state()["vectors"])
        assert (usage >= 0).all()
        seen = 1.0 if "mssg" not in algorithm else 5 / 8  # clusters count what they have seen
        assert usage.sum() == pytest.approx(seen * share.system.totals.sum(), rel=0.1)


def test_rows_that_nobody_changed_are_not_sent():
    corpus = planted(2, n_sentences=300)
    shares = fresh_shares(corpus, TrainConfig.from_preset("paper", dim=8, window=2), 2)
    for share in shares:
        share.train(0, 5)
    assert 0 < exchange(shares, only_hot=False) < len(corpus.vocabulary)
    assert exchange(shares, only_hot=False) == 0


def test_hot_rows_are_merged_between_rounds():
    corpus = zipf_corpus(2000, N_TOKENS)
    shares = fresh_shares(corpus, TrainConfig.from_preset("paper", dim=8, window=3), 2)
    for only_hot in (True, True, False):
        for share in shares:
            share.train(0, 5000)
        sent = exchange(shares, only_hot)
        assert sent == HOT_ROWS if only_hot else sent > HOT_ROWS
        np.testing.assert_array_equal(*(share.system.output.get()[:HOT_ROWS] for share in shares))


def test_several_workers_predict_as_well_as_one():
    corpus = zipf_corpus(2000, 400_000)
    config = TrainConfig.from_preset("paper", dim=24, window=5)
    single, several = train_shares(corpus, config, 1), train_shares(corpus, config, 4)
    bounds = []
    for shares in (single, several):
        tallies = [share.take_tally() for share in shares]
        sums = {name: sum(tally[name] for tally in tallies) for name in tallies[0]}
        bounds.append(sums["bound"] / sums["contexts"])
    assert abs(bounds[0] - bounds[1]) < 0.02
