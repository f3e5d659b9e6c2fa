"""A client for a running server, and models for it to serve."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from adagram.paper.softmax import huffman
from adagram.web import app
from adagram.web.editing import Editor
from adagram.web.explorer import Explorer

WATER = ["river", "water", "boat", "fish", "shore", "mud", "stream", "flood", "reed", "otter"]
MONEY = ["money", "loan", "cash", "credit", "account", "cheque", "deposit", "interest", "debt", "vault"]
HOSTILE = [
    "<script>window.broken=1</script>",
    "<img/src=x/onerror=window.broken=1>",
    '"><svg/onload=window.broken=1>',
    "javascript:window.broken=1",
    "../../../../etc/passwd",
    "..",
    ".",
    "%2e%2e%2f",
    "a/b/c",
    "x#1",
    "x",
    "&amp;",
    "</li></ul>",
    "';window.broken=1;'",
    "`${window.broken=1}`",
    "?top=1&word=y",
    "\u202eevil",
    "ﬀ̈😀",
    "constructor",
    "__proto__",
]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Asks a running server, sending paths exactly as they are given."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {}, encode_chunked=bool(headers))
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, named, response.read())
        finally:
            connection.close()

    def get(self, path: str, **query: Any) -> Answer:
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, value: Any) -> Answer:
        return self.ask("POST", path, value if isinstance(value, bytes) else json.dumps(value))


@contextmanager
def running(explorer: Explorer, editor: Editor | None = None) -> Iterator[Client]:
    """The real server on a free port, in a thread. It stops within some tenths of a second, which nobody waits for."""
    listener = app.open_socket("127.0.0.1", 0)
    uvicorn_server = app.make_server(explorer, listener, editor)
    threading.Thread(target=uvicorn_server.run, kwargs={"sockets": [listener]}).start()
    try:
        yield Client(listener.getsockname()[1])
    finally:
        uvicorn_server.should_exit = True


def hand_made(words: list[str], senses: int, dim: int = 8) -> Model:
    """Random vectors for any words, each with the same number of senses; pretokenized."""
    draw = np.random.default_rng(0)
    n = len(words) * senses
    vectors = draw.standard_normal((n, dim)).astype(np.float32)
    counts = np.arange(10 * len(words), 0, -10, dtype=np.int64)
    tree = huffman(counts)
    arrays = {
        "vectors": vectors,
        "norms": np.linalg.norm(vectors, axis=1),
        "offsets": np.arange(0, n + 1, senses),
        "counts": np.full(n, 5.0),
        "priors": np.full(n, 1 / senses),
        "output": draw.standard_normal((len(words), dim)).astype(np.float32),
        "steps": tree.steps,
        "paths": tree.offsets,
    }
    info = {
        "format": 1,
        "config": TrainConfig.from_preset("paper", dim=dim).to_dict(),
        "tokenizer": {"pretokenized": True},
    }
    return Model(arrays, Vocabulary(words, counts), info)
