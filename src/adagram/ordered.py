"""Work on several items at once, results in the order of the items, few of them in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from queue import Queue
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    pool: Executor, work: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """work(item) for every item in order, at most `ahead` of them under way beside the one that is waited for.

    If reading the items fails, the results of those before come first, then the failure. The pool stays open.
    """
    waiting: deque[Future[Result]] = deque()
    failure: Exception | None = None
    source = iter(items)
    try:
        while True:
            try:
                item = next(source)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            waiting.append(pool.submit(work, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if failure:
            raise failure
    finally:
        for future in waiting:
            future.cancel()


def take_in_order(
    pool: Executor,
    work: Callable[[Item], Result],
    items: Iterable[Item],
    ahead: int,
    take: Callable[[Result], object],
) -> None:
    """take(work(item)) for every item in order, for a live stream: a result does not wait for the next item.

    Items are read in the calling thread and results taken in another. An interruption ends it at once, even if `take`
    is stuck in a pipe that nobody reads; so does any failure.
    """
    results: Queue[Future[Result] | None] = Queue(ahead)
    failures: list[BaseException] = []

    def take_all() -> None:
        while (result := results.get()) is not None:
            if failures:
                result.cancel()
                continue
            try:
                take(result.result())
            except BaseException as error:
                failures.append(error)

    taker = Thread(target=take_all, daemon=True)
    taker.start()
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
    if failures:
        raise failures[0]
