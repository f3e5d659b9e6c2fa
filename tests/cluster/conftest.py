"""A real Ray cluster of two nodes on this machine, for all tests of this folder."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from tests_support import planted

CPUS = 2  # of each node
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # all addresses are of the loopback
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (else other tests leave the workers no time)


@pytest.fixture(scope="session")
def ray_address() -> Iterator[str]:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    node = {"num_cpus": CPUS, "object_store_memory": 200_000_000, "node_ip_address": "127.0.0.1"}
    with one_at_a_time():
        cluster = Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
        try:
            cluster.add_node(**node)
            yield cluster.address
        finally:
            cluster.shutdown()


@pytest.fixture
def full_store() -> Iterator[str]:
    """A cluster of one node whose object store is full, and which may not put anything on a disk instead."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    nowhere_else = {"automatic_object_spilling_enabled": False, "local_fs_capacity_threshold": 0.0}
    node = {"num_cpus": CPUS, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1"}
    node |= {"include_dashboard": False, "_system_config": nowhere_else}
    with one_at_a_time():
        cluster = Cluster(initialize_head=True, head_node_args=node)
        try:
            ray.init(address=cluster.address)
            kept = ray.put(np.zeros(76_000_000, np.uint8))
            yield cluster.address
            del kept
        finally:
            ray.shutdown()
            cluster.shutdown()


HELD: list[object] = []  # what this process has of the lock


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait until no other test process has a cluster."""
    with open(Path(tempfile.gettempdir()) / "adagram-tests-ray.lock", "w") as file:
        if not HELD:
            fcntl.flock(file, fcntl.LOCK_EX)
        HELD.append(file)
        try:
            yield
        finally:
            HELD.remove(file)


@pytest.fixture(scope="session")
def encoded(tmp_path_factory) -> Path:
    """A corpus with senses to find, encoded."""
    corpus = planted(2, n_sentences=6000)
    words = np.array(corpus.vocabulary.words)[corpus.tokens].reshape(-1, 10)
    folder = tmp_path_factory.mktemp("corpus")
    text = folder / "text.txt"
    text.write_text("\n".join(" ".join(line) for line in words) + "\n", encoding="utf-8")
    encode(str(text), folder / "encoded", EncodeOptions(min_count=1, pretokenized=True))
    return folder / "encoded"
