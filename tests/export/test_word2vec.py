"""word2vec files: what gensim reads, and what can be read back."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st

from adagram.errors import InputError
from adagram.export import export, import_model
from adagram.export.word2vec import _senses_of_words
from adagram.model.neighbours import nearest
from model_support import assign, random_model

BOTH = pytest.mark.parametrize(("format", "is_binary"), [("word2vec", False), ("word2vec-bin", True)])


@BOTH
def test_gensim_reads_every_sense_exactly(format: str, is_binary: bool, tmp_path: Path) -> None:
    model = random_model(words=["apple", "naïve", "中文", "c#", "it's", "x"])
    export(model, tmp_path / "senses", format)
    found = KeyedVectors.load_word2vec_format(str(tmp_path / "senses"), binary=is_binary)
    assert found.index_to_key == model.names(slice(0, model.n_senses))
    np.testing.assert_array_equal(found.vectors, model.vectors)


@BOTH
def test_an_export_is_imported_with_the_same_senses(format: str, is_binary: bool, tmp_path: Path) -> None:
    model = random_model()
    export(model, tmp_path / "senses", format)
    found = import_model(tmp_path / "senses", "word2vec", window=4)
    assert found.vocabulary.words == model.vocabulary.words
    np.testing.assert_array_equal(found.offsets, model.offsets)
    np.testing.assert_array_equal(found.vectors, model.vectors)
    np.testing.assert_allclose(np.add.reduceat(found.priors, found.offsets[:-1]), 1.0)
    assert found.config.window == 4
    row = np.array([model.row("w0#1")])
    (rows, _), (expected, _) = (nearest(m, row, 10, 0.0, learned=True)[0] for m in (found, model))
    assert rows.tolist() == expected.tolist()


@BOTH
def test_a_file_written_by_gensim_is_imported(format: str, is_binary: bool, tmp_path: Path) -> None:
    keyed = KeyedVectors(5)
    vectors = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    keyed.add_vectors([f"word{i}" for i in range(7)], vectors)
    keyed.save_word2vec_format(str(tmp_path / "vectors"), binary=is_binary)
    found = import_model(tmp_path / "vectors", "word2vec")
    assert found.vocabulary.words == keyed.index_to_key
    np.testing.assert_allclose(found.vectors, vectors, rtol=1e-6)


def test_an_imported_model_disambiguates_by_the_words_around(tmp_path: Path) -> None:
    rows = {"bank#0": "1 0", "bank#1": "0 1", "money": "1 0.1", "river": "0.1 1"}
    text = f"{len(rows)} 2\n" + "".join(f"{name} {values}\n" for name, values in rows.items())
    (tmp_path / "v.txt").write_text(text)
    model = import_model(tmp_path / "v.txt", "word2vec")
    model.save(tmp_path / "model")
    assert model.disambiguate("bank", ["money"])[0] > 0.9
    assert model.disambiguate("bank", ["river"])[1] > 0.9
    assert assign(model, ["river", "bank"])[0].tolist() == [model.row("river#0"), model.row("bank#1")]


def test_compressed_vectors_are_opened(tmp_path: Path) -> None:
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(b"2 3\na 1 2 3\nb 4 5 6\n"))
    assert import_model(tmp_path / "v.txt.gz", "word2vec").vectors.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_word_with_a_space_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'new york' has white space"):
        export(random_model(words=["new york", "a", "b"]), tmp_path / "v", "word2vec")
    assert list(tmp_path.iterdir()) == []


@given(st.dictionaries(st.text("ab", min_size=1, max_size=3), st.integers(1, 4), min_size=1), st.randoms())
def test_senses_are_grouped_whatever_the_order_of_rows(sizes: dict[str, int], random: st.DataObject) -> None:
    names = [f"{word}#{k}" for word, n in sizes.items() for k in range(n)]
    random.shuffle(names)  # type: ignore[attr-defined]
    found = _senses_of_words(names)
    assert {word: [names[row] for row in rows] for word, rows in found.items()} == {
        word: [f"{word}#{k}" for k in range(n)] for word, n in sizes.items()
    }


def test_names_that_only_look_like_senses_are_words() -> None:
    names = ["c#", "#1", "item#7", "a", "a#0", "b#0", "b#0"]
    assert _senses_of_words(names) == {
        "c#": [0], "#1": [1], "item#7": [2], "a": [3], "a#0": [4], "b": [5]
    }  # fmt: skip
