"""Senses born in copies of AdaGram that are trained apart: each gets the same row in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from adagram.arrays import I64
from adagram.config import TrainConfig
from adagram.kernels.arrays import Block
from adagram.systems.senses import SenseRows


class Birth(NamedTuple):
    """Stick `stick` of a word, after the row `before`."""

    word: int
    stick: int
    before: int


class Lineage:
    """Word and stick of every row of `shared`, the senses as they were when all copies were equal."""

    def __init__(self, shared: SenseRows) -> None:
        self.shared = shared
        rows, offsets = shared.chains()
        sizes = np.diff(offsets)
        words, sticks = np.full(shared.used, -1), np.full(shared.used, -1)
        words[rows] = np.repeat(np.arange(len(sizes)), sizes)
        sticks[rows] = np.arange(len(rows)) - np.repeat(offsets[:-1], sizes)
        self._words, self._sticks = words.tolist(), sticks.tolist()

    def merge(
        self,
        copies: Sequence[SenseRows],
        works: Sequence[Block],
        found: Sequence[list[Birth]],
        config: TrainConfig,
    ) -> None:
        """What each copy bore: the rows after the last shared one are given anew, by copy and the order of birth."""
        first = self.shared.used
        rows: dict[tuple[int, int], int] = {}
        births: list[Birth] = []
        for each in found:
            for birth in each:
                if (birth.word, birth.stick) not in rows:
                    before = rows.get((birth.word, birth.stick - 1), birth.before)
                    rows[birth.word, birth.stick] = first + len(births)
                    births.append(birth._replace(before=before))
        if births:
            for copy, own in zip((self.shared, *copies), ([], *found), strict=True):
                _give_rows(copy, first, own, births, works[0], config)
            self.shared.used += len(births)
            self._words += [birth.word for birth in births]
            self._sticks += [birth.stick for birth in births]
        for copy, work in zip(copies, works, strict=True):
            copy.used = self.shared.used
            work.spare[:] = copy.used  # what is left is free again

    def births(self, copy: SenseRows, work: Block) -> list[Birth]:
        """Of a copy, since all were equal, in their order."""
        first, last = self.shared.used, int(work.spare[0])
        if last <= first:
            return []
        links = copy.arrays.next_row[:last]
        before = np.flatnonzero(links >= first)
        parents: I64 = np.empty(last - first, np.int64)
        parents[links[before] - first] = before
        births: list[Birth] = []
        for parent in parents.tolist():
            if parent < first:
                births.append(Birth(self._words[parent], self._sticks[parent] + 1, parent))
            else:
                elder = births[parent - first]
                births.append(Birth(elder.word, elder.stick + 1, parent))
        return births


def _give_rows(
    copy: SenseRows, first: int, own: list[Birth], births: list[Birth], work: Block, config: TrainConfig
) -> None:
    """Put the copy's own births into the rows of `births`, and bear those that it lacks."""
    from adagram.kernels.replicas import give_rows

    while copy.capacity < first + len(births):
        copy.grow()
    arrays = copy.arrays
    vectors, counts = (np.array(array[first : first + len(own)]) for array in (arrays.vectors, arrays.counts))
    places = {(birth.word, birth.stick): place for place, birth in enumerate(own)}
    own_places = np.array([places.get((birth.word, birth.stick), -1) for birth in births])
    key = np.uint64(config.seed)
    give_rows(arrays, np.array(births), first, (own_places, vectors, counts), work.shares, key, config.dim)
