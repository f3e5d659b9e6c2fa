"""Work on several items at once, results in order, memory bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

from adagram.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_ahead(
    pool: Executor, work: Callable[[Item], Result], items: Iterator[Item], ahead: int
) -> Iterator[Result]:
    """Results in the order of the items, at most `ahead` of them under way; an InputError of the items comes last."""
    waiting: deque[Future[Result]] = deque()
    bad: InputError | None = None
    try:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
        except InputError as error:
            bad = error
        while waiting:
            yield waiting.popleft().result()
        if bad:
            raise bad
    finally:
        for future in waiting:
            future.cancel()
