"""Slow and greedy visitors keep nobody out; all answers have the security headers and are kept for the next time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from web_support import Client, hand_made, running

from adagram.web.explorer import Explorer
from adagram.web.kept import PER_ANSWER, KeptAnswers
from adagram.web.limits import Limits
from adagram.web.server import LIMITS

HEAD = b"GET /api/info HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/disambiguate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n"
WORDS = ["one", "two", "three"]


def serving(limits: Limits) -> Any:
    return running(Explorer(hand_made(WORDS, senses=2)), limits)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Client]:
    """Gives up after a tenth of a second."""
    with serving(Limits(head=0.1, body=0.1, reading=0.1)) as client:
        yield client


def connect(client: Client) -> socket.socket:
    return socket.create_connection(("127.0.0.1", client.port), timeout=30)


def until_closed(connection: socket.socket) -> bytes:
    """All that the server sends until it hangs up; the test fails by its time limit if it never does."""
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


@pytest.mark.parametrize("sent", [b"", b"GET /", HEAD, HEAD + b"X: ", POST, POST + b"{"])
def test_a_request_that_does_not_come_to_its_end_is_given_up(hasty: Client, sent: bytes) -> None:
    with connect(hasty) as connection:
        connection.sendall(sent)
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"content-security-policy" in answer
    assert answer.endswith(b'{"error": "the request did not arrive in time"}')


@pytest.mark.parametrize("beginning", [HEAD, POST])
def test_a_byte_now_and_then_puts_off_nothing(hasty: Client, beginning: bytes) -> None:
    with connect(hasty) as connection:
        connection.sendall(beginning)
        connection.settimeout(0.03)
        for _ in range(1000):
            try:
                connection.sendall(b"x")
                if connection.recv(1):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("the server waited on")


def test_an_answer_nobody_takes_is_dropped(hasty: Client) -> None:
    asked = b"GET /static/main.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(hasty) as connection, pytest.raises(ConnectionError):
        connection.sendall(asked * 400_000)  # never reading; after 30 seconds it would be a TimeoutError
    assert hasty.get("/api/info").status == 200


def test_a_connection_can_ask_many_times(hasty: Client) -> None:
    with connect(hasty) as connection, connection.makefile("rb") as answers:
        for _ in range(20):
            connection.sendall(HEAD + b"\r\n")
            assert answers.readline().startswith(b"HTTP/1.1 200 ")
            while line := answers.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answers.read(length)


def test_slow_visitors_do_not_lock_others_out() -> None:
    limits = replace(LIMITS, connections=30)
    with serving(limits) as client, ExitStack() as stack:
        for sent in [b"", HEAD, POST + b"{"] * 40:
            stack.enter_context(connect(client)).sendall(sent)
            assert client.get("/api/senses/one").status == 200


def test_six_hundred_slow_connections_are_more_than_the_server_keeps() -> None:
    assert LIMITS.connections < 600


def test_when_all_are_being_answered_others_are_told_to_wait() -> None:
    with serving(replace(LIMITS, connections=0)) as client:
        answer = client.get("/api/info")
    assert answer.status == 503
    assert answer.headers["content-security-policy"]
    assert "try again" in answer.json["error"]


@pytest.mark.parametrize(
    "sent", [b"\0\1\2\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n"]
)
def test_what_is_no_request_is_refused_like_any_other(hasty: Client, sent: bytes) -> None:
    with connect(hasty) as connection:
        connection.sendall(sent)
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"content-security-policy: default-src 'none'" in answer


def test_a_failure_of_our_own_is_a_sentence_with_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer(hand_made(WORDS, senses=2))
    monkeypatch.setattr(explorer, "known", lambda word: 1 / 0)
    with running(explorer) as client:
        answer = client.get("/api/senses/one")
    assert answer.status == 500
    assert answer.json["error"].startswith("the server failed")
    assert answer.headers["content-security-policy"]


def test_repeated_answers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer(hand_made(WORDS, senses=2))
    asked: list[str] = []
    known = explorer.known
    monkeypatch.setattr(explorer, "known", lambda word: asked.append(word) or known(word))
    with running(explorer) as client:
        bodies = {client.get("/api/senses/one").body for _ in range(3)}
        assert asked == ["one"]
        assert len(bodies) == 1
        assert client.get("/api/senses/one", top=1).body not in bodies
        assert client.get("/api/map/one").body not in bodies
        assert client.get("/api/senses/two").body not in bodies


def test_kept_answers_stay_below_their_bound_and_the_last_asked_for_stays() -> None:
    kept = KeptAnswers(max_bytes=10 * (PER_ANSWER + 101))
    for i in range(50):
        kept.put(chr(i), bytes([i]) * 100)
        assert kept.get("\0") == b"\0" * 100
        assert kept.size <= kept.max_bytes
    assert [i for i in range(50) if kept.get(chr(i))] == [0, *range(41, 50)]
    kept.put("large", bytes(kept.max_bytes))
    assert kept.get("large") is None
