"""Work on several items at once: results in order, failures raised, few items held."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.corpus.parallel import in_order

Take = Callable[[Any], object]


def run(items: Iterable[Any], work: Callable[[Any], Any], take: Take, threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        for result in in_order(pool, work, items, 2 * threads):
            take(result)


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_results_come_in_the_order_of_items(naps: list[int], threads: int) -> None:
    def work(item: tuple[int, int]) -> int:
        time.sleep(item[1] / 2000)
        return item[0]

    taken: list[int] = []
    run(enumerate(naps), work, taken.append, threads)
    assert taken == list(range(len(naps)))


@pytest.mark.parametrize("where", ["items", "work", "take"])
def test_a_failure_anywhere_ends_it(where: str) -> None:
    def items() -> Iterator[int]:
        for i in range(10_000):
            if where == "items" and i == 5:
                raise OSError("items")
            yield i

    def work(item: int) -> int:
        if where == "work" and item == 5:
            raise OSError("work")
        return item

    taken: list[int] = []

    def take(result: int) -> None:
        if where == "take" and result == 5:
            raise OSError("take")
        taken.append(result)

    with pytest.raises(OSError, match=where):
        run(items(), work, take, threads=2)
    assert taken == list(range(len(taken)))
    assert len(taken) <= 5


def test_no_more_than_a_few_items_are_held() -> None:
    read, taken, most = 0, 0, 0
    gate = threading.Event()

    def items() -> Iterator[int]:
        nonlocal read
        for i in range(50):
            read += 1
            if read == 5:  # one being taken, four under way
                gate.set()
            yield i

    def take(_: int) -> None:
        nonlocal taken, most
        gate.wait(5)
        most = max(most, read - taken)
        taken += 1

    run(items(), lambda item: item, take, threads=2)
    assert taken == 50
    assert most <= 2 * 2 + 2


def test_a_result_does_not_wait_for_the_next_item() -> None:
    arrived = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert arrived.wait(5)
        yield 2

    taken: list[int] = []

    def take(result: int) -> None:
        taken.append(result)
        arrived.set()

    with ThreadPoolExecutor(1) as pool:
        for result in in_order(pool, lambda item: item, items(), ahead=0):
            take(result)
    assert taken == [1, 2]
