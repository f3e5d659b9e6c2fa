"""How quick `adagram serve` is: latency and throughput over HTTP, the server on one core.

    python benchmarks/serve_speed.py --output benchmarks/results/serve_speed.json
    python benchmarks/serve_speed.py --model en --output benchmarks/results/serve_speed_en.json

Unless one is given, the model has 100 k words with 150 k senses of 300 dimensions, random vectors: the worst case for
the search, no sense stands out. `senses` asks for a different word every time, so that no answer comes from the
server's cache, unless the line says "cached"; `visits` asks what the page asks, about frequent words more often. The
client runs on another core. `open loop` sends requests at fixed times whether or not earlier ones are answered, and
counts the time from when a request was due. `cpu_ms` is the processor time that the server spent on a request: unlike
the times of the clock it does not grow when other programs use the machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import adagram
from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from adagram.paper.softmax import huffman

N_WORDS, N_SENSES, DIM = 100_000, 150_000, 300
Request = tuple[str, str, str | None]  # method, path, body


def random_model(n_words: int, n_senses: int, dim: int) -> Model:
    """Words by Zipf's law, the most frequent ones with a second sense, vectors from a normal distribution."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(n_words)]
    frequencies = (5e7 / np.arange(10, n_words + 10)).astype(np.int64)
    sizes = np.ones(n_words, np.int64)
    sizes[: n_senses - n_words] += 1
    offsets = np.append(0, sizes.cumsum())
    width = -(-dim // 8) * 8
    vectors = np.zeros((n_senses, width), np.float32)
    vectors[:, :dim] = rng.standard_normal((n_senses, dim), dtype=np.float32)
    output = np.zeros((n_words - 1, width), np.float32)
    output[:, :dim] = rng.standard_normal((n_words - 1, dim), dtype=np.float32) / dim
    tree = huffman(frequencies)
    arrays = {
        "vectors": vectors,
        "norms": np.linalg.norm(vectors, axis=1),
        "offsets": offsets,
        "counts": np.repeat(frequencies / sizes, sizes),
        "priors": np.repeat(1.0 / sizes, sizes),
        "output": output,
        "steps": tree.steps,
        "paths": tree.offsets,
    }
    info = {"format": 1, "config": TrainConfig.from_preset("paper", dim=dim).to_dict()}
    return Model(arrays, Vocabulary(words, frequencies), info)


class Questions:
    """Requests of each kind, without end; no word is asked about twice by `senses`."""

    def __init__(self, words: list[str]) -> None:
        self.rng, self.words, self.turn = np.random.default_rng(1), words, count()
        self.fresh = iter(self.rng.permutation(len(words)).tolist())

    def path(self, place: int) -> str:
        return quote(self.words[place], safe="")

    def text(self, length: int) -> str:
        places = len(self.words) ** self.rng.random(length)  # frequent words more often, as in text
        return " ".join(self.words[int(p) - 1] for p in places)

    def senses(self) -> Request:
        return "GET", f"/api/senses/{self.path(next(self.fresh))}", None

    def cached(self) -> Request:
        return "GET", f"/api/senses/{self.path(next(self.turn) % 100)}", None

    def complete(self) -> Request:
        return "GET", f"/api/complete?prefix={self.path(next(self.turn) % 1000)}", None

    def disambiguate(self) -> Request:
        body = {"word": self.words[self.rng.integers(len(self.words))], "context": self.text(10)}
        return "POST", "/api/disambiguate", json.dumps(body)

    def tag(self) -> Request:
        return "POST", "/api/disambiguate", json.dumps({"text": self.text(20)})

    def visits(self) -> Request:
        """What the page asks for a word: frequent words more often, so that some answers are asked for again."""
        word = quote(self.text(1), safe="")
        kind = next(self.turn) % 4
        if kind == 3:
            return "GET", f"/api/complete?prefix={word}", None
        return "GET", f"/api/{('senses', 'map', 'cards')[kind]}/{word}", None

    def mixed(self) -> Request:
        return self.senses() if next(self.turn) % 2 else self.disambiguate()


def ask(connection: http.client.HTTPConnection, request: Request) -> None:
    connection.request(*request)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise RuntimeError(f"{request[:2]} gave {response.status}: {body[:200]!r}")


def summary(seconds: list[float], elapsed: float) -> dict[str, float]:
    p50, p95, p99 = (np.percentile(seconds, [50, 95, 99]) * 1e3).round(2).tolist()
    rate = round(len(seconds) / elapsed, 1)
    return {"requests": len(seconds), "per_second": rate, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99}


def closed_loop(port: int, next_request: Callable[[], Request], clients: int, n: int) -> dict[str, float]:
    """`clients` connections, each asking again as soon as it has its answer."""
    requests = [next_request() for _ in range(n)]

    def work(mine: list[Request], times: list[float]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for request in mine:
            start = time.perf_counter()
            ask(connection, request)
            times.append(time.perf_counter() - start)

    results: list[list[float]] = [[] for _ in range(clients)]
    threads = [threading.Thread(target=work, args=(requests[i::clients], results[i])) for i in range(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return summary([t for times in results for t in times], time.perf_counter() - start)


def open_loop(port: int, next_request: Callable[[], Request], rate: float, seconds: float) -> dict[str, float]:
    """Requests due every 1/rate seconds, on 32 connections; a late answer delays nothing but itself."""
    due: queue.SimpleQueue[tuple[float, Request] | None] = queue.SimpleQueue()
    times: list[float] = []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        while (job := due.get()) is not None:
            ask(connection, job[1])
            times.append(time.perf_counter() - job[0])

    requests = [next_request() for _ in range(int(rate * seconds))]
    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    start = time.perf_counter()
    for i, request in enumerate(requests):
        at = start + i / rate
        time.sleep(max(0.0, at - time.perf_counter()))
        due.put((at, request))
    for _ in threads:
        due.put(None)
    for thread in threads:
        thread.join()
    return summary(times, time.perf_counter() - start)


def start_server(folder: str, core: int) -> tuple[subprocess.Popen[str], int, float]:
    """The server as users start it, but held to one core; its port and the seconds until it was ready."""
    command = [sys.executable, "-m", "adagram", "serve", folder, "--port", "0"]
    begin = time.perf_counter()
    server = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {core})
    )
    assert server.stderr is not None
    for line in server.stderr:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
            return server, int(found[1]), time.perf_counter() - begin
    raise RuntimeError("the server did not start")


def cpu_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(port: int, words: list[str]) -> Iterator[tuple[str, dict[str, float]]]:
    ask_for = Questions(words)
    yield "senses, one client", closed_loop(port, ask_for.senses, 1, 1000)
    yield "senses, one client, cached", closed_loop(port, ask_for.cached, 1, 1000)
    yield "disambiguate a word in 10 words, one client", closed_loop(port, ask_for.disambiguate, 1, 1000)
    yield "disambiguate all words of a text of 20, one client", closed_loop(port, ask_for.tag, 1, 1000)
    yield "complete, one client", closed_loop(port, ask_for.complete, 1, 1000)
    yield "senses, 8 clients", closed_loop(port, ask_for.senses, 8, 3000)
    yield "disambiguate, 8 clients", closed_loop(port, ask_for.disambiguate, 8, 3000)
    yield "visits, 10 clients", closed_loop(port, ask_for.visits, 10, 4000)
    yield "visits, 100 clients", closed_loop(port, ask_for.visits, 100, 4000)
    yield "senses, open loop at 200/s", open_loop(port, ask_for.senses, 200, 15)
    yield "disambiguate, open loop at 200/s", open_loop(port, ask_for.disambiguate, 200, 15)
    yield "senses and disambiguate in turn, open loop at 200/s", open_loop(port, ask_for.mixed, 200, 15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="where to write the results as JSON")
    parser.add_argument("--model", help="a model with 10,000 words or more, in place of the random one")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    results: dict[str, Any] = {}
    load_before = round(os.getloadavg()[0], 2)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.model or str(Path(temporary) / "model")
        if options.model is None:
            random_model(N_WORDS, N_SENSES, DIM).save(folder)
        model = adagram.load(folder).at("medium")  # as the server shows it
        words = [word for word in model.vocabulary.words if word.isalnum()]
        os.sched_setaffinity(0, {cores[-1]})
        server, port, ready = start_server(folder, cores[0])
        try:
            before = cpu_seconds(server.pid)
            for name, figures in measure(port, words):
                after = cpu_seconds(server.pid)
                results[name] = figures | {"cpu_ms": round(1e3 * (after - before) / figures["requests"], 2)}
                before = after
                print(name, *(f"{key}={value}" for key, value in results[name].items()), sep="\t", flush=True)
            status = Path(f"/proc/{server.pid}/status").read_text()
        finally:
            server.send_signal(2)
            server.wait(10)
    memory = int(re.search(r"RssAnon:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]
    results["server"] = {"seconds_until_ready": round(ready, 2), "own_memory_mb": memory}
    results["machine"] = {
        "processor": platform.processor() or platform.machine(),
        "cores_for_server": 1,
        "load_average_before_and_after": [load_before, round(os.getloadavg()[0], 2)],
    }
    sizes = {"words": len(model.vocabulary), "senses": model.n_senses, "dim": model.config.dim}
    results["model"] = {"name": options.model or "random", **sizes}
    print("server", results["server"])
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
