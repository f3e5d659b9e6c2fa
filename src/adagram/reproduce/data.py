"""The data sets of the experiments, found by their places in one folder; each is read once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.search import Query, read_search_set
from adagram.evaluation.similarity import RatedPair, read_scws
from adagram.evaluation.wsi_data import Instance
from adagram.evaluation.wsi_sets import read_instances

WSI_SETS = {
    "SemEval-2007": "semeval2007/contexts.tsv",
    "SemEval-2010": "semeval2010/contexts.tsv",
    "SemEval-2013": "semeval2013-13/contexts.tsv",
    "WWSI": "wwsi/train.tsv",
    "Senseval": "senseval/contexts.tsv",
}
SEARCH_SETS = {"SemEval-2013 task 11": "semeval2013-11", "AMBIENT": "ambient", "MORESQUE": "moresque"}
SCWS = "scws/ratings.txt"


class MissingData(InputError):
    """An experiment has nothing to run on; the others can go on without it."""


class DataFolder:
    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._wsi: dict[str, list[Instance]] = {}
        if folder is not None and not folder.is_dir():
            raise InputError(f"{folder} is not a folder; give --data the folder of the data sets")

    def has(self, place: str) -> bool:
        return self._folder is not None and (self._folder / place).exists()

    def _path(self, place: str) -> Path:
        if self._folder is None:
            raise MissingData(f"{place} is needed; give the folder of the data sets by --data")
        if not (self._folder / place).exists():
            raise MissingData(f"{self._folder / place} does not exist")
        return self._folder / place

    def wsi(self, name: str) -> list[Instance]:
        if name not in self._wsi:
            self._wsi[name] = read_instances(self._path(WSI_SETS[name]))
        return self._wsi[name]

    def wsi_names(self) -> list[str]:
        """The sets that are there; an error where there is none."""
        names = [name for name, place in WSI_SETS.items() if self.has(place)]
        if not names:
            self._path(WSI_SETS["WWSI"])
        return names

    def search(self) -> dict[str, list[Query]]:
        there = {name: place for name, place in SEARCH_SETS.items() if self.has(place)}
        if not there:
            self._path(SEARCH_SETS["AMBIENT"])
        return {name: read_search_set(self._path(place)) for name, place in there.items()}

    @cached_property
    def scws(self) -> list[RatedPair]:
        return read_scws(self._path(SCWS))


def first_half(instances: list[Instance]) -> frozenset[str]:
    """The alphabetically first half of the target words: where choices are made.

    >>> first_half([Instance(word, "1", "", "") for word in "cab"])
    frozenset({'a'})
    """
    targets = sorted({instance.target for instance in instances})
    return frozenset(targets[: len(targets) // 2])
