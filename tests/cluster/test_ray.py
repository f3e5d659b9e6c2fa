"""Training on a Ray cluster of two nodes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.cluster.connection import ClusterOptions
from adagram.cluster.train import ClusterChunks, train_on_ray
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.training.checkpoint import Saving, checkpoint_folder, has_checkpoint
from adagram.training.progress import Interrupted, Progress, Report
from adagram.training.run import train_encoded
from tests_support import stopping

pytestmark = pytest.mark.slow  # a cluster takes a minute
CONFIG = TrainConfig.from_preset("paper", dim=16, epochs=3)
EVERY_ROUND = 1e-9  # minutes between checkpoints
CHUNKS = ClusterChunks(turns=4, report_seconds=0.0)  # 24 rounds or so, a report after every one


def train(
    encoded: Path, output: Path, address: str, workers: int, report: Report = lambda progress: None, **saving: object
) -> adagram.Model:
    corpus, options = EncodedCorpus.open(encoded), ClusterOptions(address, workers)
    return train_on_ray(corpus, CONFIG, Saving(output, **saving), report, options, CHUNKS)


def same(one: adagram.Model, other: adagram.Model) -> bool:
    return all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


def worker_processes() -> list[int]:
    """Training workers of the cluster that this process started, by the names that Ray gives them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"ray::TrainingWorker" in (folder / "cmdline").read_bytes() and is_ours(int(folder.name)):
                found.append(int(folder.name))
        except OSError:
            continue
    return sorted(found)


def is_ours(pid: int) -> bool:
    """This process, a child of it, a child of its child, and so on."""
    while pid > 1 and pid != os.getpid():
        status = (Path("/proc") / str(pid) / "status").read_text()
        pid = int(status.partition("PPid:")[2].split()[0])
    return pid == os.getpid()


def test_one_worker_gives_the_single_machine_model_bit_for_bit(ray_address, encoded, tmp_path):
    corpus = EncodedCorpus.open(encoded)
    one_thread = TrainConfig.from_dict(CONFIG.to_dict() | {"threads": 1})
    train_encoded(corpus, one_thread, Saving(tmp_path / "here"), lambda p: None)
    train(encoded, tmp_path / "there", ray_address, workers=1)
    here, there = (tmp_path / name / "model.safetensors" for name in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()


@pytest.fixture(scope="module")
def by_two(ray_address, encoded, tmp_path_factory) -> Path:
    output = tmp_path_factory.mktemp("models") / "two"
    train(encoded, output, ray_address, workers=2)
    return output


def test_two_workers_learn_one_model(by_two):
    model = adagram.load(by_two)
    senses = [sense for sense in model.senses("planted", top=3) if sense.prior > 0.1]
    assert [{n.name[: len("topic0")] for n in sense.neighbours} for sense in senses] in (
        [{"topic0"}, {"topic1"}],
        [{"topic1"}, {"topic0"}],
    )
    entries = [json.loads(line) for line in (by_two / "training.jsonl").read_text().splitlines()]
    assert entries[-1]["words"] == 3 * 60_000
    training = model.info["training"]
    assert training["workers"] == 2
    assert not checkpoint_folder(by_two).exists()


def test_two_workers_go_on_from_a_model_of_two_workers(ray_address, by_two, tmp_path):
    old = adagram.load(by_two)
    assert old._continuation.rest is not None, "what is needed to go on is kept"
    text = [[*old.vocabulary.words[i : i + 8], "newcomer"] for i in range(40)] * 10
    made = adagram.train(text, tmp_path / "more", start=by_two, ray=ray_address, workers=2, min_count=5)
    assert made.vocabulary.words[: len(old.vocabulary)] == old.vocabulary.words
    assert "newcomer" in made.vocabulary
    assert set(old.names(slice(0, old.n_senses))) <= set(made.names(slice(0, made.n_senses)))
    assert made._continuation.rest is not None
    assert len(made._continuation.rest["pending"]) == len(made.vocabulary)


@pytest.mark.parametrize("at", [2, 6])
@pytest.mark.parametrize("victim", [0, 1])  # one of them writes the checkpoints
def test_a_killed_worker_is_replaced_and_the_result_is_the_same(ray_address, encoded, tmp_path, by_two, at, victim):
    workers: list[list[int]] = []  # at each report

    def kill_one(progress: Progress) -> None:
        workers.append(worker_processes())
        if len(workers) == at:
            os.kill(workers[-1][victim], signal.SIGKILL)

    model = train(encoded, tmp_path / "m", ray_address, 2, kill_one, checkpoint_minutes=EVERY_ROUND)
    assert not set(workers[at]) & set(workers[at - 1]), "all began again, at the checkpoint"
    assert same(model, adagram.load(by_two))


DRIVER = """
import os, signal, sys
sys.path[:0] = {paths!r}
from pathlib import Path
import test_ray

def die(progress):
    reports.append(progress)
    if len(reports) == 4:
        os.kill(os.getpid(), signal.SIGKILL)

reports = []
test_ray.train(Path({encoded!r}), Path({output!r}), {address!r}, 2, die, checkpoint_minutes=test_ray.EVERY_ROUND)
"""


def test_a_killed_driver_is_resumed_and_the_result_is_the_same(ray_address, encoded, tmp_path, by_two):
    output, here = tmp_path / "resumed", Path(__file__).parent
    told = {"paths": [str(here), str(here.parent)], "encoded": str(encoded), "output": str(output)}
    killed = subprocess.run([sys.executable, "-c", DRIVER.format(**told, address=ray_address)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not output.exists()
    shutil.copytree(checkpoint_folder(output), checkpoint_folder(tmp_path / "alone"))
    options = ["--preset", "paper", "--dim", "16", "--epochs", "3", "--ray", ray_address, "--workers", "2", "--resume"]
    command = [sys.executable, "-m", "adagram", "train", str(encoded), "--output", str(output), *options]
    subprocess.run(command, capture_output=True, text=True, check=True)
    assert same(adagram.load(output), adagram.load(by_two))
    here = train_encoded(
        EncodedCorpus.open(encoded),
        TrainConfig.from_dict(CONFIG.to_dict() | {"threads": 1}),
        Saving(tmp_path / "alone", resume=True),
        lambda p: None,
    )
    assert here.info["training"]["words"] == 3 * 60_000, "one machine can go on too"


def test_an_interrupted_run_leaves_a_checkpoint_that_is_a_model(ray_address, encoded, tmp_path, by_two):
    output = tmp_path / "stopped"
    with pytest.raises(Interrupted):
        train(encoded, output, ray_address, 2, stopping(at=3))
    assert not output.exists()
    model = adagram.load(checkpoint_folder(output))
    assert model.senses("planted", top=2)
    assert 0 < model.info["training"]["words"] < 3 * 60_000
    assert same(train(encoded, output, ray_address, 2, resume=True), adagram.load(by_two))
    assert not has_checkpoint(output)


def test_too_many_workers_are_refused_with_a_sentence(ray_address, encoded, tmp_path):
    with pytest.raises(InputError, match="9 workers need 9 CPUs, but the Ray cluster has 4"):
        train(encoded, tmp_path / "model", ray_address, workers=9)
    assert list(tmp_path.iterdir()) == []


def test_workers_that_find_no_place_are_refused_with_a_sentence(ray_address, encoded, tmp_path):
    import ray

    ray.init(address=ray_address, log_to_driver=False)
    try:

        @ray.remote(num_cpus=2)
        class Guest:
            def sit(self) -> None: ...

        guest = Guest.remote()
        ray.get(guest.sit.remote())
        with pytest.raises(AdagramError, match=r"[2-4] of 4 workers found no place"):
            train_on_ray(
                EncodedCorpus.open(encoded),
                CONFIG,
                Saving(tmp_path / "model"),
                lambda progress: None,
                ClusterOptions(ray_address, 4),
                ClusterChunks(placement_seconds=4.0),
            )
    finally:
        ray.shutdown()
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_sees_another_corpus_is_refused(ray_address, encoded, tmp_path):
    shutil.copytree(encoded, tmp_path / "encoded")
    corpus = EncodedCorpus.open(tmp_path / "encoded")
    meta = json.loads((tmp_path / "encoded" / "corpus.json").read_text())
    (tmp_path / "encoded" / "corpus.json").write_text(json.dumps(meta | {"fingerprint": "another"}))
    options = ClusterOptions(ray_address, 2)
    with pytest.raises(InputError, match="another corpus or vocabulary"):
        train_on_ray(corpus, CONFIG, Saving(tmp_path / "model"), lambda p: None, options)
    assert not (tmp_path / "model").exists()


def test_a_cluster_that_has_gone_is_a_sentence_and_no_long_wait(encoded, tmp_path, monkeypatch):
    start = time.monotonic()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2")
    with pytest.raises(InputError, match=r"Ray cluster at 'auto' cannot be reached: .*refused"):
        train(encoded, tmp_path / "model", "auto", workers=1)
    assert time.monotonic() - start < 20


def test_an_address_where_nobody_listens_is_a_sentence(encoded, tmp_path):
    with pytest.raises(InputError, match=r"Ray cluster at '127\.0\.0\.1:1' cannot be reached"):
        train(encoded, tmp_path / "model", "127.0.0.1:1", workers=1)
