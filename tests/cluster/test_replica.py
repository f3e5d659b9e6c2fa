"""Replicas of a system that share out the text are made equal after each turn. No cluster is needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.cluster.replica import SYSTEMS, Replica, _sum, count_weight
from adagram.cluster.train import ClusterChunks
from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.systems.base import take_tally
from adagram.training.continue_model import PreviousModel
from adagram.training.workers import Chunks
from tests_support import corpus_of, planted, train_in_memory, zipf_corpus

N_TOKENS = 20_000
TURN = 1024


def options(algorithm: str) -> dict[str, object]:
    found = {"algorithm": algorithm, "dim": 12, "window": 3, "subsample": 0.01, "shrink_windows": True}
    return found | {"seed": 7, "alpha": 0.5, "lanes": 1}


def train_turns(replicas: list[Replica], start: int, stop: int, turn: int = TURN, n_parts: int = 2) -> int:
    """As the workers of a cluster do; return the bytes that were sent."""
    sent, n = 0, len(replicas)
    for first in range(start, stop, n * turn):
        for i, replica in enumerate(replicas):
            replica.train(min(stop, first + i * turn), min(stop, first + (i + 1) * turn))
        if n > 1:
            sent += exchange(replicas, n_parts)
    return sent


def exchange(replicas: list[Replica], n_parts: int = 2) -> int:
    given = [replica.changes(n_parts) for replica in replicas]
    merged = [replicas[part].merge([each[part] for each in given]) for part in range(n_parts)]
    for replica in replicas:
        replica.apply(merged)
    return sum(array.nbytes for parts in (*given, merged) for part in parts for array in part)


def trained(corpus: EncodedCorpus, config: TrainConfig, n: int, turn: int = TURN) -> list[Replica]:
    replicas = [Replica(corpus, config, n) for _ in range(n)]
    train_turns(replicas, 0, config.epochs * len(corpus.tokens), turn)
    return replicas


def assert_equal_states(found: Replica, expected: Replica) -> None:
    for name, array in expected.system.state().items():
        np.testing.assert_array_equal(found.system.state()[name], array, err_msg=name)


@pytest.mark.parametrize("algorithm", SYSTEMS)
def test_one_replica_trains_as_one_lane_bit_for_bit(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    expected = train_in_memory(corpus, threads=1, **options(algorithm))
    turn = 4 * Chunks().piece_of(N_TOKENS)
    (replica,) = trained(corpus, TrainConfig.from_preset("paper", **options(algorithm)), 1, turn)
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(replica.system.model_arrays()[name], array)


@pytest.mark.parametrize("algorithm", SYSTEMS)
def test_after_a_turn_all_replicas_are_equal_in_every_bit(algorithm):
    corpus = zipf_corpus(300, N_TOKENS)
    replicas = trained(corpus, TrainConfig.from_preset("paper", **options(algorithm)), 3)
    assert all(np.isfinite(array).all() for array in replicas[0].system.state().values())
    for replica in replicas[1:]:
        assert_equal_states(replica, replicas[0])


@pytest.mark.parametrize("algorithm", SYSTEMS)
@pytest.mark.parametrize("n_turns", [4, 8])
def test_restored_replicas_go_on_as_if_nothing_had_happened(algorithm, n_turns):
    corpus, config = zipf_corpus(300, N_TOKENS), TrainConfig.from_preset("paper", **options(algorithm))
    whole = trained(corpus, config, 2)
    stopped = [Replica(corpus, config, 2) for _ in range(2)]
    train_turns(stopped, 0, n_turns * 2 * TURN)
    state = {name: array.copy() for name, array in stopped[0].system.state().items()}
    restored = [Replica(corpus, config, 2) for _ in range(2)]
    for replica in restored:
        replica.restore(state)
    train_turns(restored, n_turns * 2 * TURN, N_TOKENS)
    assert_equal_states(restored[1], whole[0])


def test_another_number_of_replicas_can_go_on():
    corpus, config = zipf_corpus(300, N_TOKENS), TrainConfig.from_preset("paper", **options("adagram"))
    two = [Replica(corpus, config, 2) for _ in range(2)]
    train_turns(two, 0, 8 * TURN)
    three = [Replica(corpus, config, 3) for _ in range(3)]
    for replica in three:
        replica.restore(two[0].system.state())
    train_turns(three, 8 * TURN, N_TOKENS)
    assert_equal_states(three[2], three[0])


def test_every_token_is_trained_by_one_replica():
    corpus, config = zipf_corpus(300, N_TOKENS), TrainConfig.from_preset("paper", **options("adagram"))
    alone = take_tally(trained(corpus, config, 1)[0].scratch)
    several = [take_tally(replica.scratch) for replica in trained(corpus, config, 4)]
    for name in ("tokens", "contexts"):
        assert sum(tally[name] for tally in several) == alone[name]


def test_rows_that_one_replica_changed_are_as_it_left_them():
    """Two replicas train texts that have no word in common; only upper nodes of the tree are changed by both."""
    sentences = [[f"a{i % 9}" for i in range(j, j + 8)] for j in range(64)]
    others = [[f"b{i % 9}" for i in range(j, j + 8)] for j in range(64)]
    corpus = corpus_of(sentences + others)
    config = TrainConfig.from_preset("paper", dim=8, window=2, respect_boundaries=True)
    replicas, apart = ([Replica(corpus, config, 2) for _ in range(2)] for _ in range(2))
    for each in (replicas, apart):
        each[0].train(0, 512)
        each[1].train(512, 1024)
    exchange(replicas)
    before = Replica(corpus, config, 2).system.state()
    for name in ("vectors", "output", "counts", "pending"):
        first, second = (replica.system.state()[name][: len(before[name])] for replica in apart)
        moved = [(part != before[name]).reshape(len(part), -1).any(axis=1) for part in (first, second)]
        found = replicas[0].system.state()[name]
        n_alone = 0
        for part, is_own, is_other in ((first, *moved), (second, *moved[::-1])):
            alone = np.flatnonzero(is_own & ~is_other)
            np.testing.assert_allclose(found[alone], part[alone], rtol=1e-6, atol=1e-8, err_msg=name)
            n_alone += len(alone)
        assert n_alone >= 8 or name == "pending", name


@pytest.mark.parametrize("n", [1, 2, 5])
def test_changes_that_agree_are_averaged_and_others_are_added_up(n):
    at, uses = np.arange(3), np.ones(3)
    changes = np.random.default_rng(n).normal(size=(3, 16)).astype(np.float32)
    np.testing.assert_allclose(_sum([at] * n, [changes] * n, uses), changes, rtol=1e-5)
    apart = [np.zeros((3, 16), np.float32) for _ in range(n)]
    for i, each in enumerate(apart):
        each[:, 3 * i : 3 * i + 3] = changes[:, :3]
    np.testing.assert_allclose(_sum([at] * n, apart, uses), np.sum(apart, axis=0), rtol=1e-5)
    against = [changes, -0.9 * changes]
    np.testing.assert_allclose(_sum([at, at], against, uses), 0.1 * changes, rtol=1e-3, atol=1e-6)


def test_agreement_is_judged_by_rows_that_are_used_as_often():
    """Rows 0 and 1 are hot, and half of what two replicas change in them is the same; rows 2 and 3 are not."""
    draw = np.random.default_rng(0)
    same, one, other = draw.normal(size=(3, 4, 4000)).astype(np.float32)
    same[2:] = 0.0
    at, uses = np.arange(4), np.array([1000.0, 1000.0, 1.0, 1.0])
    found = _sum([at, at], [same + one, same + other], uses) / (2 * same + one + other)
    np.testing.assert_allclose(found[:2], 1 / (1 + 0.5), rtol=0.03)
    np.testing.assert_allclose(found[2:], 1.0, rtol=0.03)


def test_counts_are_as_if_the_replicas_had_taken_turns_on_average():
    """n ← (1-λ) n + λ x with m steps in each of two replicas, in either order."""
    before, rate, m, ends = 5.0, 0.03, 20, np.array([0.0, 40.0])
    kept = (1 - rate) ** m
    apart = kept * before + (1 - kept) * ends
    in_turns = [kept * (kept * before + (1 - kept) * one) + (1 - kept) * other for one, other in (ends, ends[::-1])]
    merged = before + count_weight(np.array(-m * np.log1p(-rate)), 2) * (apart - before).sum()
    assert merged == pytest.approx(np.mean(in_turns))


@given(st.floats(0.0, 50.0), st.integers(1, 64))
def test_a_weight_is_between_the_mean_and_the_sum(steps, n):
    found = float(count_weight(np.array(steps), n))
    assert 1 / n - 1e-6 <= found <= 1 + 1e-6


def test_a_sense_that_two_replicas_gave_birth_to_is_one():
    corpus = planted(2, n_sentences=3000)
    config = TrainConfig.from_preset("paper", dim=16, alpha=0.5, subsample=0.0, lr=0.05)
    replicas = [Replica(corpus, config, 2) for _ in range(2)]
    for number, replica in enumerate(replicas):
        replica.train(number * 10_000, (number + 1) * 10_000)
    before = len(corpus.vocabulary)
    word = np.array([corpus.vocabulary.index["planted"]])
    sizes = [int(replica._sticks(word).sizes[0]) for replica in replicas]
    assert min(sizes) > 1, "both gave birth"
    exchange(replicas)
    assert int(replicas[0]._sticks(word).sizes[0]) == max(sizes)
    assert len(replicas[0].system.state()["counts"]) == replicas[0].system.senses.used > before
    totals = replicas[0].system.state()["counts"].sum() + replicas[0].system.state()["pending"].sum()
    assert totals == pytest.approx(replicas[0].system.totals.sum(), rel=1e-6)


def test_replicas_find_planted_senses():
    corpus = planted(2, n_sentences=6000)
    replicas = trained(corpus, TrainConfig.from_preset("paper", dim=16, epochs=3), 2)
    model = Model(replicas[0].system.model_arrays(), corpus.vocabulary, {"config": replicas[0].config.to_dict()})
    senses = [sense for sense in model.senses("planted", top=3) if sense.prior > 0.1]
    topics = [{n.name[: len("topic0")] for n in sense.neighbours} for sense in senses]
    assert topics in ([{"topic0"}, {"topic1"}], [{"topic1"}, {"topic0"}])


def test_several_replicas_predict_as_well_as_one():
    corpus, bounds = zipf_corpus(2000, 200_000), []
    for n in (1, 4):
        tallies = [
            take_tally(replica.scratch)
            for replica in trained(corpus, TrainConfig.from_preset("paper", dim=24, window=5), n)
        ]
        sums = {name: sum(tally[name] for tally in tallies) for name in tallies[0]}
        bounds.append(sums["bound"] / sums["contexts"])
    assert abs(bounds[0] - bounds[1]) < 0.02


def test_rows_that_nobody_changed_are_not_sent():
    corpus = zipf_corpus(2000, N_TOKENS)
    replicas = [Replica(corpus, TrainConfig.from_preset("paper", dim=8, window=2), 2) for _ in range(2)]
    for replica in replicas:
        replica.train(0, 50)
    (changes,) = replicas[0].changes(1)
    assert 0 < len(changes.rows) < 1000
    assert 0 < len(changes.words) <= 50
    n_floats = 8 * (len(changes.rows) + len(changes.keys))
    assert sum(array.nbytes for array in changes) >= 4 * n_floats
    exchange(replicas)
    (changes,) = replicas[0].changes(1)
    assert len(changes.rows) == len(changes.words) == len(changes.keys) == 0


@pytest.mark.parametrize("algorithm", SYSTEMS)
def test_replicas_go_on_from_a_model(algorithm, tmp_path):
    old = train_in_memory(zipf_corpus(200, N_TOKENS), tmp_path / "old", **options(algorithm))
    text = [[f"w{i}" for i in range(190, 260)]] * 20
    corpus = encode(text, tmp_path / "more", EncodeOptions(min_count=1), old_vocabulary=old.vocabulary)
    past = PreviousModel(old).state_for(corpus, 0)
    replicas = [Replica(corpus, old.config, 2, past) for _ in range(2)]
    train_turns(replicas, 0, len(corpus.tokens), turn=256)
    assert_equal_states(replicas[1], replicas[0])
    assert len(replicas[0].system.model_arrays()["offsets"]) == 261


@pytest.mark.parametrize("algorithm", ["mssg", "np-mssg"])
def test_systems_that_replicas_cannot_train_are_refused(algorithm):
    with pytest.raises(InputError, match=f"{algorithm} trains on one machine only"):
        Replica(zipf_corpus(300, 1000), TrainConfig.from_preset("paper", algorithm=algorithm), 2)


@given(st.integers(1, 10**7), st.integers(1, 70))
def test_turns_are_short_in_small_corpora_and_bounded_in_large_ones(n_tokens, n_workers):
    chunks = ClusterChunks()
    turn = chunks.turn_of(n_tokens, n_workers)
    assert 0 < turn <= chunks.turn
    if n_workers == 1:
        assert turn % Chunks().piece_of(n_tokens) == 0, "pieces are cut as without Ray"
