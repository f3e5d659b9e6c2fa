"""What a training run promises: senses found, the same result again, no harm from bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from adagram.config import ALGORITHMS, TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import AdagramError, InputError
from adagram.systems.adagram import SPARE
from adagram.systems.base import merge_weight
from adagram.training.checkpoint import Saving
from adagram.training.progress import Progress
from adagram.training.run import Sample, train_encoded
from adagram.training.workers import Chunks, Threads
from tests_support import corpus_of, planted, train_by_threads, train_in_memory, zipf_corpus


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_planted_senses_are_found(n_topics):
    corpus = planted(n_topics, n_sentences=3000)
    model = train_in_memory(corpus, dim=24, threads=1, epochs=3)
    senses = model.senses("planted", top=5)
    assert len(senses) == n_topics
    topics = [{n.name.split("x")[0] for n in sense.neighbours} for sense in senses]
    assert all(len(topic) == 1 for topic in topics), "the neighbours of a sense are of one topic"
    assert len(set.union(*topics)) == n_topics


def test_planted_senses_are_told_apart(planted_corpus, planted_model):
    words, ids = planted_corpus.vocabulary.words, planted_corpus.tokens
    right, chosen = 0, []
    sentences = np.split(ids, planted_corpus.ends[:-1].astype(int))[:200]
    for sentence in sentences:
        context = [words[t] for t in sentence if words[t] != "planted"]
        chosen.append((context[0].split("x")[0], int(planted_model.disambiguate("planted", context).argmax())))
    for topic in ("topic0", "topic1"):
        picks = [k for t, k in chosen if t == topic]
        right += max(picks.count(0), picks.count(1))
    assert right == 200


def test_small_alpha_gives_one_sense_and_large_alpha_more():
    corpus = planted(2, n_sentences=1500)
    assert train_in_memory(corpus, dim=16, threads=1, alpha=1e-9).n_senses == len(corpus.vocabulary)
    few = train_in_memory(corpus, dim=16, threads=1, alpha=0.1).n_senses
    assert train_in_memory(corpus, dim=16, threads=1, alpha=5.0).n_senses > few


def test_adagram_with_one_sense_is_skipgram():
    corpus = zipf_corpus(200, 20_000)
    one = train_in_memory(corpus, dim=12, threads=1, max_senses=1)
    skipgram = train_in_memory(corpus, dim=12, threads=1, algorithm="skipgram")
    # Two compiled programs may round differently in the last bit of a step.
    for name in ("vectors", "output", "priors"):
        assert_allclose(one.arrays[name], skipgram.arrays[name], atol=1e-4)


def test_several_threads_learn_as_well_as_one():
    corpus = planted(2, n_sentences=6000)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens[:5000]]
    one, three = (train_in_memory(corpus, dim=16, threads=n, epochs=6) for n in (1, 3))
    assert len(three.senses("planted", top=0)) == 2
    assert three.log_likelihood(words) == pytest.approx(one.log_likelihood(words), abs=0.02)


@pytest.mark.parametrize("algorithm", ["adagram", "skipgram-ns"])
def test_many_threads_do_not_overshoot(algorithm):
    """Rows that every window moves are averaged between threads: the sum of their changes diverges."""
    corpus = planted(2, n_sentences=6000)
    bounds: dict[int, list[float]] = {1: [], 8: []}
    for threads, found in bounds.items():
        config = TrainConfig.from_preset("paper", dim=16, epochs=2, threads=threads, lr=0.05, algorithm=algorithm)
        train_by_threads(corpus, config, lambda progress, found=found: found.append(progress.objective))
    assert bounds[8][-1] > bounds[1][-1] - 0.3


def test_changes_are_added_or_averaged_by_how_much_they_agree():
    """Rows 0 and 1 are used as often, and all of their changes agree; those of row 2 have nothing in common."""
    uses, n = np.array([8.0, 9.0, 1.0]), np.full(3, 4.0)
    weights = merge_weight(uses, np.array([16.0, 16.0, 4.0]), np.array([4.0, 4.0, 4.0]), n)
    assert_allclose(weights, [0.25, 0.25, 1.0], rtol=1e-6)
    assert_allclose(merge_weight(uses, np.ones(3), np.ones(3), np.ones(3)), 1.0)


def test_memory_follows_live_senses_not_the_truncation():
    corpus = zipf_corpus(2000, 6000)
    for max_senses in (2, 1000):
        workers = train_by_threads(corpus, TrainConfig.from_preset("paper", dim=8, max_senses=max_senses, threads=1))
        assert len(workers.system.state()["counts"]) <= len(corpus.vocabulary) + SPARE


def test_more_births_than_spare_rows_make_the_tables_grow(tmp_path):
    draw = np.random.default_rng(0)
    sentences = []
    for _ in range(4000):  # every "word" has two quite different kinds of context
        topic = draw.integers(2)
        sentences.append([f"word{draw.integers(3000)}" if i == 4 else f"c{topic}_{draw.integers(6)}" for i in range(9)])
    corpus = corpus_of(sentences)
    config = TrainConfig.from_preset("paper", dim=8, alpha=20.0, threads=2, epochs=2)
    fresh = Threads(corpus, config, Chunks())
    fresh.start()
    workers = train_by_threads(corpus, config)
    senses = workers.system.senses
    assert senses.capacity > fresh.system.senses.capacity
    rows, offsets = senses.chains()
    assert len(np.unique(rows)) == len(rows) == offsets[-1], "no row belongs to two senses"
    counts = np.add.reduceat(senses.arrays.counts[rows], offsets[:-1])
    assert np.isfinite(counts).all()
    assert counts.sum() == pytest.approx(len(corpus.tokens), rel=0.05)
    workers.write_state(tmp_path)
    fresh.restore(tmp_path)
    assert np.array_equal(fresh.system.state()["vectors"], workers.system.state()["vectors"])


def test_progress_is_logged_with_an_honest_bound(tmp_path):
    corpus = planted(2, n_sentences=3000)
    seen = []
    train_encoded(
        corpus, TrainConfig.from_preset("paper", dim=16, threads=1, epochs=2), Saving(tmp_path / "m"), seen.append
    )
    entries = [json.loads(line) for line in (tmp_path / "m" / "training.jsonl").read_text().splitlines()]
    assert [entry["words"] for entry in entries] == [progress.words for progress in seen]
    assert seen[-1].words == seen[-1].total == 2 * len(corpus.tokens)
    assert -np.log(len(corpus.vocabulary)) - 1 < seen[-1].objective < 0
    assert seen[-1].live_senses >= 1.0


def test_the_likelihood_of_a_sample_rises_while_the_objective_falls_with_the_rate(monkeypatch):
    """A model at a high rate follows the document that it reads, so the objective flatters it until the rate falls."""
    monkeypatch.setattr(Sample, "MIN_SECONDS", 0.0)
    draw = np.random.default_rng(0)
    documents = [draw.choice([f"w{n}" for n in draw.integers(300, size=6)], 200).tolist() for _ in range(150)]
    corpus, seen = corpus_of(documents), []
    config = TrainConfig.from_preset("paper", dim=16, threads=1, lr=0.1, epochs=4)
    model = train_encoded(corpus, config, Saving(None), seen.append, Chunks(report_seconds=0.0))
    early, late = seen[len(seen) // 4], seen[-1]
    assert early.objective > late.objective + 0.05
    assert early.likelihood < late.likelihood - 0.05
    own = Sample(corpus, config, lambda: model)
    assert own.measure(late) == pytest.approx(late.likelihood, abs=1e-6)


def test_the_likelihood_of_a_sample_is_measured_ten_times_and_at_the_end(planted_corpus, planted_model, monkeypatch):
    figures = {"words_per_second": 1.0, "eta": 0.0, "objective": -3.0, "live_senses": 1.0, "rate": 0.1}
    sample, measured = Sample(planted_corpus, planted_model.config, lambda: measured.append(1) or planted_model), []
    assert sample.measure(Progress(words=50, total=50, seconds=1.0, **figures)) is None, "a run of a second"
    found = [sample.measure(Progress(words=n, total=100, seconds=30.0, **figures)) for n in range(1, 101, 3)]
    assert len(set(found)) == 1
    assert found[0] is not None
    assert len(measured) == 1 + 99 // 12 + 1, "in steps of twelve words, and at the end"


def test_initial_count_is_where_the_first_sense_starts():
    workers = Threads(
        zipf_corpus(20, 200), TrainConfig.from_preset("paper", dim=4, initial_count=7.0, threads=1), Chunks()
    )
    workers.start()
    assert np.all(workers.system.state()["counts"] == 7.0)


@pytest.mark.parametrize("algorithm", ["adagram", "skipgram"])
@pytest.mark.parametrize("threads", [1, 2])
def test_divergence_is_named(algorithm, threads):
    corpus = zipf_corpus(300, 30_000)
    with pytest.raises(AdagramError, match=r"diverged.*lower lr, which is 1\.0"):
        train_in_memory(corpus, dim=50, lr=1.0, window=20, epochs=3, threads=threads, algorithm=algorithm)


@pytest.mark.parametrize(("sentences", "reason"), [([], "no words"), ([["a"] * 9], "only the word 'a'")])
def test_too_small_a_corpus_is_named(sentences, reason):
    with pytest.raises(InputError, match=reason):
        train_in_memory(corpus_of(sentences), dim=4)


def test_foreign_token_ids_are_refused():
    corpus = EncodedCorpus(
        np.array([0, 9], np.uint32), np.array([2], np.uint64), Vocabulary(["a", "b"], np.array([1, 1])), "x"
    )
    with pytest.raises(InputError, match=r"tokens\.bin has a word 9, its vocabulary 2 words"):
        train_in_memory(corpus, dim=4)


@given(
    st.sampled_from(["dim", "window", "alpha", "max_senses", "epochs", "lr", "subsample", "threads", "seed"]),
    st.sampled_from([float("nan"), float("inf"), -1, -0.5, "x", None, True, 10**30]),
)
def test_nonsense_options_are_refused_by_name(name, value):
    assume(value is not None or name in ("dim", "window", "max_senses", "seed"))  # None is automatic
    with pytest.raises(InputError, match=name):
        TrainConfig.from_preset("paper", **{name: value})


def test_unknown_options_are_refused():
    with pytest.raises(InputError, match="unknown option 'dims'; did you mean dim"):
        TrainConfig.from_dict({"dims": 3})
    with pytest.raises(InputError, match="adagram"):
        TrainConfig.from_preset("paper", algorithm="word2vec")
    assert TrainConfig().algorithm in ALGORITHMS


def test_a_run_that_learned_nothing_is_no_model(tmp_path):
    with pytest.raises(InputError, match="subsample, which is 1e-30"):
        train_in_memory(planted(2, n_sentences=50), tmp_path / "m", dim=4, subsample=1e-30)
    assert not (tmp_path / "m").exists()


def test_threads_beyond_the_processors_are_not_started_and_it_is_said(monkeypatch, caplog):
    monkeypatch.setattr("adagram.training.workers.processors", lambda: 2)
    corpus, lengths = planted(2, n_sentences=50), []
    for n in (1, 2, 8):
        workers = Threads(corpus, TrainConfig.from_preset("paper", dim=4, threads=n, lanes=4), Chunks())
        workers.start()
        lengths.append(len(workers.scratches))
    assert lengths == [1, 2, 2]
    assert [record.getMessage() for record in caplog.records] == [
        "threads is 8, but there are 2 processors: so many run"
    ]
