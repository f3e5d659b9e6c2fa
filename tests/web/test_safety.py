"""No request can read a file, break the page or stop the server."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_support import HOSTILE, Client, hand_made, running

from adagram.web import app
from adagram.web.app import MAX_BODY, MAX_TEXT
from adagram.web.editing import MAX_WORD
from adagram.web.explorer import Explorer

PATHS = [
    "/static/../app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e/%2e%2e/errors.py",
    "/static//etc/passwd",
    "/../../../../etc/passwd",
    "//etc/passwd",
    "/static/index.html%00.js",
    "/static/",
    "/api/senses/../../../../etc/passwd",
    "/api/examples/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/%",
    "/api/senses/%ff%fe",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_reads_a_file(bank: Client, path: str) -> None:
    answer = bank.get(path)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body
    assert b"import" not in answer.body


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_are_words_like_others(hostile: Client, word: str) -> None:
    encoded = quote(word, safe="")
    for path in (f"/api/senses/{encoded}", f"/api/senses/?word={encoded}", f"/api/map/{encoded}"):
        answer = hostile.get(path)
        assert answer.status == 200
        assert answer.json["word"] == word
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert hostile.get(f"/api/neighbours/{quote(word + '#1', safe='')}").json["sense"] == f"{word}#1"
    lines = hostile.get(f"/api/examples/{encoded}").json["senses"]
    assert {line["match"] for sense in lines for line in sense["lines"]} == {word}
    tagged = hostile.post("/api/disambiguate", {"text": f"{word} . {word}"}).json["tokens"]
    assert [t["word"] for t in tagged if t["word"]] == [word, ".", word]


@given(st.text(max_size=60))
def test_any_text_is_answered(bank: Client, text: str) -> None:
    encoded = quote(text, safe="", errors="replace")
    for answer in (
        bank.get(f"/api/senses/{encoded}"),
        bank.get(f"/api/neighbours/{encoded}"),
        bank.get(f"/api/complete?prefix={encoded}&top={encoded}"),
        bank.post("/api/disambiguate", {"text": text}),
        bank.post("/api/compare", {"left": text, "right": "bank", "right_context": text}),
    ):
        assert answer.status in (200, 400, 404)
        json.loads(answer.body)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"x"', b"[" * 50_000, b'{"text": 5}', b'{"text": ["a"]}', b"\xff\xfe"]
)
def test_bad_bodies_are_refused_with_a_sentence(bank: Client, body: bytes) -> None:
    answer = bank.post("/api/disambiguate", body)
    assert answer.status == 400
    assert answer.json["error"]


def test_half_a_character_is_refused(bank: Client) -> None:
    answer = bank.post("/api/disambiguate", b'{"text": "bank \\ud800 river"}')
    assert answer.status == 400
    assert answer.json["error"].startswith("'text' is 'bank \\ud800 river': Input should be a valid string")


def test_oversized_input_is_refused(bank: Client) -> None:
    assert bank.get("/api/senses/" + "a" * (MAX_WORD + 1)).status == 413
    assert bank.post("/api/disambiguate", {"text": "a " * MAX_TEXT}).status == 413
    assert bank.post("/api/disambiguate", b" " * (MAX_BODY + 1)).status == 413
    assert bank.get("/api/senses/bank", top=101).status == 400
    assert bank.get("/api/senses/bank", top=-1).status == 400
    with suppress(ConnectionError):  # the server may hang up before all of it is sent
        assert bank.get("/api/senses/" + "a" * 200_000).status == 400
    assert bank.get("/api/senses/bank").status == 200  # and it is still there


def test_a_body_without_end_is_given_up(bank: Client) -> None:
    def endless() -> Any:
        for _ in range(MAX_BODY // 1000 + 2):
            yield b" " * 1000

    answer = bank.ask("POST", "/api/disambiguate", endless(), {"Transfer-Encoding": "chunked"})
    assert answer.status == 413


def test_a_visitor_who_hangs_up_leaves_no_trace(bank: Client, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection(("127.0.0.1", bank.port)) as connection:
        connection.sendall(b"POST /api/disambiguate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
    assert bank.get("/api/info").status == 200
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/info", "/nothing", "/openapi.json"])
def test_every_response_has_the_security_headers(bank: Client, path: str) -> None:
    headers = bank.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_other_host_names_are_refused(bank: Client) -> None:
    """A foreign page whose name points to this machine gets nothing."""
    assert bank.ask("GET", "/api/info", headers={"Host": "evil.example"}).status == 400
    assert bank.ask("GET", "/api/info", headers={"Host": "localhost"}).status == 200


def test_the_page_loads_nothing_from_elsewhere(bank: Client) -> None:
    for name in ("", "static/style.css", "static/main.js", "static/dom.js", "static/icon.svg"):
        text = bank.get(f"/{name}").body.decode()
        assert "https://" not in text
        assert "innerHTML" not in text
        assert text.replace("http://www.w3.org/2000/svg", "").count("http://") == 0


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
def test_other_methods_are_refused(bank: Client, method: str) -> None:
    assert bank.ask(method, "/api/senses/bank").status == 405


HEAD = b"GET /api/info HTTP/1.1\r\nHost: localhost\r\n"
WORDS = ["one", "two", "three"]


def connect(client: Client) -> socket.socket:
    return socket.create_connection(("127.0.0.1", client.port), timeout=30)


def until_closed(connection: socket.socket) -> bytes:
    """Return all that the server sends until it hangs up; the time limit fails the test if it never does."""
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


def test_a_connection_can_ask_many_times(bank: Client) -> None:
    with connect(bank) as connection, connection.makefile("rb") as answers:
        for _ in range(20):
            connection.sendall(HEAD + b"\r\n")
            assert answers.readline().startswith(b"HTTP/1.1 200 ")
            while line := answers.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answers.read(length)


def test_more_connections_than_it_keeps_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_CONNECTIONS", 5)
    with running(Explorer(hand_made(WORDS, senses=2))) as client:
        with ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(connect(client)).sendall(HEAD)
            assert client.get("/api/info").status == 503
        assert client.get("/api/info").status == 200


@pytest.mark.parametrize("sent", [b"\0\1\2\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n"])
def test_what_is_not_a_request_is_refused(bank: Client, sent: bytes) -> None:
    with connect(bank) as connection:
        connection.sendall(sent)
        assert until_closed(connection).startswith(b"HTTP/1.1 400 ")


def test_a_failure_of_our_own_is_a_sentence_with_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer(hand_made(WORDS, senses=2))
    monkeypatch.setattr(explorer, "known", lambda word: 1 / 0)
    with running(explorer) as client:
        answer = client.get("/api/senses/one")
    assert answer.status == 500
    assert answer.json["error"].startswith("the server failed")
    assert answer.headers["content-security-policy"]
