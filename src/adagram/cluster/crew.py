"""All workers of a training run and what they are told together; every call to Ray is here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adagram.cluster.connection import ray_errors
from adagram.cluster.pace import ClusterPace
from adagram.cluster.share import MERGERS
from adagram.cluster.worker import RoundReport, TrainingWorker
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model.rest import REST, joined_rests
from adagram.model.shards import write_index
from adagram.model.storage import write_arrays
from adagram.training.progress import Stop, sum_tallies
from adagram.training.workers import Round


class Workers:
    """A `Crew` of actors, spread over the nodes; started again, new ones take the place of all."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        n: int,
        pace: ClusterPace,
        model: Path | None = None,  # to go on from
    ) -> None:
        self._corpus, self._config, self._pace, self._model = corpus, config, pace, model
        self.n_workers = n
        self.round_tokens = pace.round_of(len(corpus.tokens), n)
        self._n_mergers = min(n, MERGERS)
        self._workers: list[Any] = []
        self._heard: list[RoundReport] = []  # since the last report

    def start(self) -> None:
        folder = self._corpus.folder
        if folder is None:
            raise InputError("training on Ray needs an encoded corpus in a folder that all nodes see")
        self.stop()
        with ray_errors():
            self._find_places()
        told = str(folder.resolve()), self._corpus.fingerprint, self._config.to_dict()
        model = str(self._model.resolve()) if self._model else None
        self._all("open", each=[(*told, number, self.n_workers, model) for number in range(self.n_workers)])

    def _find_places(self) -> None:
        import ray

        actor = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(TrainingWorker)
        self._workers = [actor.remote() for _ in range(self.n_workers)]
        up, seconds = [worker.is_up.remote() for worker in self._workers], self._pace.placement_seconds
        ready, waiting = ray.wait(up, num_returns=self.n_workers, timeout=seconds)
        if waiting:
            free = int(ray.available_resources().get("CPU", 0))
            raise AdagramError(
                f"{len(waiting)} of {self.n_workers} workers found no place on the Ray cluster in "
                f"{seconds:.0f} seconds, {free} CPUs are free; give fewer --workers, or add nodes"
            )
        ray.get(ready)

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        """Rows go from worker to worker, not through the driver; a wish to stop waits for the end of the round."""
        calls = []
        if self.n_workers == 1:
            calls.append(self._workers[0].train_alone.remote(start, stop))
        else:
            for first, last in self._pace.short_rounds(start, stop, self.n_workers):
                calls += self._train_and_merge(first, last, only_hot=last < stop)
        self._wait(calls)
        reports: list[RoundReport] = self._all("end_round")
        self._heard += reports
        return Round(stop, sum_tallies(report.tally for report in reports))

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

    def about(self) -> dict[str, int]:
        return {"workers": self.n_workers}

    def notes(self) -> dict[str, float]:
        heard, self._heard = self._heard, []
        return {
            "workers": self.n_workers,
            "nodes": len({report.node for report in heard if report.tally["tokens"] > 0}),
            "sent_mb": round(sum(report.sent for report in heard) / 1e6, 3),
            "worker_peak_mb": round(max((report.memory for report in heard), default=0) / 1e6, 1),
        }

    # -- files, in folders that all nodes see

    def write_state(self, folder: Path) -> None:
        self._all_in(folder, "write_state")

    def restore(self, folder: Path) -> None:
        self._all_in(folder, "restore")

    def write_arrays(self, folder: Path) -> None:
        """Every worker its shard; what is needed to go on is one file."""
        self._all_in(folder, "write_arrays")
        if self.n_workers > 1:
            write_index(folder, self.n_workers)
            rests, owned = zip(*self._all("rest_arrays"), strict=True)
            if rests[0]:
                write_arrays(folder / REST, joined_rests(rests, owned), self._corpus.vocabulary.checksum)

    def stop(self) -> None:
        import ray

        for worker in self._workers:
            ray.kill(worker)
        self._workers, self._heard = [], []

    def _all_in(self, folder: Path, method: str) -> None:
        self._all(method, each=[(str(folder.resolve()),)] * self.n_workers)

    def _all(self, method: str, each: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """One call to every worker, with what each is told; waits for all."""
        told = each or [()] * self.n_workers
        return self._wait(
            [getattr(worker, method).remote(*mine) for worker, mine in zip(self._workers, told, strict=True)]
        )

    def _wait(self, calls: list[Any]) -> list[Any]:
        import ray

        with ray_errors():
            found: list[Any] = ray.get(calls)
        return found
