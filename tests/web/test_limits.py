"""Many, slow and malformed requests, and failures of our own."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest
from web_support import Client, hand_made, running

from adagram.web import app
from adagram.web.explorer import Explorer

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


@pytest.mark.parametrize(
    "sent", [b"\0\1\2\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n"]
)
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
