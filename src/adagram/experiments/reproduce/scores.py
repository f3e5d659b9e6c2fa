"""The data sets of the experiments, the scores of models on them, and choices made on development data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.protocol import (
    ContextRule,
    NamedSense,
    Posterior,
    Words,
    disambiguate,
    graded_answers,
    hard_answers,
)
from adagram.evaluation.report import Evaluation, Resampling
from adagram.evaluation.search import Query, read_search_set
from adagram.evaluation.similarity import RatedPair, read_scws
from adagram.evaluation.wsi import score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Instance, Key, gold_key
from adagram.evaluation.wsi_sets import read_instances
from adagram.experiments.reproduce.models import Trained
from adagram.model import Model, Sides

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
    """Raised if an experiment lacks its data; other experiments can still run."""


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
        """Return the available sets; MissingData if there is none."""
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
    """Return the alphabetically first half of the target words, used for choices.

    >>> first_half([Instance(word, "1", "", "") for word in "cab"])
    frozenset({'a'})
    """
    targets = sorted({instance.target for instance in instances})
    return frozenset(targets[: len(targets) // 2])


DEFAULT_WINDOW = 5
WINDOWS = (2, 3, 5, 7, 10, 15)
TUNING_SET = "SemEval-2010"
FIRST = "first half"
PARTS = ("all", FIRST, "second half")


class Reader:
    """A model with a shared cache of tokenized texts: all models of a run have the same tokenizer."""

    def __init__(self, model: Model, cut: dict[str, list[str]]) -> None:
        self._model = model
        self._tokens = cut

    @property
    def vocabulary(self) -> Words:
        return self._model.vocabulary

    def tokenize(self, text: str) -> list[str]:
        tokens = self._tokens.get(text)
        if tokens is None:
            tokens = self._tokens[text] = self._model.tokenize(text)
        return tokens

    def senses(self, word: str, top: int = 0) -> Sequence[NamedSense]:
        return self._model.senses(word, top)

    def using(self, context_weights: str = "kept", window: int | None = None) -> Reader:
        return Reader(self._model.using(context_weights, window), self._tokens)

    def disambiguate_batch(
        self, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> Sequence[Posterior]:
        return self._model.disambiguate_batch(words, contexts)


class Scores:
    def __init__(self, data: DataFolder, how: Resampling) -> None:
        self._data = data
        self._how = how
        self._tokens: dict[str, list[str]] = {}
        self._answers: dict[tuple[str, str, int], Key] = {}
        self._reports: dict[tuple[str, str, int, str], Evaluation] = {}
        self._tuning: dict[str, dict[int, float]] = {}

    def wsi(self, trained: Trained, name: str, window: int, part: str = "all") -> Evaluation:
        """Score hard answers on a set, or on one half of its words, with intervals."""
        key = trained.variant.key, name, window, part
        if key not in self._reports:
            self._reports[key] = self._score(trained, name, window, part, self._how)
        return self._reports[key]

    def fuzzy(self, trained: Trained, name: str, window: int, share: float) -> Evaluation:
        """Score graded answers."""
        instances = self._data.wsi(name)
        reader = Reader(trained.model, self._tokens)
        answers = graded_answers(reader, disambiguate(reader, instances, ContextRule(window)), share)
        return score_fuzzy(gold_key(instances), answers, self._how)

    def tuning(self, trained: Trained) -> dict[int, float]:
        """Return the ARI on the development half for every window; empty if the set is missing."""
        if not self._data.has(WSI_SETS[TUNING_SET]):
            return {}
        if trained.variant.key not in self._tuning:
            self._tuning[trained.variant.key] = {
                window: self._score(trained, TUNING_SET, window, FIRST, Resampling(0)).value("ARI")
                for window in WINDOWS
            }
        return self._tuning[trained.variant.key]

    def window(self, trained: Trained) -> int:
        """Return the window with the best ARI on the development half; the paper too chose one per system."""
        found = self.tuning(trained)
        return max(found, key=lambda window: found[window]) if found else DEFAULT_WINDOW

    def _score(self, trained: Trained, name: str, window: int, part: str, how: Resampling) -> Evaluation:
        instances = self._data.wsi(name)
        key = trained.variant.key, name, window
        if key not in self._answers:
            reader = Reader(trained.model, self._tokens)
            self._answers[key] = hard_answers(reader, disambiguate(reader, instances, ContextRule(window)))
        gold, answers = gold_key(instances), self._answers[key]
        if part != "all":
            half = first_half(instances)
            chosen = {target for target in gold if (target in half) == (part == FIRST)}
            gold = {target: gold[target] for target in chosen}
            answers = {target: of for target, of in answers.items() if target in chosen}
        return score_wsi(gold, answers, how)
