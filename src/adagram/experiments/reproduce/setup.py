"""What every experiment works with: data sets, models, their scores, and choices made on development data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.decode import UTF8, open_text
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.errors import InputError
from adagram.evaluation.protocol import ContextRule, disambiguate, find_word, graded_answers, hard_answers
from adagram.evaluation.report import Evaluation, Resampling
from adagram.evaluation.search import Query, read_search_set
from adagram.evaluation.similarity import RatedPair, read_scws
from adagram.evaluation.wsi import score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Instance, Key, gold_key, read_instances
from adagram.experiments.reproduce.models import (
    Callbacks,
    Settings,
    Trained,
    TrainedModels,
    Variant,
    open_corpus,
)
from adagram.experiments.reproduce.results import Result
from adagram.files.atomic import write_text
from adagram.files.json import read_json
from adagram.model import Model
from adagram.types import Floats

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


class Scores:
    def __init__(self, data: DataFolder, how: Resampling) -> None:
        self._data = data
        self._how = how
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
        found = disambiguate(trained.model, instances, ContextRule(window))
        answers = graded_answers(trained.model, found, share)
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
            found = disambiguate(trained.model, instances, ContextRule(window))
            self._answers[key] = hard_answers(trained.model, found)
        gold, answers = gold_key(instances), self._answers[key]
        if part != "all":
            half = first_half(instances)
            chosen = {target for target in gold if (target in half) == (part == FIRST)}
            gold = {target: gold[target] for target in chosen}
            answers = {target: of for target, of in answers.items() if target in chosen}
        return score_wsi(gold, answers, how)


PAPER = json.loads(
    resources.files(__package__).joinpath("paper.json").read_text(encoding="utf-8")
)  # its values
TOO_LITTLE = "Too little text for this table"
MIN_SENSES = 2.0  # of the words of a table, on average: below, AdaGram has not found the senses that the table compares
MOST_FREQUENT = 1000  # words that the tables of no words of their own are judged by
LIKELIHOODS = "parts.json"  # cached log-likelihoods of pieces of text


class Setup:
    """The models, data and scores of one run."""

    def __init__(self, settings: Settings, callbacks: Callbacks) -> None:
        self.settings = settings
        self.data = DataFolder(settings.data)
        self.how = Resampling(settings.resamples)
        self.scores = Scores(self.data, self.how)
        self.models = TrainedModels(open_corpus(settings, callbacks), settings, callbacks)
        self.say = callbacks.say

    def trained(self, variants: Iterable[Variant]) -> list[Trained]:
        """Return the variants that are trained, or can be; at least one."""
        found = [(variant, self.models.get(variant)) for variant in variants]
        trained = [Trained(variant, model) for variant, model in found if model is not None]
        if not trained:
            names = ", ".join(variant.label for variant, _ in found)
            raise MissingData(f"no model is there yet of {names}; run without --trained-only")
        return trained

    @property
    def conditions(self) -> str:
        """Describe in one paragraph what differs from the paper."""
        base, corpus = self.settings.base, self.models.corpus
        read = (corpus.meta.get("report") or {}).get("tokens", len(corpus.tokens))
        subsampling = f"subsampling {base.subsample:g}" if base.subsample else "no subsampling"
        return (
            f"Ours: {read / 1e6:.1f} M words ({len(corpus.tokens) / 1e6:.1f} M in the vocabulary of "
            f"{len(corpus.vocabulary):,} words), dim {base.dim}, window {base.window}, {subsampling}, "
            f"epochs {base.epochs}. The paper: 990 M words of Wikipedia, dim 300, "
            "window 5, no subsampling, one epoch."
        )

    def warning(self, experiment: Experiment) -> str:
        """Say that the text is too short for a table, by the senses that AdaGram has learned of its words; or ""."""
        by_alpha = {
            variant.alpha: variant for variant in experiment.variants if variant.algorithm == "adagram"
        }
        variant = by_alpha.get(PAPER["alpha"]) or by_alpha[0.1]
        model = self.models.get(variant)
        words = tested_words(experiment.name, self.data, model) if model else []
        if model is None or (words and (mean := float(np.diff(model.offsets)[words].mean())) >= MIN_SENSES):
            return ""
        found = f"{mean:.1f} senses each on average" if words else "none of them"
        return (
            f"{TOO_LITTLE}: of the words that it is about, {variant.label} has learned {found}, and {MIN_SENSES:g} are "
            "needed to compare senses. Give more text, or more --epochs."
        )

    @cached_property
    def heldout(self) -> NDArray[np.int32]:
        """Return the held-out text as word ids, lines concatenated as in training."""
        path, corpus = self._heldout_path(), self.models.corpus
        config = TokenizerConfig.from_dict(corpus.meta.get("tokenizer") or {})
        tokenize = make_tokenizer(config, corpus.vocabulary.index)
        ids = []
        with open_text(path, UTF8) as stream:
            for line in stream:
                ids.append(corpus.vocabulary.ids(tokenize(line.decode("utf-8"))))
        return np.concatenate([*ids, np.empty(0, np.int32)])

    def likelihood(self, trained: Trained, ids: NDArray[np.int32]) -> Floats:
        """Return log-likelihood and context words of pieces of text, (…, 2), cached in a file."""
        kept = self.settings.output / "likelihood" / LIKELIHOODS
        values = read_json(kept, {"*": [[float]]}, "a folder of likelihoods") if kept.is_file() else {}
        key = f"{self.models.folder(trained.variant).name}, text {hashlib.sha256(ids.tobytes()).hexdigest()[:10]}"
        if key not in values:
            values[key] = trained.model.predictor.likelihood(ids).parts.tolist()
            write_text(kept, json.dumps(values) + "\n", overwrite=True)
        return np.array(values[key])

    def _heldout_path(self) -> Path:
        if self.settings.heldout is not None:
            return self.settings.heldout
        beside = sorted(self.settings.corpus.parent.glob("heldout.txt*"))
        if not beside:
            raise MissingData("the likelihood needs text that was not trained on; give it by --heldout")
        return beside[0]


def tested_words(table: str, data: DataFolder, model: Model) -> list[int]:
    """Return the ids of the words whose senses a table compares; the most frequent ones if it names none."""
    if table in ("nn", "resolution"):
        words = list(PAPER["neighbours"] if table == "nn" else PAPER["resolution"])
    elif table in ("wsi", "fuzzy"):
        names = data.wsi_names() if table == "wsi" else ["SemEval-2013"]
        words = [find_word(model, target) or "" for name in names for target in gold_key(data.wsi(name))]
    elif table == "search":
        words = [query.text.split()[-1] for queries in data.search().values() for query in queries]
    elif table == "scws":
        words = [side.word for pair in data.scws for side in (pair.first, pair.second)]
    else:
        return list(range(min(MOST_FREQUENT, len(model.vocabulary))))
    return sorted({model.vocabulary.index[word] for word in words if word in model.vocabulary})


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str  # in a few words, with the paper's name for it
    variants: tuple[Variant, ...]  # models it needs
    run: Callable[[Setup], Result]
