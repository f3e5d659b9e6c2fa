"""Decisions from the page: only from the page itself, only through the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_support import Answer, Client, running

from adagram.model import Model
from adagram.model.storage import JOURNAL
from adagram.web.editing import Editor
from adagram.web.explorer import Explorer
from model_support import random_model

TOKEN = "a-token-of-the-test"


@pytest.fixture
def folder(bank_model: Model, tmp_path: Path) -> Path:
    bank_model.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def desk(folder: Path) -> Iterator[Client]:
    explorer = Explorer(Model.load(folder))
    with running(explorer, editor=Editor(explorer, TOKEN)) as client:
        yield client


def decide(client: Client, headers: dict[str, str] | None = None, **fields: Any) -> Answer:
    own = {"Origin": client.address.rstrip("/"), "X-Adagram-Edit": TOKEN}
    return client.ask("POST", "/api/edit", json.dumps(fields), own if headers is None else headers)


def journal(folder: Path) -> list[str]:
    path = folder / JOURNAL
    return path.read_text().splitlines() if path.exists() else []


def senses(client: Client) -> list[str]:
    return sorted(sense["sense"] for sense in client.get("/api/cards/bank").json["senses"])


def test_decisions_are_lines_of_the_journal_and_are_shown_at_once(desk: Client, folder: Path) -> None:
    assert desk.get("/api/edit").json == {"is_on": True, "last": ""}
    assert decide(desk, verb="label", senses=["bank#1"], label="  side of\ta  river ").status == 400  # a tab
    answer = decide(desk, verb="label", senses=["bank#1"], label="side of a river")
    assert answer.json == {"last": "label bank#1 side of a river"}
    cards = {sense["sense"]: sense for sense in desk.get("/api/cards/bank").json["senses"]}
    assert cards["bank#1"]["gist"] == cards["bank#1"]["label"] == "side of a river"
    assert decide(desk, verb="merge", senses=["bank#0", "bank#1"]).status == 200
    assert senses(desk) == ["bank#0"]
    assert decide(desk, verb="undo", last="merge bank 0 1").json == {"last": "label bank#1 side of a river"}
    assert decide(desk, verb="hide", senses=["bank#0"]).status == 200
    assert senses(desk) == ["bank#1"]
    assert journal(folder) == ["label bank#1 side of a river", "merge bank 0 1", "undo", "hide bank#0"]


def test_undo_takes_back_only_what_the_page_has_shown(desk: Client, folder: Path) -> None:
    decide(desk, verb="hide", senses=["bank#0"])
    Model.load(folder).decide("label bank#1 from elsewhere")
    answer = decide(desk, verb="undo", last="hide bank#0")
    assert answer.status == 400
    assert "label bank#1 from elsewhere" in answer.json["error"]
    assert journal(folder)[-1] == "label bank#1 from elsewhere"
    assert desk.get("/api/edit").json["last"] == "label bank#1 from elsewhere"  # and now it is shown


@pytest.mark.parametrize(
    "change",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "https://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},  # another program on this machine
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Adagram-Edit": "a-guess"},
        {"X-Adagram-Edit": None},
        {"Host": "evil.example", "Origin": "http://evil.example"},  # a name that points to this machine
    ],
    ids=str,
)
def test_another_page_can_decide_nothing(desk: Client, folder: Path, change: dict[str, str | None]) -> None:
    headers = {"Origin": desk.address.rstrip("/"), "X-Adagram-Edit": TOKEN} | change
    given = {name: value for name, value in headers.items() if value is not None}
    answer = decide(desk, given, verb="hide", senses=["bank#0"])
    assert answer.status in (400, 403)
    assert "access-control-allow-origin" not in answer.headers
    assert journal(folder) == []
    assert senses(desk) == ["bank#0", "bank#1"]


def test_a_browser_that_asks_first_is_told_nothing(desk: Client) -> None:
    """The question that precedes a foreign page's request with a header of its own."""
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = desk.ask("OPTIONS", "/api/edit", headers=asked)
    assert answer.status == 405
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_the_token_is_in_no_answer(desk: Client) -> None:
    for path in ("/", "/api/info", "/api/edit", "/static/edit.js", "/openapi.json"):
        answer = desk.get(path)
        assert TOKEN.encode() not in answer.body
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"verb": "shred", "senses": ["bank#0"]},
        {"verb": ["merge"], "senses": ["bank#0", "bank#1"]},
        {"verb": "hide", "senses": "bank#0"},
        {"verb": "hide", "senses": []},
        {"verb": "hide", "senses": ["bank#0", "bank#1"]},
        {"verb": "hide", "senses": ["bank#7"]},
        {"verb": "hide", "senses": ["bank#0\nundo"]},
        {"verb": "merge", "senses": ["bank#0"]},
        {"verb": "merge", "senses": ["bank#0", "river#0"]},
        {"verb": "merge", "senses": ["bank#0", 1]},
        {"verb": "label", "senses": ["bank#0"], "label": ""},
        {"verb": "label", "senses": ["bank#0"], "label": "x" * 201},
        {"verb": "label", "senses": ["bank#0"], "label": "one\nhide bank#1"},
        {"verb": "label", "senses": ["bank#0"], "label": "\ud800"},
        {"verb": "label", "senses": ["bank#0"], "label": 5},
        {"verb": "undo", "last": ""},
    ],
    ids=str,
)
def test_what_cannot_be_decided_is_refused_and_not_written(desk: Client, folder: Path, fields: dict[str, Any]) -> None:
    answer = decide(desk, **fields)
    assert answer.status in (400, 404, 413)
    assert answer.json["error"]
    assert journal(folder) == []


def test_without_edit_nothing_can_be_decided(bank: Client) -> None:
    assert bank.get("/api/edit").json == {"is_on": False, "last": ""}
    assert decide(bank, verb="hide", senses=["bank#0"]).status == 403


def test_a_model_that_was_replaced_is_not_edited(desk: Client, folder: Path, bank_model: Model) -> None:
    """The page shows one model, so its decisions must not go into the journal of another."""
    decide(desk, verb="hide", senses=["bank#0"])
    random_model().save(folder, overwrite=True)
    for fields in ({"verb": "hide", "senses": ["bank#1"]}, {"verb": "undo", "last": "hide bank#0"}):
        answer = decide(desk, **fields)
        assert answer.status == 400
        assert "was replaced or removed since it was opened" in answer.json["error"]
    assert journal(folder) == []
    assert senses(desk) == ["bank#1"]
