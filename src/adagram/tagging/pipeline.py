"""Work in several threads, results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Queue
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    items: Iterable[Item], work: Callable[[Item], Result], take: Callable[[Result], None], threads: int
) -> None:
    """take(work(item)) for every item in order, with at most 2 · `threads` items in memory.

    Items are read in the calling thread and results taken in another, so that a result does not wait for the next
    item. An interruption ends it at once, even if `take` is stuck in a pipe that nobody reads.
    """
    results: Queue[Future[Result] | None] = Queue(2 * threads)
    failures: list[BaseException] = []

    def take_all() -> None:
        while (result := results.get()) is not None:
            if not failures:
                try:
                    take(result.result())
                except BaseException as error:
                    failures.append(error)

    taker = Thread(target=take_all, daemon=True)
    taker.start()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            if failures:
                break
            results.put(pool.submit(work, item))
        results.put(None)
        taker.join()
    except BaseException as error:
        failures.append(error)  # makes the taker drop what it has not taken yet
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if failures:
        raise failures[0]
