"""Tagging on a Ray cluster: this machine reads and writes, the workers tag."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from queue import Queue
from typing import Any

from adagram.analysis.tag import Tagged, Tagger, Tally, tag_document, tag_each
from adagram.cluster.connection import ClusterOptions, connected, ray_errors
from adagram.corpus.documents import Document
from adagram.errors import InputError
from adagram.model import Model

AHEAD = 2  # documents in flight per worker


class TaggingWorker:
    """An actor with no state but the model, so Ray can restart it."""

    def __init__(self, model: str, min_probability: float, context: tuple[str, int | None]) -> None:
        self._model, self._min_probability, self._context = Path(model), min_probability, context
        self._tagger: Tagger | None = None

    def tag(self, document: Document) -> Tagged:
        if self._tagger is None:
            if not self._model.is_dir():
                raise InputError(f"a worker does not see {self._model}; put it on a file system that all nodes share")
            self._tagger = Tagger(Model.load(self._model).using(*self._context), self._min_probability)
        return tag_document(self._tagger, document)


def tag_on_ray(
    model: Path,
    documents: Iterable[Document],
    write: Callable[[bytes], object],
    min_probability: float,
    options: ClusterOptions,
    context: tuple[str, int | None] = ("kept", None),
) -> Tally:
    """As `adagram.tagging.tag_documents`, by the workers of a cluster; `context` as in `Model.using`."""
    with connected(options) as n_workers:
        import ray

        actor: Any = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")(
            TaggingWorker
        )
        free: Queue[Any] = Queue()
        workers = [actor.remote(str(model.resolve()), min_probability, context) for _ in range(n_workers)]
        for worker in workers * AHEAD:
            free.put(worker)

        def work(document: Document) -> Tagged:
            worker = free.get()
            try:
                with ray_errors():
                    tagged: Tagged = ray.get(worker.tag.remote(document))
            finally:
                free.put(worker)
            return tagged

        try:
            return tag_each(documents, work, write, AHEAD * n_workers)
        finally:
            for worker in workers:
                ray.kill(worker)
