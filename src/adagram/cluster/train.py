"""Training on a Ray cluster: each worker has a replica of the system and trains on its part of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adagram.cluster.connection import ClusterOptions, WorkerLost, connected, ray_errors
from adagram.cluster.replica import Part, Replica, check_system
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.kernels.arrays import BLOCK_SPAN
from adagram.model import Model
from adagram.model.resolution import MergeTree
from adagram.model.storage import ARRAYS, read_arrays, read_rest, write_arrays
from adagram.systems.base import take_tally
from adagram.training.checkpoint import Saving
from adagram.training.continue_model import PreviousModel
from adagram.training.merge_senses import merge_alike
from adagram.training.progress import Report, Stop, interruptible, sum_tallies
from adagram.training.run import Run, resolve
from adagram.training.workers import REPORT_SECONDS, STATE, Chunks, Round, write_model_arrays
from adagram.types import ArrayMap

MERGERS = 16  # maximum of workers that merge: with more, messages would have few rows
MAX_LOSSES = 5  # of workers in a row without a new checkpoint, after which training fails


@dataclass(frozen=True)
class ClusterChunks:
    """Chunk sizes of a run, and how long to wait for workers."""

    turn: int = 16_384  # tokens that a worker trains between two merges, at most
    together: int = 65_536  # tokens that all workers train between two merges, at most: with more likelihood falls
    turns_per_epoch: int = 24  # minimum, if each has `smallest` tokens: with half as many likelihood falls
    smallest: int = 1024
    turns: int = 16  # of a round, which ends at a safe point for reports and checkpoints
    report_seconds: float = REPORT_SECONDS
    placement_seconds: float = 60.0  # in which all workers must be placed

    def turn_of(self, n_tokens: int, n_workers: int) -> int:
        """Return the tokens that a worker trains in a turn."""
        most = min(self.turn, self.together // n_workers, n_tokens // (self.turns_per_epoch * n_workers))
        size = Chunks().piece_of(n_tokens) if n_workers == 1 else BLOCK_SPAN
        return max(1, max(self.smallest, most) // size) * size


class TrainingWorker:
    """An actor. Its calls run in the order in which the driver makes them."""

    def open(self, folder: str, fingerprint: str, config: dict[str, Any], n_workers: int, model: str | None) -> None:
        corpus, options = open_same(Path(folder), fingerprint), TrainConfig.from_dict(config)
        previous = PreviousModel(Model.load(model, raw=True)).state_for(corpus, options.memory) if model else None
        self._replica = Replica(corpus, options, n_workers, previous)

    def is_up(self) -> bool:
        return True

    def train(self, start: int, stop: int, n_parts: int) -> Any:
        """Train on positions start:stop of the run; return the changes, a part for each merger."""
        self._replica.train(start, stop)
        if not n_parts:
            return None
        parts = self._replica.changes(n_parts)
        return parts if n_parts > 1 else parts[0]

    def merge(self, *parts: Part) -> Part:
        return self._replica.merge(parts)

    def apply(self, *merged: Part) -> None:
        self._replica.apply(merged)

    def take_tally(self) -> dict[str, float]:
        return take_tally(self._replica.scratch)

    def merge_alike(self, info: dict[str, Any]) -> MergeTree | None:
        """Merge senses that are one meaning, after the last round."""
        return merge_alike(self._replica.system, self._replica.corpus, info, Stop())

    # -- files, in folders that all nodes see

    def write_state(self, folder: str) -> None:
        write_arrays(Path(folder) / STATE, self._replica.system.state())

    def restore(self, folder: str) -> None:
        self._replica.restore(read_arrays(Path(folder) / STATE))

    def write_arrays(self, folder: str) -> None:
        write_model_arrays(self._replica.system, Path(folder))


class RayWorkers:
    """`Workers` that are actors, spread over the nodes; `start` replaces them all.

    After each turn all workers have the same state, so one of them writes it, and a run can be resumed with another
    number of workers.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        n: int,
        chunks: ClusterChunks,
        model: Path | None = None,  # to continue
    ) -> None:
        self._corpus, self._config, self._chunks, self._model = corpus, config, chunks, model
        self._n = n
        self._turn = chunks.turn_of(len(corpus.tokens), n)
        self.round_tokens = chunks.turns * n * self._turn
        self._n_mergers = min(n, MERGERS)
        self._workers: list[Any] = []

    def start(self) -> None:
        folder = self._corpus.folder
        if folder is None:
            raise InputError("training on Ray needs an encoded corpus in a folder that all nodes see")
        self.stop()
        with ray_errors():
            self._place_workers()
        model = str(self._model.resolve()) if self._model else None
        self._all("open", str(folder.resolve()), self._corpus.fingerprint, self._config.to_dict(), self._n, model)

    def _place_workers(self) -> None:
        import ray

        actor = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(TrainingWorker)
        self._workers = [actor.remote() for _ in range(self._n)]
        up, seconds = [worker.is_up.remote() for worker in self._workers], self._chunks.placement_seconds
        ready, waiting = ray.wait(up, num_returns=self._n, timeout=seconds)
        if waiting:
            free = int(ray.available_resources().get("CPU", 0))
            raise AdagramError(
                f"{len(waiting)} of {self._n} workers found no place on the Ray cluster in "
                f"{seconds:.0f} seconds, {free} CPUs are free; give fewer --workers, or add nodes"
            )
        ray.get(ready)

    def round(self, start: int, stop: int, stop_requested: Stop) -> Round:
        """Train to the end of the round; a request to stop has no effect before that.

        Calls of an actor run in the order in which they are made, so all are made at once. Messages between workers do
        not pass through the driver.
        """
        calls: list[Any] = []
        for first in range(start, stop, self._n * self._turn):
            calls += self._train_turn(first, stop)
        self._wait(calls)
        return Round(stop, sum_tallies(self._all("take_tally")))

    def _train_turn(self, start: int, stop: int) -> list[Any]:
        ends = [min(stop, start + number * self._turn) for number in range(self._n + 1)]
        if self._n == 1:
            return [self._workers[0].train.remote(*ends, 0)]
        parts = [
            worker.train.options(num_returns=self._n_mergers).remote(first, last, self._n_mergers)
            for worker, first, last in zip(self._workers, ends[:-1], ends[1:], strict=True)
        ]
        merged = [
            worker.merge.remote(*(each[number] for each in parts))
            for number, worker in enumerate(self._workers[: self._n_mergers])
        ]
        return [worker.apply.remote(*merged) for worker in self._workers]

    def merge_alike(self, info: dict[str, Any]) -> MergeTree | None:
        """Merge senses that are one meaning, in the worker that writes the model."""
        tree: MergeTree | None = self._wait([self._workers[0].merge_alike.remote(info)])[0]
        return tree

    def about(self) -> dict[str, int]:
        return {"workers": self._n}

    def write_state(self, folder: Path) -> None:
        self._first("write_state", str(folder.resolve()))

    def restore(self, folder: Path) -> None:
        self._all("restore", str(folder.resolve()))

    def write_arrays(self, folder: Path) -> tuple[ArrayMap, ArrayMap]:
        self._first("write_arrays", str(folder.resolve()))
        checksum = self._corpus.vocabulary.checksum
        return read_arrays(folder / ARRAYS, checksum), read_rest(folder, checksum) or {}

    def stop(self) -> None:
        import ray

        for worker in self._workers:
            ray.kill(worker)
        self._workers = []

    def _first(self, method: str, *arguments: Any) -> None:
        self._wait([getattr(self._workers[0], method).remote(*arguments)])

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        return self._wait([getattr(worker, method).remote(*arguments) for worker in self._workers])

    def _wait(self, calls: Sequence[Any]) -> list[Any]:
        import ray

        with ray_errors():
            found: list[Any] = ray.get(list(calls))
        return found


def train_on_ray(
    corpus: EncodedCorpus,
    config: TrainConfig,
    saving: Saving,
    report: Report,
    options: ClusterOptions,
    chunks: ClusterChunks | None = None,
    previous_model: PreviousModel | None = None,
) -> Model:
    """Do what `train_encoded` does, with workers of a cluster; they share only files and messages."""
    if previous_model and previous_model.model.folder is None:
        raise InputError("going on with Ray needs a model in a folder that all nodes see; save it and load it")
    if saving.output is None:
        raise InputError("training on Ray needs an output folder, on a file system that all nodes see")
    if config.threads and config.threads > 1:
        raise InputError(f"threads is {config.threads}, but a Ray worker has one; give more --workers instead")
    check_system(config)
    chunks = chunks or ClusterChunks()
    config = resolve(replace(config, threads=1, lanes=1), corpus, previous_model)
    with connected(options) as n_workers:
        folder = previous_model.model.folder if previous_model else None
        workers = RayWorkers(corpus, config, n_workers, chunks, folder)
        run = Run(corpus, config, workers, saving, chunks.report_seconds, previous_model)
        try:
            return _train_over_losses(run, workers, report)
        finally:
            workers.stop()


def _train_over_losses(run: Run, workers: RayWorkers, report: Report) -> Model:
    """Train to the finished model; if a worker is lost, restart all at the last checkpoint."""
    losses, last = 0, -1
    while True:
        try:
            run.begin()
            with interruptible() as stop:
                run.train(report, stop)
                if run.config.merge_senses:
                    run.tree = workers.merge_alike(run.info())
                return run.checkpoint.finish(run.write_model)
        except WorkerLost:
            reached = run.checkpoint.position.words if run.checkpoint.position else 0
            losses = losses + 1 if reached <= last else 1
            last = reached
            if losses > MAX_LOSSES:
                raise AdagramError(
                    f"workers of the Ray cluster were lost {losses} times at {reached} words; see Ray's logs"
                ) from None


def open_same(folder: Path, fingerprint: str) -> EncodedCorpus:
    """Open the encoded corpus on this node; it must be the driver's."""
    if not folder.is_dir():
        raise InputError(f"a worker does not see {folder}; put it on a file system that all nodes share")
    corpus = EncodedCorpus.open(folder)
    if corpus.fingerprint != fingerprint:
        raise InputError(f"a worker sees another corpus or vocabulary in {folder}; give all nodes the same one")
    return corpus
