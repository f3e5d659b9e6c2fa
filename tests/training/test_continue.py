"""Training goes on from a model: the same senses, new words, new senses after the old ones."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import adagram
from adagram.config import TrainConfig
from adagram.model import Model
from adagram.model.sheet import label_of
from adagram.model.storage import REST
from adagram.paper.schedule import expected_counts
from adagram.training.checkpoint import Saving
from adagram.training.continue_model import PreviousModel
from adagram.training.continued_systems import OLD_OUTPUT, OLD_SENSES, Continued
from adagram.training.progress import Interrupted, Stop
from adagram.training.run import train_encoded
from adagram.training.workers import Chunks, Threads
from continue_support import FIRST, OPTIONS, SECOND, options_of, sentences
from tests_support import FINE, stopping


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


@pytest.fixture(scope="module")
def new(old: Model, tmp_path_factory) -> Model:
    return adagram.train(SECOND, tmp_path_factory.mktemp("new") / "model", start=old, threads=1, min_count=1)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_old_words_keep_their_ids_and_new_ones_follow(old: Model, new: Model) -> None:
    n = len(old.vocabulary)
    assert new.vocabulary.words[:n] == old.vocabulary.words
    assert sorted(new.vocabulary.words[n:]) == sorted(f"topic3x{i}" for i in range(12))
    counted = sum(sentence.count("planted") for sentence in FIRST + SECOND)
    assert new.vocabulary.counts[new.vocabulary.index["planted"]] == counted


def test_every_sense_stays_what_it_was(old: Model, new: Model) -> None:
    """Sense k is nearest to what sense k was, and a topic that is over keeps its sense."""
    for name in old.names(slice(0, old.n_senses)):
        assert name in new
    shared = old.names(old.rows("planted"))
    for name in shared:
        found = {other: cosine(new[name], old[other]) for other in shared}
        assert max(found, key=found.__getitem__) == name
    for topic in (0, 1):
        context = [f"topic{topic}x{i}" for i in (1, 4, 5, 9, 11)]
        assert new.disambiguate("planted", context).best == old.disambiguate("planted", context).best


def test_a_new_meaning_becomes_the_next_sense(old: Model, new: Model) -> None:
    born = new.disambiguate("planted", [f"topic2x{i}" for i in (1, 4, 5, 9)]).best
    assert int(born.rpartition("#")[2]) >= len(old.senses("planted"))
    near = [n.name for n in new.neighbours(born, top=5)]
    assert all(name.startswith("topic2") for name in near)


@pytest.mark.parametrize("algorithm", ["adagram", "skipgram", "skipgram-ns", "mpsg"])
def test_before_the_first_token_all_is_as_it_was(algorithm: str, tmp_path) -> None:
    """A run that stops at once gives the old senses again; counts speak for the old and new text together."""
    old = adagram.train(FIRST[:800], tmp_path / "old", **options_of(algorithm))
    corpus = extended(old, SECOND[:40], tmp_path)
    workers = Threads(corpus, old.config, Chunks(), PreviousModel(old).state_for(corpus, 0))
    workers.start()
    arrays = workers.system.model_arrays()
    made = Model(arrays, corpus.vocabulary, old.info)
    for name in old.names(slice(0, old.n_senses)):
        assert_array_equal(made[name], old[name])
        assert_allclose(made.priors[made.row(name)], old.priors[old.row(name)], atol=0.01)
    totals = expected_counts(corpus.vocabulary.counts, 0.0)
    grown = np.add.reduceat(arrays["counts"], arrays["offsets"][:-1])
    assert_allclose(grown, totals, rtol=0.02)


def extended(old: Model, text: list[list[str]], folder: Path) -> Any:
    from adagram.corpus.encoder import encode
    from adagram.corpus.options import EncodeOptions

    return encode(text, folder / "more", EncodeOptions(min_count=1), old_vocabulary=old.vocabulary)


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mpsg"])
def test_other_systems_go_on_too(algorithm: str) -> None:
    start = adagram.train(FIRST, **options_of(algorithm))
    model = adagram.train(SECOND, start=start, min_count=1, threads=1)
    assert model.config.algorithm == algorithm
    likeliest = max(model.senses("topic3x1"), key=lambda sense: sense.prior)
    near = [n.name for n in model.neighbours(likeliest.name, top=3)]
    assert sum(name.startswith("topic3") for name in near) >= 2


def test_a_row_is_the_mean_of_old_and_new_by_their_uses(old: Model, tmp_path) -> None:
    """Words that the new text does not have stay as they were, bit for bit; others go a part of the way."""
    corpus, start = extended(old, SECOND, tmp_path), PreviousModel(old)
    config = start.options({"threads": 1})[0].resolve(len(corpus.tokens))
    workers = Threads(corpus, config, Chunks(), start.state_for(corpus, 0))
    workers.start()
    workers.round(0, len(corpus.tokens), Stop())
    trained, joined = super(Continued, workers.system).arrays()[0], workers.system.model_arrays()
    model = Model(joined, corpus.vocabulary, old.info)
    assert_array_equal(model["topic0x1#0"], old["topic0x1#0"])
    row, w = model.row("planted#0"), old.vocabulary.index["planted"]
    before, after = int(old.vocabulary.counts[w]), int(corpus.vocabulary.counts[w] - old.vocabulary.counts[w])
    share = after / (OLD_SENSES * before + after)
    dim = old.config.dim
    expected = (1 - share) * old["planted#0"] + share * trained["vectors"][row, :dim]
    assert_allclose(joined["vectors"][row, :dim], expected, rtol=1e-5, atol=1e-6)
    root = int(np.argmax(workers.system.output_uses(corpus.vocabulary.counts)))  # all words are below it
    before, after = int(old.vocabulary.counts.sum()), len(corpus.tokens)
    share = after / (OLD_OUTPUT * before + after)
    expected = (1 - share) * old.arrays["output"][root] + share * trained["output"][root]
    assert_allclose(joined["output"][root], expected, rtol=1e-5, atol=1e-6)


def test_several_lanes_can_go_on_deterministically(old: Model) -> None:
    options = {"start": old, "min_count": 1, "threads": 2, "lanes": 2, "deterministic": True}
    one, same = (adagram.train(SECOND, **options) for _ in range(2))
    for name in one.arrays:
        assert_array_equal(one.arrays[name], same.arrays[name])
    assert "planted#0" in one


def test_memory_makes_the_past_count_less(old: Model) -> None:
    short = adagram.train(SECOND, start=old, memory=300, min_count=1, threads=1)
    n = len(old.vocabulary)
    assert abs(int(short.vocabulary.counts.sum()) - 300 - 15_000) <= n
    long = adagram.train(SECOND, start=old, min_count=1, threads=1)
    over = old.disambiguate("planted", [f"topic0x{i}" for i in (1, 4, 5, 9, 11)]).best
    left = [model.priors[model.row(over)] for model in (short, long)]
    assert left[0] < 0.5 * left[1], "a meaning that is over is forgotten sooner"


def test_stopped_and_resumed_equals_uninterrupted(old: Model, new: Model, tmp_path) -> None:
    """One thread, bit for bit."""
    corpus, output, start = extended(old, SECOND, tmp_path), tmp_path / "broken", PreviousModel(old)
    config = start.options({"threads": 1})[0]
    with pytest.raises(Interrupted):
        train_encoded(corpus, config, Saving(output), stopping(at=4), FINE, start)
    resumed = train_encoded(corpus, config, Saving(output, resume=True), lambda progress: None, FINE, start)
    whole = train_encoded(corpus, config, Saving(), lambda progress: None, FINE, start)
    for name in whole.arrays:
        assert_array_equal(resumed.arrays[name], whole.arrays[name])
    assert whole._continuation.rest is not None
    assert resumed._continuation.rest is not None
    for name in whole._continuation.rest:
        assert_array_equal(resumed._continuation.rest[name], whole._continuation.rest[name])


def test_labels_and_sheet_are_carried_over(old: Model, tmp_path) -> None:
    old._learned.save(tmp_path / "a")
    labelled = adagram.load(tmp_path / "a").decide("label planted#0 the first meaning")
    (tmp_path / "a/senses.jsonl").write_text("", encoding="utf-8")
    there = adagram.train(SECOND, tmp_path / "b", start=tmp_path / "a", min_count=1)
    in_memory = adagram.train(SECOND, start=labelled, min_count=1)
    for model in (there, in_memory):
        assert label_of(model, model.row("planted#0")) == "the first meaning"
    assert (tmp_path / "b/senses.jsonl").is_file()
    assert (tmp_path / "b/journal.txt").read_text() == (tmp_path / "a/journal.txt").read_text()


def test_it_can_go_on_again_and_again(new: Model) -> None:
    again = adagram.train(sentences({4: "other", 1: "planted"}, 600, seed=2), start=new, min_count=1, threads=1)
    assert [corpus["tokens"] for corpus in again.info["seen"]] == [30_000, 15_000, 6_000]
    assert set(new.names(slice(0, new.n_senses))) <= set(again.names(slice(0, again.n_senses)))


def test_a_model_of_the_earlier_format_goes_on_and_says_what_is_assumed(old: Model, tmp_path) -> None:
    old.save(tmp_path / "earlier")
    (tmp_path / "earlier" / REST).unlink()
    with pytest.warns(UserWarning, match=f"has no {REST}: it is assumed"):
        model = adagram.train(SECOND, start=tmp_path / "earlier", min_count=1, threads=1)
    assert set(old.names(slice(0, old.n_senses))) <= set(model.names(slice(0, model.n_senses)))


def test_the_same_text_again_is_said(old: Model) -> None:
    with pytest.warns(UserWarning, match="has learned this text already"):
        adagram.train(FIRST, start=old, min_count=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adagram.train(SECOND, start=old, min_count=1)


def test_an_encoded_corpus_gives_the_same_model(old: Model, new: Model, tmp_path) -> None:
    from adagram.corpus.encoder import encode
    from adagram.corpus.options import EncodeOptions

    encode(SECOND, tmp_path / "encoded", EncodeOptions(min_count=1))
    model = adagram.train(tmp_path / "encoded", start=old, threads=1)
    assert model.vocabulary.words == new.vocabulary.words
    for name in new.arrays:
        assert_array_equal(model.arrays[name], new.arrays[name])


def test_options_of_the_model_hold_where_no_others_are_given(old: Model) -> None:
    config, encoding = PreviousModel(old).options({"epochs": 2})
    assert (config.dim, config.lr, config.epochs, encoding.pretokenized) == (8, 0.05, 2, True)
    assert isinstance(config, TrainConfig)


def test_what_followed_from_the_length_of_the_text_follows_from_that_of_all_text(old: Model) -> None:
    """As if both had been one, but with five passes at most; what was given is kept."""
    by_length = adagram.train(FIRST, **OPTIONS | {"epochs": None})
    assert by_length.config.epochs == 10
    again = adagram.train(SECOND[50:], start=by_length, min_count=1, threads=1)
    assert again.config.epochs == 5
    for model in (by_length, again):
        model.info["seen"][0]["tokens"] += 4_999_999 - PreviousModel(model).n_tokens
        new = adagram.train(SECOND[:50], start=model, min_count=1, threads=1)
        assert (new.config.epochs, new.config.alpha, new.config.subsample) == (4, 0.1, 0.0)
        assert adagram.train(iter(SECOND[:50]), start=model, threads=1).config.epochs == 4
        assert adagram.train(SECOND[:50], start=model, min_count=1, threads=1, epochs=1).config.epochs == 1
    assert adagram.train(SECOND[:50], start=old, min_count=1, threads=1).config.epochs == old.config.epochs


def test_the_new_text_is_visited_in_random_order_unless_that_is_switched_off(old: Model) -> None:
    assert PreviousModel(old).options({})[0].shuffle
    assert not PreviousModel(old).options({"shuffle": False})[0].shuffle


def test_a_model_may_take_the_place_of_the_one_it_goes_on_from(old: Model, tmp_path) -> None:
    old.save(tmp_path / "m")
    model = adagram.train(SECOND, tmp_path / "m", start=tmp_path / "m", overwrite=True, min_count=1)
    assert len(model.vocabulary) > len(old.vocabulary)
