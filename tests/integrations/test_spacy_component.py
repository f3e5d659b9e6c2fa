"""The spaCy component in a blank English pipeline."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy

from adagram.errors import InputError
from adagram.integrations.spacy import SenseTagger
from adagram.model import Model
from model_support import assign, random_model

pytestmark = pytest.mark.slow  # spaCy takes seconds to import
MODEL = random_model(words=["bank", "river", "money", "the", "it", "is", "wet", "loan"])
TEXT = "The bank isn't wet. Money, the LOAN; unheard river bank!"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    MODEL.save(path)
    return path


def pipeline(folder: Path, **config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("adagram", config={"model": str(folder), **config})
    return nlp


def test_tokens_have_the_senses_of_the_model(folder: Path) -> None:
    doc = pipeline(folder)(TEXT)
    words = ["the", "bank", "is", "wet", "money", "the", "loan", "river", "bank"]
    rows, probabilities = assign(MODEL, words)
    known = [token for token in doc if token._.sense]
    assert [token.lower_ for token in known] == words
    assert [token._.sense for token in known] == MODEL.names(rows)
    np.testing.assert_allclose([token._.sense_probability for token in known], probabilities, atol=1e-6)
    np.testing.assert_array_equal([token._.sense_vector for token in known], MODEL.vectors[rows])


def test_unknown_tokens_have_no_sense(folder: Path) -> None:
    doc = pipeline(folder)("unheard !")
    assert [(t._.sense, t._.sense_probability, t._.sense_vector) for t in doc] == [(None, 0.0, None)] * 2
    assert len(pipeline(folder)("")) == 0


def test_a_stream_of_texts_gives_what_single_texts_give(folder: Path) -> None:
    nlp = pipeline(folder)
    texts = ["river bank", "", "the bank is wet", "money"] * 3
    for doc, text in zip(nlp.pipe(texts, batch_size=5), texts, strict=True):
        assert [token._.sense for token in doc] == [token._.sense for token in nlp(text)]


def test_contexts_are_those_asked_for(folder: Path) -> None:
    model, nlp = Model.load(folder), spacy.blank("en")
    narrow, wide = (SenseTagger(model.using(window=window))(nlp(TEXT)) for window in (1, 3))
    probabilities = [[token._.sense_probability for token in doc] for doc in (narrow, wide)]
    words = [token.lower_ for token in narrow]
    assert probabilities[0] == pytest.approx(assign(model.using("kept", 1), words)[1].tolist())
    assert probabilities[0] != probabilities[1]


def test_improbable_senses_are_left_out(folder: Path) -> None:
    doc = pipeline(folder, min_probability=0.9)(TEXT)
    for token in doc:
        assert (token._.sense is not None) == (token._.sense_probability >= 0.9)
        assert (token._.sense_vector is None) == (token._.sense is None)
    assert any(0 < token._.sense_probability < 0.9 for token in doc)


def test_a_saved_pipeline_keeps_the_path_of_the_model(folder: Path, tmp_path: Path) -> None:
    nlp = pipeline(folder, min_probability=0.4)
    nlp.to_disk(tmp_path / "pipeline")
    found = spacy.load(tmp_path / "pipeline")
    component = found.get_pipe("adagram")
    assert (component.path, component.min_probability) == (str(folder), 0.4)
    assert [t._.sense for t in found(TEXT)] == [t._.sense for t in nlp(TEXT)]
    assert not any(path.suffix == ".safetensors" for path in (tmp_path / "pipeline").rglob("*"))
    assert pickle.loads(pickle.dumps(component)).path == str(folder)


def test_a_doc_keeps_its_senses_in_bytes(folder: Path) -> None:
    nlp = pipeline(folder)
    doc = nlp(TEXT)
    found = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [t._.sense for t in found] == [t._.sense for t in doc]
    np.testing.assert_array_equal(found[1]._.sense_vector, doc[1]._.sense_vector)


@pytest.mark.parametrize(
    ("config", "reason"),
    [({"model": "no/such/model"}, "not a model"), ({"min_probability": 3.0}, "min_probability is 3; it must")],
)
def test_bad_settings_are_named(config: dict[str, Any], reason: str, folder: Path) -> None:
    with pytest.raises(InputError, match=reason):
        pipeline(folder, **config)
