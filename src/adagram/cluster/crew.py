"""All workers of a training run and what they are told together; every call to Ray is here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adagram.cluster.connection import ray_errors
from adagram.cluster.worker import RoundReport, TrainingWorker
from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.training.part import MERGERS
from adagram.training.rounds import short_rounds

PLACEMENT_SECONDS = 60.0


class Crew:
    """`n` actors, spread over the nodes; a new crew takes the place of one that lost a worker."""

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig, n: int) -> None:
        self._corpus, self._config, self.n = corpus, config, n
        self._n_mergers = min(n, MERGERS)
        self._workers: list[Any] = []

    def start(self) -> None:
        import ray

        actor = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(TrainingWorker)
        with ray_errors():
            self._workers = [actor.remote() for _ in range(self.n)]
            up = [worker.is_up.remote() for worker in self._workers]
            ready, waiting = ray.wait(up, num_returns=self.n, timeout=PLACEMENT_SECONDS)
            if waiting:
                free = int(ray.available_resources().get("CPU", 0))
                raise AdagramError(
                    f"{len(waiting)} of {self.n} workers found no place on the Ray cluster in "
                    f"{PLACEMENT_SECONDS:.0f} seconds, {free} CPUs are free; give fewer --workers, or add nodes"
                )
            ray.get(ready)
        folder = self._corpus.folder
        if folder is None:
            raise InputError("training on Ray needs an encoded corpus in a folder that all nodes see")
        told = str(folder.resolve()), self._corpus.fingerprint, self._config.to_dict()
        self._all("open", each=[(*told, number, self.n) for number in range(self.n)])

    def round(self, start: int, stop: int) -> list[RoundReport]:
        """Train on places start:stop of the run; rows go from worker to worker, not through the driver."""
        calls = []
        if self.n == 1:
            calls.append(self._workers[0].train_alone.remote(start, stop))
        else:
            for first, last in short_rounds(start, stop, self.n):
                calls += self._train_and_merge(first, last, only_hot=last < stop)
        self._wait(calls)
        return self._all("end_round", each=[()] * self.n)

    def _train_and_merge(self, start: int, stop: int, only_hot: bool) -> list[Any]:
        """Calls of an actor run in the order in which they are made, so all rounds can be called for at once."""
        given = [
            worker.train.options(num_returns=self._n_mergers).remote(start, stop, only_hot)
            for worker in self._workers
        ]
        merged = [
            self._workers[number].merge.remote(*(changed[number] for changed in given))
            for number in range(self._n_mergers)
        ]
        return [worker.take.remote(*merged) for worker in self._workers]

    def write_state(self, folder: Path) -> None:
        self._all("write_state", each=[(str(folder.resolve()),)] * self.n)

    def restore(self, folder: Path) -> None:
        self._all("restore", each=[(str(folder.resolve()),)] * self.n)

    def write_model(self, folder: Path) -> None:
        self._all("write_model", each=[(str(folder.resolve()),)] * self.n)

    def stop(self) -> None:
        import ray

        for worker in self._workers:
            ray.kill(worker)
        self._workers = []

    def _all(self, method: str, each: Sequence[tuple[Any, ...]]) -> list[Any]:
        """One call to every worker; waits for all."""
        return self._wait(
            [getattr(worker, method).remote(*told) for worker, told in zip(self._workers, each, strict=True)]
        )

    def _wait(self, calls: list[Any]) -> list[Any]:
        import ray

        with ray_errors():
            found: list[Any] = ray.get(calls)
        return found
