"""Compact models: int8 rows, the most frequent words only."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import adagram
from adagram.cli import main
from adagram.cli.check import examine
from adagram.errors import InputError
from adagram.export import export
from adagram.model.compact import model_of_frequent
from adagram.model.sheet import label_of
from adagram.model.storage import ARRAYS, read_arrays, write_arrays
from model_support import random_model


def test_a_compact_model_answers_as_the_model_it_was_made_of(planted_model, tmp_path):
    planted_model.save(tmp_path / "small", dtype="int8")
    small = adagram.load(tmp_path / "small")
    assert {*small.arrays} == {*planted_model.arrays}
    for name in ("offsets", "steps", "paths"):
        assert_array_equal(small.arrays[name], planted_model.arrays[name])
    for name in ("vectors", "output"):
        ours, theirs = small.arrays[name], planted_model.arrays[name]
        assert ours.dtype == np.float32
        assert ours.shape == theirs.shape
        assert_allclose(ours, theirs, atol=float(np.abs(theirs).max()) / 254 * 1.001)
    assert_allclose(small.arrays["norms"], planted_model.arrays["norms"], rtol=0.02)
    assert_allclose(small.priors, planted_model.priors, rtol=1e-6)
    context = [word for word in planted_model if word != "planted"][:4]
    found = small.disambiguate("planted", context)
    assert_allclose(found, planted_model.disambiguate("planted", context), atol=0.02)
    assert_allclose(small.log_likelihood(context * 5), planted_model.log_likelihood(context * 5), rtol=0.01)
    (batched,) = small.disambiguate_batch("planted", [context])  # compiled, from rows as they are stored
    assert_allclose(batched, found, rtol=1e-4)
    near = [neighbour.name for neighbour in planted_model.neighbours("planted#0", top=3)]
    assert {n.name for n in small.neighbours("planted#0", top=5)} >= {*near[:2]}
    assert all(not finding.damage for finding in examine(tmp_path / "small"))


def test_it_is_memory_mapped_and_small_and_predicts_from_what_is_stored(tmp_path):
    model = random_model(dim=100)
    model.save(tmp_path / "big")
    model.save(tmp_path / "small", dtype="int8")
    small = adagram.load(tmp_path / "small")
    small.disambiguate_batch([*small][:2], [[*small][2:5]] * 2)
    assert not {"vectors", "output"} & {*small.arrays._made}  # no copies as float32
    assert not small.arrays.stored["vectors"].flags.owndata
    assert (tmp_path / "small" / ARRAYS).stat().st_size < 0.4 * (tmp_path / "big" / ARRAYS).stat().st_size


def test_all_that_only_training_needs_is_left_out(planted_folder, tmp_path):
    adagram.load(planted_folder).save(tmp_path / "small", dtype="int8")
    left = {path.name for path in (tmp_path / "small").iterdir()}
    assert not left & {"continue.safetensors", "unknown.txt", "training.jsonl"}
    with pytest.raises(InputError, match="which cannot be continued"):
        adagram.train([["planted", "word"]], start=tmp_path / "small")


def test_saving_it_again_changes_nothing_and_it_cannot_become_another(planted_model, tmp_path):
    planted_model.save(tmp_path / "a", dtype="int8")
    small = adagram.load(tmp_path / "a")
    small.save(tmp_path / "b")
    assert (tmp_path / "a" / ARRAYS).read_bytes() == (tmp_path / "b" / ARRAYS).read_bytes()
    with pytest.raises(InputError, match="dtype is 'float32'"):
        small.save(tmp_path / "c", dtype="float32")
    with pytest.raises(InputError, match="dtype is 'int4'"):
        planted_model.save(tmp_path / "c", dtype="int4")


def test_decisions_are_kept(planted_folder, tmp_path):
    import shutil

    shutil.copytree(planted_folder, tmp_path / "model")
    adagram.load(tmp_path / "model").decide("label planted#0 a label").save(tmp_path / "a", dtype="int8")
    model = adagram.load(tmp_path / "a")
    assert label_of(model, model.row("planted#0")) == "a label"
    merged = model.decide("merge planted 0 1")
    assert merged.n_senses == model.n_senses - 1
    export(merged, tmp_path / "b", "int8", max_words=24)
    again = adagram.load(tmp_path / "b")
    assert label_of(again, again.row("planted#1")) == "a label"


def test_frequent_words_keep_their_probabilities(planted_model):
    kept = model_of_frequent(planted_model, 20)
    assert [*kept] == [*planted_model][:20]
    words = [*kept][1:9]
    assert_allclose(kept.disambiguate(words[0], words[1:]), planted_model.disambiguate(words[0], words[1:]), rtol=1e-5)
    assert_allclose(kept.log_likelihood(words), planted_model.log_likelihood(words), rtol=1e-5)
    for word in words:
        assert_array_equal(kept.word_vector(word), planted_model.word_vector(word))
    assert len(kept.arrays["output"]) < len(planted_model.arrays["output"])


@pytest.mark.parametrize("algorithm", ["mssg", "skipgram-ns"])
def test_models_without_a_tree(algorithm, tmp_path):
    lines = [["river", "bank", "water"], ["money", "bank", "loan"]] * 40
    model = adagram.train(lines, algorithm=algorithm, dim=8, min_count=1, threads=1)
    export(model, tmp_path / "m", "int8", max_words=4)
    small = adagram.load(tmp_path / "m")
    word = next(iter(small))
    context = [*small][1:]
    assert_allclose(small.disambiguate(word, context), model.disambiguate(word, context), atol=0.05)


def test_a_damaged_file_is_refused(planted_model, tmp_path):
    planted_model.save(tmp_path / "m", dtype="int8")
    path = tmp_path / "m" / ARRAYS
    arrays = {name: np.array(array) for name, array in read_arrays(path).items()}
    n = len(planted_model)
    for name, value, message in (
        ("vectors_scale", arrays["vectors_scale"][1:], "vectors_scale has the shape"),
        ("parents", arrays["parents"] + 10_000, "parents are not a tree"),
        ("output", arrays["output"].astype(np.float32), "output is of type float32"),
        ("vectors", arrays["vectors"][:, 1:], "output has the shape"),
    ):
        write_arrays(path, arrays | {name: value})
        with pytest.raises(InputError, match=message):
            adagram.load(tmp_path / "m")
    cycle = np.zeros_like(arrays["parents"])
    write_arrays(path, arrays | {"parents": cycle})
    with pytest.raises(InputError, match="has a cycle"):
        adagram.load(tmp_path / "m").disambiguate("planted", [*planted_model][:n])
    config = tmp_path / "m" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"dtype": "int4"}))
    with pytest.raises(InputError, match="has the type 'int4'"):
        adagram.load(tmp_path / "m")


def test_the_command(planted_folder, tmp_path, capsys):
    small = tmp_path / "small"
    for arguments in (
        ["export", planted_folder, "--format", "int8", "--output", small, "--max-words", 20],
        ["senses", small, "planted"],
        ["info", small],
        ["export", small, "--format", "word2vec", "--blended", "--output", tmp_path / "v.txt"],
    ):
        with pytest.raises(SystemExit) as stop:
            main([*map(str, arguments)])
        assert not stop.value.code
    captured = capsys.readouterr()
    assert "senses of 20 words" in captured.err
    assert "dtype\tint8" in captured.out
    rows = np.loadtxt(tmp_path / "v.txt", skiprows=1, comments=None, usecols=range(1, 9))
    assert len(rows) == adagram.load(small).n_senses
    with pytest.raises(InputError, match="blended vectors can be written as"):
        export(adagram.load(small), tmp_path / "x", "julia", blended=True)
