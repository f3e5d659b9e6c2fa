"""Scores of models on word sense induction, each computed once, and the choices made on development data."""

from __future__ import annotations

from collections.abc import Sequence

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
from adagram.evaluation.wsi import score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Key, gold_key
from adagram.model import Model, Sides
from adagram.reproduce.data import WSI_SETS, DataFolder, first_half
from adagram.reproduce.models import Trained

DEFAULT_WINDOW = 5
WINDOWS = (2, 3, 5, 7, 10, 15)
TUNING_SET = "SemEval-2010"
FIRST = "first half"
PARTS = ("all", FIRST, "second half")


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

    def using(self, context_weights: str = "kept", window: int | None = None) -> Reader:
        return Reader(self._model.using(context_weights, window), self._cut)

    def disambiguate_batch(
        self, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> Sequence[Posterior]:
        return self._model.disambiguate_batch(words, contexts)


class Scores:
    def __init__(self, data: DataFolder, how: Resampling) -> None:
        self._data = data
        self._how = how
        self._cut: dict[str, list[str]] = {}
        self._answers: dict[tuple[str, str, int], Key] = {}
        self._reports: dict[tuple[str, str, int, str], Evaluation] = {}
        self._tuning: dict[str, dict[int, float]] = {}

    def wsi(self, trained: Trained, name: str, window: int, part: str = "all") -> Evaluation:
        """Hard scores on a set, or on one half of its words, with intervals."""
        key = trained.variant.key, name, window, part
        if key not in self._reports:
            self._reports[key] = self._score(trained, name, window, part, self._how)
        return self._reports[key]

    def fuzzy(self, trained: Trained, name: str, window: int, share: float) -> Evaluation:
        """Scores of graded answers."""
        instances = self._data.wsi(name)
        reader = Reader(trained.model, self._cut)
        answers = graded_answers(reader, disambiguate(reader, instances, ContextRule(window)), share)
        return score_fuzzy(gold_key(instances), answers, self._how)

    def tuning(self, trained: Trained) -> dict[int, float]:
        """ARI on the development half for every window; empty where the set is missing."""
        if not self._data.has(WSI_SETS[TUNING_SET]):
            return {}
        if trained.variant.key not in self._tuning:
            self._tuning[trained.variant.key] = {
                window: self._score(trained, TUNING_SET, window, FIRST, Resampling(0)).value("ARI")
                for window in WINDOWS
            }
        return self._tuning[trained.variant.key]

    def window(self, trained: Trained) -> int:
        """The window with the best ARI on the development half, as each system had its own in the paper."""
        found = self.tuning(trained)
        return max(found, key=lambda window: found[window]) if found else DEFAULT_WINDOW

    def _score(self, trained: Trained, name: str, window: int, part: str, how: Resampling) -> Evaluation:
        instances = self._data.wsi(name)
        key = trained.variant.key, name, window
        if key not in self._answers:
            reader = Reader(trained.model, self._cut)
            self._answers[key] = hard_answers(reader, disambiguate(reader, instances, ContextRule(window)))
        gold, answers = gold_key(instances), self._answers[key]
        if part != "all":
            half = first_half(instances)
            chosen = {target for target in gold if (target in half) == (part == FIRST)}
            gold = {target: gold[target] for target in chosen}
            answers = {target: of for target, of in answers.items() if target in chosen}
        return score_wsi(gold, answers, how)
