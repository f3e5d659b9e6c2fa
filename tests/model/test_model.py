"""What a model answers, and that it comes back from disk as it was."""

from __future__ import annotations

import json
import stat

import numpy as np
import pytest
from numpy.testing import assert_allclose

import adagram
from adagram.errors import AdagramError, InputError, UnknownWordError
from adagram.model import Model
from adagram.model.neighbours import NEIGHBOUR_WEIGHT, blended_vectors, unit_vectors
from adagram.model.predict import unlearned_priors
from adagram.paper.reference import Reference, log_predictive, windows
from adagram.paper.schedule import expected_counts
from adagram.paper.softmax import huffman
from model_support import random_model
from tests_support import corpus_of, planted, train_in_memory


def test_save_and_load_is_identity(planted_model, planted_folder):
    loaded = adagram.load(planted_folder)
    assert loaded.info == planted_model.info
    assert loaded.vocabulary.words == planted_model.vocabulary.words
    for name, array in planted_model.arrays.items():
        assert np.array_equal(loaded.arrays[name], array), name
    assert loaded.senses("planted") == planted_model.senses("planted")


def test_a_model_folder_is_complete_and_readable_by_others(planted_folder):
    from safetensors.numpy import load_file

    assert {p.name for p in planted_folder.iterdir()} >= {"model.safetensors", "config.json", "vocab.txt", "README.md"}
    assert load_file(planted_folder / "model.safetensors")["vectors"].dtype == np.float32
    assert json.loads((planted_folder / "config.json").read_text())["config"]["algorithm"] == "adagram"
    assert all(stat.S_IMODE(p.stat().st_mode) & 0o044 == 0o044 for p in planted_folder.iterdir())


def test_loading_maps_the_file_instead_of_reading_it(planted_folder):
    vectors = adagram.load(planted_folder).arrays["vectors"]
    assert not vectors.flags.owndata
    assert not vectors.flags.writeable


def test_saving_over_a_model_replaces_it_and_over_other_things_does_not(planted_model, tmp_path):
    planted_model.save(tmp_path / "m")
    with pytest.raises(InputError, match="is a model already; give overwrite=True"):
        planted_model.save(tmp_path / "m")
    planted_model.save(tmp_path / "m", overwrite=True)
    assert adagram.load(tmp_path / "m").n_senses == planted_model.n_senses
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="other files"):
        planted_model.save(tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "mine"], "no temporary folder stays behind"


def test_a_full_disk_leaves_nothing_half_written(planted_model, tmp_path, monkeypatch):
    from adagram.model import storage

    def full(path, arrays, vocabulary):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(storage, "write_arrays", full)
    with pytest.raises(OSError, match="No space"):
        planted_model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_names_priors_and_counts(planted_model):
    senses = planted_model.senses("planted")
    assert [s.name for s in senses] == ["planted#0", "planted#1"]
    assert sum(s.prior for s in senses) == pytest.approx(1.0)
    assert sum(s.count for s in senses) == pytest.approx(3000, rel=0.01)
    words = np.add.reduceat(planted_model.priors, planted_model.offsets[:-1])
    assert_allclose(words, 1.0)


def test_neighbours_are_exact_and_of_other_words(planted_model):
    unit = blended_vectors(planted_model, weight=NEIGHBOUR_WEIGHT)
    row = planted_model.row("planted#1")
    cosines = unit @ unit_vectors(planted_model, np.array([row]))[0]
    cosines[planted_model.rows("planted")] = -2
    words = np.searchsorted(planted_model.offsets, np.arange(len(unit)), side="right")
    ordered = np.argsort(-cosines)
    best = ordered[np.sort(np.unique(words[ordered], return_index=True)[1])][:4]
    found = planted_model.neighbours("planted#1", top=4)
    assert [n.name for n in found] == planted_model.names(best)
    assert_allclose([n.similarity for n in found], cosines[best], atol=1e-5)
    assert planted_model.neighbours("planted#1", top=0) == []
    everything = planted_model.neighbours("planted#1", top=10**6)
    assert len(everything) == len(planted_model) - 1


def test_neighbours_with_a_minimum_count(planted_model):
    least = float(np.median(planted_model.counts))
    found = planted_model.neighbours("planted#0", top=100, min_count=least)
    assert all(planted_model.counts[planted_model.row(n.name)] >= least for n in found)
    assert 0 < len(found) < planted_model.n_senses - 2


def test_posterior_sums_to_one_and_ignores_unknown_words(planted_model):
    context = ["topic0x1", "topic0x2", "topic0x3"]
    posterior = planted_model.disambiguate("planted", context)
    assert posterior.sum() == pytest.approx(1.0)
    assert_allclose(planted_model.disambiguate("planted", [*context, "unheard-of"]), posterior)
    assert_allclose(planted_model.disambiguate("planted", []), planted_model.priors[planted_model.rows("planted")])


def test_batch_equals_one_by_one(planted_model):
    draw = np.random.default_rng(0)
    words = draw.choice(planted_model.vocabulary.words, size=200).tolist()
    contexts = [draw.choice(planted_model.vocabulary.words, size=draw.integers(0, 9)).tolist() for _ in words]
    batch = planted_model.disambiguate_batch(words, contexts)
    for word, context, posterior in zip(words, contexts, batch, strict=True):
        assert_allclose(posterior, planted_model.disambiguate(word, context), atol=1e-4)
    assert planted_model.disambiguate_batch([], []) == []


@pytest.mark.parametrize(("n_sentences", "alpha"), [(3000, 0.1), (60, 3.0)])
def test_likelihood_is_eq_9(n_sentences, alpha):
    """Per context word and jointly, against the formula over all sticks; many unlearned ones in the second case."""
    corpus = planted(2, n_sentences)
    model = train_in_memory(corpus, dim=24, alpha=alpha, max_senses=6, threads=1)
    tokens = corpus.tokens[:120].astype(np.int32)
    n_w = corpus.vocabulary.counts.astype(float)
    output = model.arrays["output"][:, :24].astype(float)
    oracle = Reference(huffman(corpus.vocabulary.counts), n_w, np.zeros((len(n_w), 6, 24)), output, alpha)
    alone, jointly = [], []
    for w, context in windows(tokens, model.config.window):
        rows = model.rows(corpus.vocabulary.words[w])
        size = rows.stop - rows.start
        oracle.vectors[w, :size] = model.vectors[rows]
        counts = np.zeros(6)
        counts[:size], counts[size] = model.counts[rows], n_w[w] - model.counts[rows].sum()
        each, together = log_predictive(counts, alpha, oracle.log_p(w, context))
        alone.append(each)
        jointly.append(together)
    found = model.predictor.likelihood(tokens)
    assert found.per_word == pytest.approx(np.concatenate(alone).mean(), rel=1e-6)
    assert found.per_context == pytest.approx(np.mean(jointly), rel=1e-6)
    assert found.contexts == sum(len(each) for each in alone)
    words = [corpus.vocabulary.words[t] for t in tokens]
    assert model.log_likelihood(words) == found.per_word
    if alpha > 1.0:  # the words' unlearned sticks matter
        assert unlearned_priors(model).min() > 0.05
    else:
        assert len(model.priors[model.rows("planted")]) == 2


def test_likelihood_by_stretches_of_text(planted_corpus, planted_model):
    found = planted_model.predictor.likelihood(np.tile(planted_corpus.tokens, 9)[:45_000].astype(np.int32))
    assert found.parts.shape == (3, 2)
    total, contexts = found.parts.sum(axis=0)
    assert contexts == found.contexts
    assert total / contexts == pytest.approx(found.per_word, rel=1e-12)


def test_likelihood_needs_two_known_words(planted_model):
    with pytest.raises(InputError, match="at least two"):
        planted_model.log_likelihood(["planted", "unheard-of"])


def test_unknown_words_offer_near_spellings(planted_model):
    with pytest.raises(UnknownWordError, match=r"'plantd' is not in the vocabulary.*planted"):
        planted_model.senses("plantd")
    with pytest.raises(
        UnknownWordError, match="there is no 'planted#7'; the senses of 'planted' are planted#0, planted#1"
    ):
        planted_model.vector("planted#7")
    with pytest.raises(UnknownWordError, match="choose one of planted#0, planted#1"):
        planted_model.vector("planted")
    assert_allclose(planted_model.vector("topic0x1"), planted_model.vector("topic0x1#0"))


def test_near_spellings_are_those_of_the_word_as_the_corpus_spells_it(planted_model):
    with pytest.raises(UnknownWordError, match=r"^'PLANTD' is not in the vocabulary.* Near spellings: planted"):
        planted_model.senses("PLANTD")
    with pytest.raises(UnknownWordError, match=r"'x{80}' is not in the vocabulary"):
        planted_model.senses("x" * 100_000)


def test_a_sense_is_looked_up_by_its_name(planted_model):
    both = planted_model.senses("planted", top=3)
    for sense in both:
        (found,) = planted_model.senses(sense.name, top=3)
        assert (found.name, found.prior, found.count) == (sense.name, sense.prior, sense.count)
        assert [near.name for near in found.neighbours] == [near.name for near in sense.neighbours]
    with pytest.raises(UnknownWordError, match="there is no 'planted#9'"):
        planted_model.senses("planted#9")


def test_words_that_contain_the_mark_of_senses():
    model = train_in_memory(corpus_of([["c#", "c#1", "x", "y"] * 30]), dim=4, threads=1)
    assert model.names(model.rows("c#")) == ["c##0"]
    assert model.row("c##0") == model.rows("c#").start
    assert model.row("c#1#0") == model.rows("c#1").start


def test_word_vector_is_the_prior_weighted_mean(planted_model):
    rows = planted_model.rows("planted")
    expected = planted_model.priors[rows] @ planted_model.vectors[rows]
    assert_allclose(planted_model.word_vector("planted"), expected, rtol=1e-5)


@pytest.mark.parametrize("damage", ["missing", "not a model", "cut", "config", "vocab", "version"])
def test_damaged_models_are_refused_with_a_reason(planted_folder, tmp_path, damage):
    import shutil

    folder = tmp_path / "m"
    if damage != "missing":
        shutil.copytree(planted_folder, folder)
    if damage == "not a model":
        (folder / "config.json").unlink()
    if damage == "cut":
        data = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(data[: len(data) // 2])
    if damage == "config":
        (folder / "config.json").write_text("{")
    if damage == "vocab":
        lines = (folder / "vocab.txt").read_text().splitlines(keepends=True)
        (folder / "vocab.txt").write_text("".join(lines[:-3]))
    if damage == "version":
        (folder / "config.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match=str(folder)):
        adagram.load(folder)


def test_an_option_of_a_later_version_is_no_damage(planted_folder, tmp_path):
    import shutil

    folder = shutil.copytree(planted_folder, tmp_path / "m")
    info = json.loads((folder / "config.json").read_text())
    info["config"]["foresight"], info["versions"]["adagram"] = 3, "9.1.0"
    (folder / "config.json").write_text(json.dumps(info))
    with pytest.raises(InputError, match=r"option 'foresight', which .* the model was made by 9\.1\.0"):
        adagram.load(folder)


def test_models_without_a_likelihood_say_so():
    model = train_in_memory(planted(2, n_sentences=300), dim=8, algorithm="mssg", threads=1)
    with pytest.raises(AdagramError, match="mssg has no predictive likelihood"):
        model.log_likelihood(["planted", "topic0x1", "topic0x2"])


def test_the_likelihood_of_a_text_is_that_of_its_words_and_ids(planted_model):
    text = "planted topic0x1 topic0x2 unheard topic0x3"
    ids = planted_model.vocabulary.ids(text.split())
    found = planted_model.predictor.likelihood(ids)
    assert found.words == 4
    assert found.per_word == planted_model.log_likelihood(text) == planted_model.log_likelihood(text.split())


def test_counts_are_of_the_text_also_if_training_left_words_out():
    kept = random_model()
    info = {**kept.info, "config": {**kept.info["config"], "subsample": 1e-3}}
    arrays = dict(kept.arrays)
    totals = expected_counts(kept.vocabulary.counts, 1e-3)
    arrays["counts"] = arrays["counts"] * np.repeat(totals / kept.vocabulary.counts, np.diff(kept.offsets))
    model = Model(arrays, kept.vocabulary, info)
    assert totals.sum() < 0.5 * kept.vocabulary.counts.sum()
    assert_allclose(model.counts, kept.counts)
    assert_allclose(np.add.reduceat(model.counts, model.offsets[:-1]), model.vocabulary.counts, rtol=1e-5)
    assert model.senses("w0")[0].count == model.counts[0]
