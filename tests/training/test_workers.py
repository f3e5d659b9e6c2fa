"""Lanes in lock step: the number of threads changes the time of a run, not its model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import adagram
from adagram.config import ALGORITHMS, TrainConfig
from adagram.errors import InputError
from adagram.model.storage import ARRAYS
from adagram.systems.base import OutputRows
from adagram.training.checkpoint import Saving
from adagram.training.progress import Interrupted, Stop
from adagram.training.run import Run, train_encoded
from adagram.training.workers import Chunks, Lanes, Piece, SpanMaker, Threads
from tests_support import planted, stopping, zipf_corpus

THREE = TrainConfig.from_preset("paper", dim=8, lanes=3, threads=1, alpha=1.0, subsample=0.01)
FINE = Chunks(piece=256, lane_tokens=256, pieces_per_epoch=1, pieces_per_round=3, report_seconds=0.0)


@pytest.fixture
def processors(monkeypatch) -> None:
    """As if there were many: threads are started, and take turns on the real ones."""
    monkeypatch.setattr("adagram.training.workers.processors", lambda: 64)


def ignore(progress: object) -> None:
    """A listener."""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_deterministic_is_the_same_file_whatever_the_threads(tmp_path, algorithm):
    corpus, config = planted(3, n_sentences=1500), replace(THREE, algorithm=algorithm, epochs=2)
    for name, options in {"a": {}, "b": {}, "c": {"threads": 4, "deterministic": True}}.items():
        train_encoded(corpus, replace(config, **options), Saving(tmp_path / name), ignore, FINE)
    files = {(tmp_path / name / ARRAYS).read_bytes() for name in "abc"}
    assert len(files) == 1


@pytest.mark.usefixtures("processors")
def test_threads_do_not_show():
    """Senses, likelihood and cost with 1, 2 and 5 threads, on text with hundreds of births."""
    corpus = zipf_corpus(3000, 60_000, seed=1)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens[:3000]]
    found = {}
    for threads in (1, 2, 5):
        config = TrainConfig.from_preset("paper", dim=16, lanes=5, threads=threads, alpha=3.0, epochs=2, lr=0.05)
        model = train_encoded(corpus, config, Saving(), ignore, FINE)
        found[threads] = model.n_senses, model.log_likelihood(words), model.info["training"]["live_senses"]
    assert found[1][0] > len(corpus.vocabulary) + 300
    for threads in (2, 5):
        assert_allclose(found[threads], found[1], rtol=0.03)


def test_one_lane_has_no_copies_and_many_learn_what_one_does():
    corpus = planted(2, n_sentences=6000)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens[:5000]]
    one, many = (
        train_encoded(corpus, TrainConfig.from_preset("paper", dim=16, epochs=6, threads=1, lanes=n), Saving(), ignore)
        for n in (1, 4)
    )
    assert len(many.senses("planted", top=0)) == len(one.senses("planted", top=0)) == 2
    assert many.log_likelihood(words) == pytest.approx(one.log_likelihood(words), abs=0.02)


def test_merged_rows_are_those_of_the_formula():
    config, draw = TrainConfig.from_preset("paper", dim=12, lanes=3), np.random.default_rng(0)
    output = OutputRows(40, config, visits=np.full(40, 2.0))
    output.set(draw.normal(size=(40, 16)).astype(np.float32))
    copies = output.rows[40:-1].reshape(3, 40, 16)
    copies += 0.1 * draw.normal(size=(1, 40, 16)) + 0.1 * draw.normal(size=copies.shape)
    rows, changes = output.get().copy(), copies - output.get()
    output.merge(3)
    of_sum, of_changes = (changes.sum(0) ** 2).sum(), (changes**2).sum()
    agreement = (of_sum - of_changes) / (2 * of_changes)
    assert 0.4 < agreement < 0.6
    assert_allclose(output.get(), rows + changes.sum(0) / (1 + 2 * agreement), rtol=1e-4, atol=1e-5)
    for copy in copies:
        assert_array_equal(copy, output.get())


def test_changes_with_nothing_in_common_add_up():
    output = OutputRows(4, TrainConfig.from_preset("paper", dim=8, lanes=2), visits=np.zeros(4))
    output.set(np.ones((4, 8), np.float32))
    output.rows[4:8, :4] += 1.0
    output.rows[8:12, 4:] += 2.0
    output.merge(2)
    assert_allclose(output.get(), [[2.0] * 4 + [3.0] * 4] * 4)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.usefixtures("processors")
def test_every_birth_gets_a_row_of_its_own(threads):
    """Also if the tables have to grow in the middle of a turn."""
    config = replace(THREE, threads=threads, alpha=20.0, subsample=0.0, lr=0.1)
    workers = Threads(zipf_corpus(300, 40_000), config, FINE)
    workers.start()
    before = workers.system.senses.capacity
    run = Run(workers.corpus, workers.config, workers, Saving(), 0.0)
    run.train(ignore, Stop())
    assert workers.system.senses.capacity > before
    rows, _ = workers.system.senses.chains()
    assert len(set(rows.tolist())) == len(rows)


@pytest.mark.usefixtures("processors")
def test_a_thread_that_fails_is_heard_and_nobody_waits_for_it(monkeypatch):
    workers = Threads(zipf_corpus(300, 40_000), replace(THREE, threads=3), FINE)
    workers.start()
    train = workers.system.train

    def fail_in_the_last(span, scratch):
        if span.shifts[span.first] == workers.system.output.shifts[2]:
            raise MemoryError("no room")
        return train(span, scratch)

    monkeypatch.setattr(workers.system, "train", fail_in_the_last)
    with pytest.raises(MemoryError, match="no room"):
        workers.round(0, workers.round_tokens, Stop())


def test_stopped_and_resumed_equals_uninterrupted(tmp_path):
    """Also if the run was stopped in a later epoch, which begins within a piece."""
    corpus, config = planted(3, n_sentences=1501), replace(THREE, epochs=3)
    train_encoded(corpus, config, Saving(tmp_path / "whole"), ignore, FINE)
    broken = Saving(tmp_path / "broken")
    for at in (2, 5):
        with pytest.raises(Interrupted):
            train_encoded(corpus, config, replace(broken, resume=at > 2), stopping(at), FINE)
    train_encoded(corpus, config, replace(broken, resume=True), ignore, FINE)
    assert (tmp_path / "whole" / ARRAYS).read_bytes() == (tmp_path / "broken" / ARRAYS).read_bytes()


def test_resuming_with_other_lanes_is_refused_and_with_other_threads_is_not(tmp_path):
    corpus = planted(3, n_sentences=1501)
    with pytest.raises(Interrupted):
        train_encoded(corpus, THREE, Saving(tmp_path / "model"), stopping(2), FINE)
    resume = Saving(tmp_path / "model", resume=True)
    with pytest.raises(InputError, match="lanes=3, now it is 2"):
        train_encoded(corpus, replace(THREE, lanes=2), resume, ignore, FINE)
    train_encoded(corpus, replace(THREE, threads=2), resume, ignore, FINE)


def test_lanes_follow_the_length_of_the_text_and_stand_in_config_json():
    short = adagram.train([["a", "b", "c"]] * 100, dim=4, min_count=1, threads=1)
    assert short.info["config"]["lanes"] == 1
    assert [TrainConfig().resolve(n).lanes for n in (10_000, 300_000, 10**9)] == [1, 16, 16]
    assert TrainConfig.from_preset("paper").lanes == 1


def test_a_lane_that_met_nothing_changes_nothing():
    """The last piece of a pass may have fewer words than there are lanes."""
    output = OutputRows(4, TrainConfig.from_preset("paper", dim=8, lanes=3), visits=np.full(4, 2.0))
    output.set(np.ones((4, 8), np.float32))
    output.rows[8:12] += 1.0
    output.merge(1)
    assert_allclose(output.get(), 2.0)


@pytest.mark.parametrize("n_lanes", [1, 3, 8])
def test_lanes_have_the_whole_span_and_threads_share_them(n_lanes):
    corpus = zipf_corpus(50, 1000)
    span = SpanMaker(corpus, replace(THREE, subsample=0.0), 1000).make(Piece(0, 0, 1000))
    shifts = np.arange(10, 10 + n_lanes, dtype=np.int32)
    for n_shares in (1, 3, 5):
        shares = list(Lanes(span, shifts, min(n_shares, n_lanes)).shares)
        assert [s.first for s in shares] + [1000] == [0] + [s.last for s in shares]
    if n_lanes > 1:
        assert_array_equal(np.unique(span.shifts[:1000]), shifts)
        assert np.all(np.diff(span.shifts[:1000]) >= 0)
