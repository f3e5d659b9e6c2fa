"""`shuffle`: a random order of the text's blocks in every pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.model.storage import ARRAYS
from adagram.training.checkpoint import Position, Saving
from adagram.training.progress import Interrupted, Stop
from adagram.training.run import Run, train_encoded
from adagram.training.workers import SpanMaker, Threads, pieces, visits
from tests_support import FINE, planted, stopping, zipf_corpus

SHUFFLED = TrainConfig.from_preset("paper", dim=8, threads=1, epochs=3, alpha=1.0, subsample=0.01, shuffle=True)


def ignore(progress: object) -> None:
    """A listener."""


def places(n_tokens: int, config: TrainConfig, start: int, stop: int, size: int = 4096) -> np.ndarray:
    """Of the text, in the order in which they are visited."""
    todo = visits(n_tokens, config, start, stop, size)
    return np.concatenate([np.arange(0), *(np.arange(piece.start, piece.stop) for piece in todo)])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40_000), st.integers(0, 5), st.integers(0, 2**63 - 1), st.sampled_from([100, 256, 4096]))
def test_every_token_is_visited_once_a_pass(n_tokens, epoch, seed, size):
    config = replace(SHUFFLED, seed=seed)
    found = places(n_tokens, config, epoch * n_tokens, (epoch + 1) * n_tokens, size)
    np.testing.assert_array_equal(np.sort(found), np.arange(n_tokens))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 100_000), st.integers(0, 100_000))
def test_a_run_that_goes_on_anywhere_visits_the_same(one, other):
    n_tokens = 33_333
    start, middle = sorted((one % (3 * n_tokens), other % (3 * n_tokens)))
    parts = [places(n_tokens, SHUFFLED, *ends) for ends in ((start, middle), (middle, 3 * n_tokens))]
    np.testing.assert_array_equal(np.concatenate(parts), places(n_tokens, SHUFFLED, start, 3 * n_tokens))


def test_the_order_differs_by_pass_and_seed_and_pieces_stay_long():
    n, config = 1_000_003, SHUFFLED
    runs = {
        "text": np.arange(n),
        "first": places(n, config, 0, n),
        "second": places(n, config, n, 2 * n),
        "another seed": places(n, replace(config, seed=2), 0, n),
    }
    for name, one in runs.items():
        for other in (runs[key] for key in runs if key != name):
            assert np.mean(one == other) < 0.05
    n_pieces = [len(list(visits(n, replace(config, shuffle=is_on), 0, 3 * n, 4096))) for is_on in (True, False)]
    assert n_pieces[0] <= n_pieces[1] + 3


def test_the_rate_falls_as_the_run_goes_and_windows_are_those_of_the_text():
    corpus = zipf_corpus(50, 20_000)
    config, n = replace(SHUFFLED, subsample=0.0, window=4), len(corpus.tokens)
    maker = SpanMaker(corpus, config, 4096)
    rates, at = [], 0
    for piece in visits(n, config, 0, 3 * n, 4096):
        span = maker.make(piece)
        rates.append(span.rates[span.first : span.last].copy())
        np.testing.assert_array_equal(span.tokens[: span.last], corpus.tokens[max(0, piece.start - 4) : piece.stop])
        assert span.positions[span.first] == at
        at += piece.stop - piece.start
    assert at == 3 * n
    np.testing.assert_allclose(np.diff(np.concatenate(rates)), -config.lr / (3 * n), atol=1e-8)


@pytest.mark.parametrize("more", [{"threads": 1}, {"threads": 3, "lanes": 3, "deterministic": True}])
def test_stopped_and_resumed_equals_uninterrupted(tmp_path, more):
    corpus, config = planted(3, n_sentences=1501), replace(SHUFFLED, **more)
    train_encoded(corpus, config, Saving(tmp_path / "whole"), ignore, FINE)
    train_encoded(corpus, replace(config, shuffle=False), Saving(tmp_path / "sorted"), ignore, FINE)
    broken = Saving(tmp_path / "broken")
    for at in (2, 5):
        with pytest.raises(Interrupted):
            train_encoded(corpus, config, replace(broken, resume=at > 2), stopping(at), FINE)
    train_encoded(corpus, config, replace(broken, resume=True), ignore, FINE)
    whole, resumed, in_order = ((tmp_path / name / ARRAYS).read_bytes() for name in ("whole", "broken", "sorted"))
    assert whole == resumed != in_order


def test_rounds_end_at_the_same_places_wherever_a_run_goes_on(monkeypatch):
    """A run can be stopped at the end of a pass, which is no round number."""
    corpus, ends = planted(3, n_sentences=1501), []
    workers = Threads(corpus, SHUFFLED, FINE)
    run = Run(corpus, SHUFFLED, workers, Saving(), FINE.report_seconds)
    run.begin()
    run.position = Position(len(corpus.tokens), 0.0)
    work = workers.round
    monkeypatch.setattr(
        workers, "round", lambda start, stop, stop_requested: ends.append(stop) or work(start, stop, stop_requested)
    )
    run.train(ignore, Stop())
    assert ends[-1] == run.total
    assert not any(end % workers.round_tokens for end in ends[:-1])


def test_a_corpus_on_disk_gives_what_one_in_memory_does(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(" ".join(f"w{i * i % 97}" for i in range(j, j + 12)) for j in range(2500)))
    encode(text, tmp_path / "encoded", EncodeOptions(min_count=1))
    mapped = EncodedCorpus.open(tmp_path / "encoded")
    loaded = replace(mapped, tokens=np.array(mapped.tokens), ends=np.array(mapped.ends))
    one, other = (train_encoded(corpus, SHUFFLED, Saving(), ignore) for corpus in (mapped, loaded))
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(other.arrays[name], array, err_msg=name)


def test_several_threads_visit_everything():
    corpus = planted(2, n_sentences=3000)
    model = train_encoded(corpus, replace(SHUFFLED, threads=2), Saving(), ignore, FINE)
    assert model.info["training"]["words"] == 3 * len(corpus.tokens)
    assert len(model.senses("planted")) > 1


def test_without_it_the_text_is_visited_as_it_stands():
    n = 33_333
    assert list(visits(n, TrainConfig.from_preset("paper", epochs=2), 0, 2 * n, 4096)) == list(
        pieces(n, 0, 2 * n, 4096)
    )
