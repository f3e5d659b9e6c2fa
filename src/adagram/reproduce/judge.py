"""Scores of models on word sense induction, each computed once, and the choices made on development data."""

from __future__ import annotations

from collections.abc import Sequence

from adagram.evaluation.instances import gold_key
from adagram.evaluation.keys import Key
from adagram.evaluation.protocol import (
    ContextRule,
    NamedSense,
    Posterior,
    Words,
    disambiguate,
    graded_answers,
    hard_answers,
)
from adagram.evaluation.report import Report, Resampling
from adagram.evaluation.wsi import score_fuzzy, score_wsi
from adagram.model import Model
from adagram.reproduce.data import WSI_SETS, DataFolder, first_half
from adagram.reproduce.lineup import Entry

DEFAULT_WINDOW = 5
WINDOWS = (2, 3, 5, 7, 10, 15)
TUNING_SET = "SemEval-2010"
PARTS = ("all", "first half", "second half")


class Reader:
    """A model that cuts each text only once: all models of a run share vocabulary and tokenizer."""

    def __init__(self, model: Model, cut: dict[str, list[str]]) -> None:
        self._model = model
        self._cut = cut

    @property
    def vocabulary(self) -> Words:
        return self._model.vocabulary

    def tokenize(self, text: str) -> list[str]:
        tokens = self._cut.get(text)
        if tokens is None:
            tokens = self._cut[text] = self._model.tokenize(text)
        return tokens

    def senses(self, word: str, top: int = 0) -> Sequence[NamedSense]:
        return self._model.senses(word, top)

    def disambiguate_batch(
        self, words: Sequence[str], contexts: Sequence[Sequence[str]]
    ) -> Sequence[Posterior]:
        return self._model.disambiguate_batch(words, contexts)


class Judge:
    def __init__(self, data: DataFolder, how: Resampling) -> None:
        self._data = data
        self._how = how
        self._cut: dict[str, list[str]] = {}
        self._reports: dict[tuple[str, str, int, str], Report] = {}
        self._windows: dict[str, dict[int, float]] = {}

    def wsi(self, entry: Entry, model: Model, name: str, window: int, part: str = "all") -> Report:
        """Hard scores on a set, or on one half of its words, with intervals."""
        key = entry.key, name, window, part
        if key not in self._reports:
            gold, answers = self._answers(model, name, window)
            for each in PARTS:
                report = score_wsi(self._part(gold, name, each), self._part(answers, name, each), self._how)
                self._reports[entry.key, name, window, each] = report
        return self._reports[key]

    def fuzzy(self, model: Model, name: str, window: int, share: float) -> Report:
        instances = self._data.wsi(name)
        reader = Reader(model, self._cut)
        answers = graded_answers(reader, disambiguate(reader, instances, ContextRule(window)), share)
        return score_fuzzy(gold_key(instances), answers, self._how)

    def tuning(self, entry: Entry, model: Model) -> dict[int, float]:
        """ARI on the development half for every window; empty where the set is missing."""
        if not self._data.has(WSI_SETS[TUNING_SET]):
            return {}
        if entry.key not in self._windows:
            self._windows[entry.key] = {w: self._development_ari(model, w) for w in WINDOWS}
        return self._windows[entry.key]

    def window(self, entry: Entry, model: Model) -> int:
        """The window with the best ARI on the development half, as each system had its own in the paper."""
        found = self.tuning(entry, model)
        return max(found, key=lambda w: found[w]) if found else DEFAULT_WINDOW

    def _development_ari(self, model: Model, window: int) -> float:
        gold, answers = self._answers(model, TUNING_SET, window, PARTS[1])
        return score_wsi(gold, answers, Resampling(0)).value("ARI")

    def _answers(self, model: Model, name: str, window: int, part: str = "all") -> tuple[Key, Key]:
        instances = self._data.wsi(name)
        if part != "all":
            half = first_half(instances)
            instances = [i for i in instances if (i.target in half) == (part == PARTS[1])]
        reader = Reader(model, self._cut)
        answers = hard_answers(reader, disambiguate(reader, instances, ContextRule(window)))
        return gold_key(instances), answers

    def _part(self, key: Key, name: str, part: str) -> Key:
        half = first_half(self._data.wsi(name))
        return {t: of for t, of in key.items() if part == "all" or (t in half) == (part == PARTS[1])}
