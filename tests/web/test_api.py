"""The JSON API answers as the model does."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import jsonschema
import numpy as np
import pytest
from openapi_spec_validator import validate
from web_support import MONEY, WATER, Client

from adagram.model import Model
from adagram.model.neighbours import unit_vectors
from adagram.web.endpoints import ENDPOINTS
from adagram.web.openapi import describe


def test_senses_are_the_models(bank: Client, bank_model: Model) -> None:
    found = bank.get("/api/senses/bank", top=5).json
    for got, expected in zip(found["senses"], bank_model.senses("bank", 5), strict=True):
        assert got["sense"] == expected.name
        assert got["prior"] == pytest.approx(expected.prior)
        assert [n["sense"] for n in got["neighbours"]] == [n.name for n in expected.neighbours]
        assert [n["similarity"] for n in got["neighbours"]] == pytest.approx(
            [n.similarity for n in expected.neighbours], abs=1e-5
        )


def test_neighbours_of_a_sense(bank: Client, bank_model: Model) -> None:
    found = bank.get("/api/neighbours/" + quote("bank#1"), top=3).json
    assert [n["sense"] for n in found["neighbours"]] == [n.name for n in bank_model.neighbours("bank#1", 3)]
    assert bank.get("/api/neighbours/river").json["sense"] == "river#0"


@pytest.mark.parametrize("method", ["get", "post"])
def test_disambiguate_a_word(bank: Client, bank_model: Model, method: str) -> None:
    fields = {"word": "bank", "context": "The river, the boat & the unheard-of fish"}
    answer = (
        bank.get("/api/disambiguate", **fields) if method == "get" else bank.post("/api/disambiguate", fields)
    )
    expected = bank_model.disambiguate("bank", ["river", "boat", "fish"])
    assert [s["probability"] for s in answer.json["senses"]] == pytest.approx(expected.tolist())
    assert answer.json["context"] == ["river", "boat", "fish"]


def test_every_word_of_a_text_gets_the_sense_of_its_surroundings(bank: Client) -> None:
    text = "River water fish Bank boat shore mud. Money loan cash BANK credit debt vault?"
    tokens = bank.post("/api/disambiguate", {"text": text}).json["tokens"]
    assert "".join(t["text"] for t in tokens) == text
    water, money = (
        max(t["senses"], key=lambda s: s["probability"])["sense"] for t in tokens if t["word"] == "bank"
    )
    assert {water, money} == {"bank#0", "bank#1"}
    assert all(sum(s["probability"] for s in t["senses"]) == pytest.approx(1) for t in tokens if t["senses"])


def test_text_and_word_with_its_window_agree(bank: Client) -> None:
    left, right = "river water fish", "boat shore mud"
    token = bank.post("/api/disambiguate", {"text": f"{left} bank {right}"}).json["tokens"][6]
    for context in (f"{left} {right}", f"{left} _ {right}", f"{left} Bank {right}"):
        alone = bank.post("/api/disambiguate", {"word": "bank", "context": context}).json
        assert [s["probability"] for s in token["senses"]] == pytest.approx(
            [s["probability"] for s in alone["senses"]], abs=1e-4
        )
        assert alone["context"] == f"{left} {right}".split()


def test_complete(bank: Client) -> None:
    assert bank.get("/api/complete", prefix="ban").json == {"words": [{"word": "bank", "senses": 2}]}
    assert bank.get("/api/complete", prefix="BAN").json["words"][0]["word"] == "bank"
    assert bank.get("/api/complete", prefix="zz").json == {"words": []}
    assert len(bank.get("/api/complete", prefix="", top=3).json["words"]) == 3


def test_map_has_every_sense_and_its_neighbours(bank: Client, bank_model: Model) -> None:
    found = bank.get("/api/map/bank", top=4).json
    assert {s["sense"] for s in found["senses"]} == {"bank#0", "bank#1"}
    expected = {n.name for sense in bank_model.senses("bank", 4) for n in sense.neighbours}
    assert {n["sense"] for n in found["neighbours"]} == expected


def test_compare_is_the_expected_cosine(bank: Client, bank_model: Model) -> None:
    fields = {"left": "bank", "left_context": "river fish", "right": "loan"}
    found = bank.post("/api/compare", fields).json
    unit = unit_vectors(bank_model)
    p = bank_model.disambiguate("bank", ["river", "fish"])
    cosines = unit[bank_model.rows("bank")] @ unit[bank_model.rows("loan")].T
    assert np.allclose(found["similarities"], cosines, atol=1e-5)
    assert found["expected_similarity"] == pytest.approx(float(p @ cosines[:, 0]), abs=1e-5)
    with_money = bank.post("/api/compare", fields | {"left_context": "cash credit"}).json
    assert with_money["expected_similarity"] > found["expected_similarity"]


def test_examples_show_each_sense_among_its_own_words(bank: Client) -> None:
    found = bank.get("/api/examples/bank", top=4).json
    topics = []
    for sense in found["senses"]:
        assert len(sense["lines"]) == 4
        chances = [line["probability"] for line in sense["lines"]]
        assert chances == sorted(chances, reverse=True)
        words = {w for line in sense["lines"] for w in f"{line['left']} {line['right']}".split()} - {"bank"}
        topics.append("water" if words <= set(WATER) else "money" if words <= set(MONEY) else "mixed")
    assert sorted(topics) == ["money", "water"]


def test_unknown_words_offer_near_ones(bank: Client) -> None:
    answer = bank.get("/api/senses/bnak")
    assert answer.status == 404
    assert answer.json["near"] == ["bank"]
    assert "'bnak'" in answer.json["error"]
    assert bank.get("/api/senses/" + quote("the river bnak")).json["near"] == [
        "river"
    ]  # the part that it has
    assert bank.get("/api/neighbours/" + quote("bank#9")).status == 404
    assert bank.get("/api/neighbours/bank").status == 404  # which of the two?


def test_the_description_is_valid_openapi(bank: Client) -> None:
    description = bank.get("/openapi.json").json
    validate(description)
    assert description == describe(ENDPOINTS)
    wanted = {"senses/{word}", "neighbours/{sense}", "disambiguate", "complete", "map/{word}"}
    assert {f"/api/{route}" for route in wanted} <= set(description["paths"])


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: e.path)
def test_answers_have_the_described_shape(bank: Client, endpoint: Any) -> None:
    values = {
        "word": "bank",
        "sense": "bank#0",
        "left": "bank",
        "right": "loan",
        "text": "a bank",
        "prefix": "b",
    }
    path, query = endpoint.path, {}
    for parameter in endpoint.parameters:
        if f"{{{parameter.name}}}" in path:
            path = path.replace(f"{{{parameter.name}}}", quote(values[parameter.name]))
        elif parameter.name in values:
            query[parameter.name] = values[parameter.name]
    answer = bank.get(path, **query)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith(endpoint.media_type)
    text = answer.json if endpoint.media_type == "application/json" else answer.body.decode()
    jsonschema.validate(text, endpoint.schema)
    error = bank.get(path, **query | {"top": "many"})
    if any(p.name == "top" for p in endpoint.parameters):
        assert error.status == 400
        jsonschema.validate(error.json, describe(ENDPOINTS)["components"]["schemas"]["Error"])
