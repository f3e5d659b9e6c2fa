"""The same run twice on several threads: the same model, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.config import REPLICATED, TrainConfig
from adagram.errors import InputError
from adagram.kernels.arrays import Span
from adagram.model.storage import ARRAYS
from adagram.systems.births import Lineage
from adagram.systems.senses import chains
from adagram.training.checkpoint import Saving
from adagram.training.interrupt import Interrupted, Stop
from adagram.training.pace import Pace
from adagram.training.replicas import ReplicaThreads
from adagram.training.run import Run, train_encoded
from tests_support import called, planted, stopping, zipf_corpus

THREE = TrainConfig(dim=8, threads=3, deterministic=True, alpha=1.0, subsample=0.01)
FINE = Pace(piece=256, pieces_per_epoch=1, pieces_per_round=3, report_seconds=0.0)


def ignore(progress: object) -> None:
    """A listener."""


@pytest.mark.parametrize("algorithm", REPLICATED)
def test_the_file_is_the_same(tmp_path, algorithm):
    corpus, config = planted(3, n_sentences=3000), replace(THREE, algorithm=algorithm, epochs=2)
    for name in ("a", "b"):
        train_encoded(corpus, config, Saving(tmp_path / name), ignore, FINE)
    one, two = ((tmp_path / name / ARRAYS).read_bytes() for name in ("a", "b"))
    assert one == two


def test_fewer_processors_than_threads_change_nothing(monkeypatch):
    corpus, models = planted(3, n_sentences=2000), []
    for n_processors in (1, 2, 3):
        monkeypatch.setattr("adagram.training.replicas.processors", lambda n=n_processors: n)
        models.append(train_encoded(corpus, THREE, Saving(), ignore, FINE))
    for name, array in models[0].arrays.items():
        assert all(np.array_equal(array, model.arrays[name]) for model in models[1:]), name


def test_a_worker_that_fails_is_heard_and_nobody_waits_for_it(monkeypatch):
    crew = begun_crew()
    train = crew._replicas.train

    def fail_in_the_last(number: int, span: Span) -> None:
        if number == 2:
            raise MemoryError("no room")
        train(number, span)

    monkeypatch.setattr(crew._replicas, "train", fail_in_the_last)
    monkeypatch.setattr("adagram.training.replicas.processors", lambda: 3)
    with pytest.raises(MemoryError, match="no room"):
        crew.round(0, crew.round_tokens, Stop())


def test_stopped_and_resumed_equals_uninterrupted(tmp_path):
    """Also where the run was stopped in a later epoch, which begins within a piece."""
    corpus, config = planted(3, n_sentences=1501), replace(THREE, epochs=3)
    train_encoded(corpus, config, Saving(tmp_path / "whole"), ignore, FINE)
    broken = Saving(tmp_path / "broken")
    for at in (2, 5):
        with pytest.raises(Interrupted):
            train_encoded(corpus, config, replace(broken, resume=at > 2), stopping(at), FINE)
    train_encoded(corpus, config, replace(broken, resume=True), ignore, FINE)
    assert (tmp_path / "whole" / ARRAYS).read_bytes() == (tmp_path / "broken" / ARRAYS).read_bytes()


def test_resuming_with_other_threads_is_refused(tmp_path):
    corpus = planted(3, n_sentences=1501)
    with pytest.raises(Interrupted):
        train_encoded(corpus, THREE, Saving(tmp_path / "model"), stopping(2), FINE)
    with pytest.raises(InputError, match="threads=3, now it is 2"):
        train_encoded(
            corpus, replace(THREE, threads=2), Saving(tmp_path / "model", resume=True), ignore, FINE
        )


def test_it_learns_as_one_thread_does():
    corpus = planted(2, n_sentences=6000)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens[:5000]]
    config = TrainConfig(dim=16, epochs=6, threads=1, deterministic=True)
    one, four = (train_encoded(corpus, replace(config, threads=n), Saving(), ignore) for n in (1, 4))
    assert len(four.senses("planted", top=0)) == 2
    assert four.log_likelihood(words) == pytest.approx(one.log_likelihood(words), abs=0.02)


def begun_crew(algorithm: str = "adagram") -> ReplicaThreads:
    config = replace(THREE, algorithm=algorithm, alpha=3.0, subsample=0.0)
    crew = ReplicaThreads(zipf_corpus(3000, 40_000), config, FINE)
    crew.start()
    return crew


def trained_crew(algorithm: str = "adagram") -> ReplicaThreads:
    crew = begun_crew(algorithm)
    run = Run(crew.corpus, crew.config, crew, Saving(), 0.0)
    run.begin()
    run.train(ignore)
    return crew


@pytest.mark.parametrize("algorithm", REPLICATED)
def test_after_a_round_all_copies_are_equal(algorithm):
    crew = trained_crew(algorithm)
    shared = crew.system.state()
    for copy in crew._replicas.copies:
        for name, array in copy.state().items():
            assert np.array_equal(array[: len(shared[name])], shared[name]), name  # a copy has rows to spare


def test_births_of_copies_get_one_chain_each():
    """No row is lost or linked twice, and no stick is born twice though several copies bore it."""
    crew = trained_crew()
    state = crew.system.state()
    n_words, n_rows = len(state["pending"]), len(state["counts"])
    assert n_rows > n_words + 100, "too few births to see anything"
    rows, _ = chains(state["next_row"], n_words)
    assert sorted(rows.tolist()) == list(range(n_rows))
    lineage = Lineage(crew.system.senses)
    assert lineage._words == crew._replicas._lineage._words
    assert lineage._sticks == crew._replicas._lineage._sticks


def test_counts_are_those_of_turns():
    """n ← (1-λ) n + λ x is an affine map, so maps that copies found apart can be applied one after the other."""
    from adagram.kernels.replicas import merge_count

    draw, rate, begin = np.random.default_rng(0), 0.02, 50.0
    met = np.array([[7], [0], [40]])
    turns, copies = begin, []
    for (n_tokens,) in met:
        value = begin
        for x in draw.uniform(0, 100, n_tokens):
            value, turns = (1 - rate) * value + rate * x, (1 - rate) * turns + rate * x
        copies.append(np.array([value]))
    shared = np.array([begin])
    called(merge_count)(shared, tuple(copies), met, 0, 0, rate)
    assert_allclose([shared[0], *(copy[0] for copy in copies)], turns)


def test_other_algorithms_say_what_to_do():
    with pytest.raises(InputError, match="give mssg threads=1"):
        TrainConfig(algorithm="mssg", threads=2, deterministic=True)
    TrainConfig(algorithm="mssg", threads=1, deterministic=True)
