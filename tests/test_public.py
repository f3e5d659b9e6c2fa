"""The names that users rely on."""

from __future__ import annotations

import pytest

import adagram
from adagram.errors import InputError
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
