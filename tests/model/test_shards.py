"""A model in several files is the model in one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.cluster.share import Share
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.model.model import write_description
from adagram.model.shards import INDEX, shard_file, write_index, write_shard
from adagram.model.storage import read_arrays, write_arrays
from tests_support import train_in_memory, zipf_corpus

N = 3


@pytest.fixture(scope="module")
def corpus():
    return zipf_corpus(200, 20_000)


def write_model(folder: Path, corpus, algorithm: str = "adagram") -> None:
    config = TrainConfig.from_preset("paper", algorithm=algorithm, dim=9, senses=2)
    folder.mkdir()
    for number in range(N):
        write_shard(folder, number + 1, N, Share(corpus, config, number, N).model_arrays())
    write_index(folder, N)
    whole = train_in_memory(corpus, algorithm=algorithm, dim=9, senses=2, threads=1)
    write_description(whole, folder)


@pytest.fixture
def folder(tmp_path, corpus) -> Path:
    write_model(tmp_path / "model", corpus)
    return tmp_path / "model"


@pytest.mark.parametrize("algorithm", ["adagram", "mpsg", "mssg", "skipgram-ns"])
def test_shards_open_as_one_model_and_can_be_saved_in_one_file(tmp_path, corpus, algorithm):
    write_model(tmp_path / "model", corpus, algorithm)
    model = adagram.load(tmp_path / "model")
    model.save(tmp_path / "one")
    one = adagram.load(tmp_path / "one")
    expected = Share(
        corpus, TrainConfig.from_preset("paper", algorithm=algorithm, dim=9, senses=2), 0, 1
    ).model_arrays()
    assert set(model.arrays) == set(one.arrays) == set(expected) - {"words"}
    for name in one.arrays:
        np.testing.assert_array_equal(model.arrays[name], expected[name])
        np.testing.assert_array_equal(one.arrays[name], expected[name])
    assert model.neighbours("w0#0", top=3) == one.neighbours("w0#0", top=3)


def test_vectors_are_not_read_before_they_are_used(folder):
    model = adagram.load(folder)
    assert model.n_senses == 200
    assert model.priors.sum() == pytest.approx(200)
    assert "vectors" not in model.arrays._joined
    assert model.vector("w3#0").shape == (9,)


def test_the_index_names_the_file_of_every_array(folder):
    index = json.loads((folder / INDEX).read_text())
    for name, file in index["weight_map"].items():
        assert name in read_arrays(folder / file)
    assert len(set(index["weight_map"].values())) == N


def changed(arrays, name, value):
    return {key: (value if key == name else array) for key, array in arrays.items()}


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda a: {k: v for k, v in a.items() if k != "words.2"}, "lacks its words"),
        (lambda a: {k: v for k, v in a.items() if k != "norms.2"}, "lacks norms"),
        (lambda a: changed(a, "words.2", a["words.2"][::-1] * 0), "each of the 200 words once"),
        (lambda a: changed(a, "output.2", a["output.2"][:-1]), "output rows"),
        (lambda a: changed(a, "priors.2", a["priors.2"] * np.nan), "a prior is not a number"),
        (lambda a: changed(a, "offsets.2", a["offsets.2"] + 1), "offsets do not fit"),
        (lambda a: a | {"steps.2": np.zeros(3, np.int32)}, "only one of steps and paths"),
    ],
)
def test_damaged_shards_are_refused(folder, damage, words):
    path = folder / shard_file(2, N)
    arrays = {name: np.array(array) for name, array in read_arrays(path).items()}
    path.unlink()
    write_arrays(path, damage(arrays))
    with pytest.raises(InputError, match=words):
        adagram.load(folder)


def test_a_missing_shard_or_an_empty_index_is_refused(folder):
    (folder / shard_file(2, N)).unlink()
    with pytest.raises(InputError, match="cannot be read"):
        adagram.load(folder)
    (folder / INDEX).write_text('{"weight_map": {}}')
    with pytest.raises(InputError, match="names no files"):
        adagram.load(folder)
