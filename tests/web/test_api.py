"""The JSON API answers as the model does."""

from __future__ import annotations

import csv
from io import StringIO
from urllib.parse import quote

import numpy as np
import pytest
from openapi_spec_validator import validate
from web_support import MONEY, WATER, Client

from adagram.model import Model
from adagram.model.context import Sides
from adagram.model.neighbours import unit_vectors


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


def test_disambiguate_a_word(bank: Client, bank_model: Model) -> None:
    fields = {"word": "bank", "context": "The river, the boat & the unheard-of fish"}
    answer = bank.post("/api/disambiguate", fields)
    expected = bank_model.disambiguate("bank", ["river", "boat", "fish"])
    assert [s["probability"] for s in answer.json["senses"]] == pytest.approx(expected.tolist())
    assert answer.json["context"] == ["river", "boat", "fish"]


def test_every_word_of_a_text_gets_the_sense_of_its_surroundings(bank: Client) -> None:
    text = "River water fish Bank boat shore mud. Money loan cash BANK credit debt vault?"
    tokens = bank.post("/api/disambiguate", {"text": text}).json["tokens"]
    assert "".join(t["text"] for t in tokens) == text
    water, money = (max(t["senses"], key=lambda s: s["probability"])["sense"] for t in tokens if t["word"] == "bank")
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


def test_a_context_ends_with_its_line_and_its_sentence(bank: Client) -> None:
    alone = bank.post("/api/disambiguate", {"text": "money bank loan"}).json["tokens"][2]
    for text in ("river fish mud\nmoney bank loan\nwater", "River fish. Money bank loan. Boat"):
        tokens = bank.post("/api/disambiguate", {"text": text}).json["tokens"]
        (token,) = (token for token in tokens if token["word"] == "bank")
        assert token == alone


def test_a_sense_is_clear_if_it_is_probable_and_the_context_says_so(bank: Client) -> None:
    answer = bank.post("/api/disambiguate", {"text": "river bank fish\nbank\nriver bank loan"}).json
    assert [t["is_clear"] for t in answer["tokens"] if t["word"] == "bank"] == [True, False, False]
    ((sense, gist),) = answer["gists"].items()
    assert sense.startswith("bank#")
    assert set(gist.split(", ")) <= set(WATER)


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
        assert 1 <= len(sense["lines"]) <= 4
        assert all(line["posterior"] > 0.5 for line in sense["lines"])
        words = {w for line in sense["lines"] for w in f"{line['left']} {line['right']}".split()} - {"bank"}
        topics.append("water" if words <= set(WATER) else "money" if words <= set(MONEY) else "mixed")
    assert sorted(topics) == ["money", "water"]


def test_lines_have_their_senses_and_can_be_filtered(bank: Client, bank_model: Model) -> None:
    found = bank.get("/api/lines/bank", top=100).json
    assert len(found["lines"]) == 100
    assert found["count"] == 2000  # of 3000: a sample
    for line in found["lines"][:10]:
        p = bank_model.disambiguate("bank", Sides(line["left"], line["right"]))
        assert line["sense"] == f"bank#{p.argmax()}"
        assert line["probability"] == pytest.approx(p.max(), abs=1e-4)
    beside = bank.get("/api/lines/bank", beside="river", sense="bank#1", sort="left", start=5, top=3).json
    assert len(beside["lines"]) == 3
    assert {line["sense"] for line in beside["lines"]} == {"bank#1"}
    table = bank.get("/api/concordance/bank", beside="river", sense="bank#1", sort="left").body.decode()
    rows = list(csv.DictReader(StringIO(table), delimiter="\t"))
    assert len(rows) == beside["count"]
    assert all("river" in f"{row['left']} {row['right']}".split() for row in rows)
    assert [row["left"] for row in rows[5:8]] == [line["left"] for line in beside["lines"]]
    assert bank.get("/api/lines/bank", year="1999").json["count"] == 0


def test_at_resolution_0_a_word_has_one_sense(bank: Client, bank_model: Model) -> None:
    fine, coarse = (bank.get("/api/cards/bank", resolution=r).json for r in (1, 0))
    assert len(fine["senses"]) == 2
    (one,) = coarse["senses"]
    assert one["members"] == [0, 1]
    assert one["prior"] == pytest.approx(1.0)
    assert [level["senses"] for level in fine["levels"]] == [1, 2]
    for level in fine["levels"]:
        assert len(bank.get("/api/cards/bank", resolution=level["resolution"]).json["senses"]) == level["senses"]
    tokens = bank.ask("POST", "/api/disambiguate?resolution=0", '{"text": "river bank fish"}').json["tokens"]
    assert not any(token["is_clear"] for token in tokens)  # no word has several
    assert bank.get("/api/lines/bank", resolution=0, sense="bank#0").json["count"] == 2000


def test_unknown_words_offer_near_ones(bank: Client) -> None:
    answer = bank.get("/api/senses/bnak")
    assert answer.status == 404
    assert answer.json["near"] == ["bank"]
    assert "'bnak'" in answer.json["error"]
    assert bank.get("/api/senses/" + quote("the river bnak")).json["near"] == ["river"]  # the part that it has
    assert bank.get("/api/neighbours/" + quote("bank#9")).status == 404
    assert bank.get("/api/neighbours/bank").status == 404  # which of the two?


def test_the_description_is_valid_openapi(bank: Client) -> None:
    description = bank.get("/openapi.json").json
    validate(description)
    assert {path for path in description["paths"] if not path.startswith("/api/")} == set()
    wanted = {"senses/{word}", "neighbours/{sense}", "disambiguate", "complete", "map/{word}", "edit"}
    assert {f"/api/{route}" for route in wanted} <= set(description["paths"])


def test_every_described_question_is_answered(bank: Client) -> None:
    values = {"word": "bank", "sense": "bank#0", "left": "bank", "right": "loan", "text": "a bank", "prefix": "b"}
    for path, operations in bank.get("/openapi.json").json["paths"].items():
        if "get" not in operations:
            assert bank.post(path, values).status == 200, path
            continue
        operation = operations["get"]
        named = {p["name"]: p for p in operation.get("parameters", [])}
        assert "422" not in operation["responses"]
        assert "4XX" in operation["responses"]
        query = {name: values[name] for name, p in named.items() if p["in"] == "query" and name in values}
        for name in values:
            path = path.replace(f"{{{name}}}", quote(values[name]))
        answer = bank.get(path, **query)
        assert answer.status == 200, path
        (media_type,) = operation["responses"]["200"]["content"]
        assert answer.headers["content-type"].startswith(media_type)
        if "top" in named:
            error = bank.get(path, **query | {"top": "many"})
            assert error.status == 400
            assert error.json["error"].startswith("'top' is 'many': Input should be a valid integer")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/api/senses/", "'word' is missing: A word of the vocabulary."),
        ("/api/senses/bank?top=0", "'top' is '0': Input should be greater than or equal to 1"),
        ("/api/examples/bnak", "'bnak' is not in the vocabulary of 21 words"),
        ("/api/cards/bank?resolution=2", "'resolution' is '2': Input should be less than or equal to 1"),
        ("/api/lines/bank?start=-1", "'start' is '-1': Input should be greater than or equal to 0"),
        ("/api/lines/bank?sort=x", "'sort' is 'x'; choose probability, date, source, sense, left, right"),
        ("/api/nothing", "Not Found"),
    ],
)
def test_errors_are_sentences(bank: Client, path: str, sentence: str) -> None:
    assert bank.get(path).json["error"] == sentence
