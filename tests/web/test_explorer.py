"""The explorer over models of every kind."""

from __future__ import annotations

import pytest

from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.web.explorer import Explorer
from tests_support import train_in_memory


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mssg"])
def test_models_of_other_systems(bank_corpus: EncodedCorpus, algorithm: str) -> None:
    model = train_in_memory(bank_corpus, algorithm=algorithm, dim=16, threads=1)
    explorer = Explorer(model, bank_corpus)
    n = len(model.senses("bank"))
    assert len(explorer.senses("bank")["senses"]) == n
    assert len(explorer.map("bank")["senses"]) == n
    for answer in (explorer.disambiguate("bank", "river boat"), explorer.tag("bank river boat")["tokens"][0]):
        assert sum(sense["probability"] for sense in answer["senses"]) == pytest.approx(1)
    assert sum(len(sense["lines"]) for sense in explorer.examples("bank")["senses"]) > 0


def test_without_a_corpus_there_are_no_examples(bank_model: Model) -> None:
    explorer = Explorer(bank_model)
    assert explorer.info()["has_examples"] is False
    with pytest.raises(InputError, match="--corpus"):
        explorer.examples("bank")


def test_words_worth_trying_have_several_senses(bank_explorer: Explorer) -> None:
    assert bank_explorer.info()["try"] == ["bank"]


def test_a_text_without_known_words(bank_explorer: Explorer) -> None:
    assert bank_explorer.tag("")["tokens"] == []
    tokens = bank_explorer.tag("quite unknown")["tokens"]
    assert [token["senses"] for token in tokens] == [[], [], []]


def test_case_is_folded_as_in_training(bank_explorer: Explorer) -> None:
    assert bank_explorer.senses("BANK")["word"] == "bank"
    assert bank_explorer.neighbours("Bank#1")["sense"] == "bank#1"
