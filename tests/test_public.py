"""The names that users rely on."""

from __future__ import annotations

import inspect
import random
from typing import get_type_hints

import pytest

import adagram
from adagram.config import TrainConfig, TrainOptions
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.options import options_of
from tests_support import planted


def test_public_names():
    assert adagram.__all__ == ["AdagramError", "Model", "Sense", "TrainConfig", "load", "train"]
    for name in adagram.__all__:
        assert getattr(adagram, name).__doc__


def test_train_from_token_lists_and_from_a_file(tmp_path):
    corpus = planted(2, n_sentences=600)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens]
    lists = [words[i : i + 10] for i in range(0, len(words), 10)]
    options = {"dim": 8, "min_count": 1, "threads": 1, "epochs": 2}
    from_lists = adagram.train((line for line in lists), **options)
    path = tmp_path / "text.txt"
    path.write_text("\n".join(" ".join(line) for line in lists))
    from_file = adagram.train(path, tmp_path / "model", **options)
    assert from_lists.vocabulary.words == from_file.vocabulary.words
    assert [s.name for s in from_lists.senses("planted")] == [s.name for s in from_file.senses("planted")]
    assert adagram.load(tmp_path / "model").n_senses == from_file.n_senses
    with pytest.raises(InputError, match="unknown option 'dimension'"):
        adagram.train(path, dimension=3)


def test_train_tells_all_its_options():
    options = options_of(TrainConfig, EncodeOptions)
    assert set(get_type_hints(TrainOptions)) == {*options, "preset", "tokenizer"}
    hints, parameters = get_type_hints(adagram.train), inspect.signature(adagram.train).parameters
    for name, (own, about) in options.items():
        assert name in hints
        assert parameters[name].default == own.default
        assert f"    {name}\n        {about.help}" in adagram.train.__doc__
    assert (hints["dim"], hints["alpha"], hints["return"]) == (int, float | None, adagram.Model)


def test_the_two_senses_of_a_homonym_in_a_toy_text_are_found():
    chosen = random.Random(1)
    topics = [[f"{topic}{i}" for i in range(22)] for topic in "ab"]
    lines = [[*chosen.choices(chosen.choice(topics), k=6), "homonym"] for _ in range(12_000)]
    model = adagram.train(lines, dim=20, threads=1)
    assert len(model) == 45
    assert len(model.senses("homonym")) == 2
    assert model.disambiguate("homonym", "a1 a2 a3").max() > 0.9
    assert model.disambiguate("homonym", "a1 a2 a3").best != model.disambiguate("homonym", "b1 b2 b3").best
