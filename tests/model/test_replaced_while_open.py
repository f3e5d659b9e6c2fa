"""A model that is being replaced is opened as the old one or the new one, never as a mixture."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from model_support import random_model


def of_letter(letter: str, value: float) -> adagram.Model:
    """A model whose words begin with the letter and whose vectors have this value throughout."""
    model = random_model()
    n = len(model.vocabulary)
    vocabulary = Vocabulary([f"{letter}{i}" for i in range(n)], np.asarray(model.vocabulary.counts))
    arrays = dict(model.arrays) | {"vectors": np.full_like(model.arrays["vectors"], value)}
    return adagram.Model(arrays, vocabulary, model.info)


def test_words_and_vectors_are_of_the_same_model(tmp_path: Path) -> None:
    models, folder = [of_letter("a", 1.0), of_letter("b", 2.0)], tmp_path / "m"
    models[0].save(folder)
    done = threading.Event()

    def replace_again_and_again() -> None:
        turn = 0
        while not done.is_set():
            turn += 1
            models[turn % 2].save(folder, overwrite=True)

    writer = threading.Thread(target=replace_again_and_again)
    writer.start()
    try:
        found = [adagram.load(folder) for _ in range(300)]
    finally:
        done.set()
        writer.join()
    seen = {(model.vocabulary.words[0][0], float(model.arrays["vectors"][0, 0])) for model in found}
    assert seen <= {("a", 1.0), ("b", 2.0)}


def test_words_of_another_model_are_refused(tmp_path: Path) -> None:
    of_letter("a", 1.0).save(tmp_path / "a")
    of_letter("b", 1.0).save(tmp_path / "b")
    (tmp_path / "a" / "vocab.txt").write_bytes((tmp_path / "b" / "vocab.txt").read_bytes())
    with pytest.raises(InputError, match="another vocabulary"):
        adagram.load(tmp_path / "a")
