"""What every experiment works with: the models that it compares, the data sets, and the scores of the models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.config import ALGORITHMS, TrainConfig
from adagram.corpus.encoded import EncodedCorpus, is_encoded
from adagram.corpus.encoder import encode
from adagram.corpus.options import DocumentOptions, EncodeOptions
from adagram.corpus.readers import ids_of_text, read_as_trained
from adagram.errors import InputError
from adagram.evaluation.report import Evaluation, Resampling
from adagram.evaluation.search import Query, read_search_set
from adagram.evaluation.similarity import RatedPair, read_scws
from adagram.evaluation.wsi import ContextRule, disambiguate, graded_answers, score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Instance, Key, gold_key, read_instances
from adagram.model import Model
from adagram.training.checkpoint import Saving, has_checkpoint
from adagram.training.run import train_encoded

if TYPE_CHECKING:
    from adagram.training.progress import Report
    from adagram.types import ReportStage

PAPER = json.loads(  # its values
    resources.files(__package__).joinpath("paper.json").read_text(encoding="utf-8")
)
CHECKPOINT_MINUTES = 2.0


@dataclass(frozen=True)
class Settings:
    corpus: Path  # any corpus, or a folder written by `adagram encode`
    output: Path
    data: Path | None = None  # folder of data sets: see WSI_SETS, SEARCH_SETS, SCWS_FILE
    heldout: Path | None = None  # text for the likelihood; without it heldout.txt* beside the corpus is taken
    base: TrainConfig = field(  # what all models have in common
        default_factory=partial(TrainConfig.from_preset, "paper")
    )
    min_count: int = 20
    resamples: int = 1000  # for the confidence intervals
    train_missing: bool = True  # False: report on the models that are there
    overwrite: bool = False  # do experiments again that are done


def _ignore(*arguments: object) -> None:
    pass


@dataclass(frozen=True)
class Callbacks:
    """Functions called with the progress of a run."""

    say: Callable[[str], None] = _ignore
    training: Report = _ignore
    encoding: ReportStage | None = None


@dataclass(frozen=True)
class Variant:
    """One model: the run's common configuration with a few changes."""

    key: str  # begins the name of its folder
    label: str
    algorithm: str
    alpha: float | None = None
    dim_factor: int = 1
    new_sense_below: float | None = None

    def config(self, base: TrainConfig) -> TrainConfig:
        given: dict[str, Any] = {"alpha": self.alpha, "new_sense_below": self.new_sense_below}
        changes = {name: value for name, value in given.items() if value is not None}
        # All are trained on the same text, so stop words stay in it.
        authors = {n: value for n, value in ALGORITHMS[self.algorithm].defaults.items() if n != "stop_words"}
        return replace(base, algorithm=self.algorithm, dim=base.dim * self.dim_factor, **authors | changes)

    @property
    def in_paper(self) -> str:
        """Key of the paper's values; the paper has one NP-MSSG, without its threshold."""
        return self.algorithm if self.algorithm == "np-mssg" else self.key


def adagram(*alphas: float) -> tuple[Variant, ...]:
    return tuple(Variant(f"adagram-{a:g}", f"AdaGram α={a:g}", "adagram", a) for a in alphas)


def np_mssg(*thresholds: float) -> tuple[Variant, ...]:
    return tuple(Variant(f"np-mssg{t:+g}", f"NP-MSSG λ={t:g}", "np-mssg", new_sense_below=t) for t in thresholds)


Models = dict[Variant, Model]
SKIPGRAM = Variant("skipgram", "Skip-gram", "skipgram")
SKIPGRAM_2D = Variant("skipgram-2d", "Skip-gram 2D", "skipgram", dim_factor=2)
SKIPGRAM_NS = Variant("skipgram-ns", "Skip-gram, neg. sampling", "skipgram-ns")
MPSG = Variant("mpsg", "MPSG", "mpsg")
MSSG = Variant("mssg", "MSSG", "mssg")
NP_MSSGS = np_mssg(-0.5, 0.5, 0.7)  # the first is the threshold of its authors

WSI_SETS = {
    "SemEval-2007": "semeval2007/contexts.tsv",
    "SemEval-2010": "semeval2010/contexts.tsv",
    "SemEval-2013": "semeval2013-13/contexts.tsv",
    "WWSI": "wwsi/train.tsv",
    "Senseval": "senseval/contexts.tsv",
}
SEARCH_SETS = {"SemEval-2013 task 11": "semeval2013-11", "AMBIENT": "ambient", "MORESQUE": "moresque"}
SCWS_FILE = "scws/ratings.txt"


class MissingData(InputError):
    """Raised if an experiment lacks its data; other experiments can still run."""


class DataFolder:
    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.wsi = cache(lambda name: read_instances(self._path(WSI_SETS[name])))
        if folder is not None and not folder.is_dir():
            raise InputError(f"{folder} is not a folder; give --data the folder of the data sets")

    def has(self, place: str) -> bool:
        return self._folder is not None and (self._folder / place).exists()

    def _path(self, place: str) -> Path:
        if self._folder is None:
            raise MissingData(f"{place} is needed; give the folder of the data sets by --data")
        if not self.has(place):
            raise MissingData(f"{self._folder / place} does not exist")
        return self._folder / place

    def wsi_names(self) -> list[str]:
        return list(self._available(WSI_SETS, "WWSI"))

    def search(self) -> dict[str, list[Query]]:
        return {name: read_search_set(path) for name, path in self._available(SEARCH_SETS, "AMBIENT").items()}

    def _available(self, sets: dict[str, str], usual: str) -> dict[str, Path]:
        """Return the available sets; MissingData, with the usual one, if there is none."""
        names = [name for name, place in sets.items() if self.has(place)]
        return {name: self._path(sets[name]) for name in names or [usual]}

    @cached_property
    def scws(self) -> list[RatedPair]:
        return read_scws(self._path(SCWS_FILE))


DEFAULT_WINDOW = 5
WINDOWS = (2, 3, 5, 7, 10, 15)
TUNING_SET = "SemEval-2010"
FIRST = "first half"
PARTS = ("all", FIRST, "second half")


def first_half(instances: list[Instance]) -> frozenset[str]:
    """Return the alphabetically first half of the target words, used for choices.

    >>> first_half([Instance(word, "1", "", "") for word in "cab"])
    frozenset({'a'})
    """
    targets = sorted({instance.target for instance in instances})
    return frozenset(targets[: len(targets) // 2])


class Setup:
    """The models, data and scores of one run."""

    def __init__(self, settings: Settings, callbacks: Callbacks) -> None:
        self.settings, self.callbacks, self.say = settings, callbacks, callbacks.say
        self.data = DataFolder(settings.data)
        self.how = Resampling(settings.resamples)
        self._models: dict[Variant, Model] = {}
        self._hard = cache(partial(self._graded, share=1.0))

    @cached_property
    def corpus(self) -> EncodedCorpus:
        """The encoded corpus; text is encoded once, under the output folder."""
        settings = self.settings
        if is_encoded(settings.corpus):
            return EncodedCorpus.open(settings.corpus)
        if not settings.corpus.exists():
            raise InputError(f"{settings.corpus} does not exist; give --corpus a text or an encoded corpus")
        found = [settings.corpus, *settings.corpus.rglob("*")]
        files = sorted((str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in found if p.is_file())
        folder = settings.output / "corpus" / _digest([files, settings.min_count])
        if is_encoded(folder):
            return EncodedCorpus.open(folder)
        self.say(f"encoding {settings.corpus}")
        options = EncodeOptions(min_count=settings.min_count, threads=settings.base.n_threads)
        return encode(str(settings.corpus), folder, options, self.callbacks.encoding)

    def folder(self, variant: Variant) -> Path:
        """Return the folder of a model, named by its configuration and corpus."""
        # the number of threads does not change a model
        config = replace(variant.config(self.settings.base), threads=None).to_dict()
        return self.settings.output / "models" / f"{variant.key}-{_digest([config, self.corpus.fingerprint])}"

    def model(self, variant: Variant) -> Model | None:
        """Return the model, trained or resumed if it is missing; None if it must not be trained."""
        folder = self.folder(variant)
        if variant not in self._models:
            if not folder.is_dir():
                if not self.settings.train_missing:
                    return None
                resume = has_checkpoint(folder)
                self.say(f"{'resuming' if resume else 'training'} {variant.label} in {folder}")
                saving = Saving(folder, CHECKPOINT_MINUTES, resume)
                config = variant.config(self.settings.base)
                train_encoded(self.corpus, config, saving, self.callbacks.training)
            self._models[variant] = Model.load(folder)  # memory-mapped
        return self._models[variant]

    def trained(self, variants: Iterable[Variant]) -> Models:
        """Return the models of variants that are trained, or can be; at least one."""
        found = {variant: self.model(variant) for variant in variants}
        trained = {variant: model for variant, model in found.items() if model is not None}
        if not trained:
            names = ", ".join(variant.label for variant in found)
            raise MissingData(f"no model is there yet of {names}; run without --trained-only")
        return trained

    def wsi(
        self, variant: Variant, name: str, window: int, part: str = "all", how: Resampling | None = None
    ) -> Evaluation:
        """Score the most probable senses on a set, or on one half of its words."""
        instances = self.data.wsi(name)
        gold, answers = gold_key(instances), self._hard(variant, name, window)
        half = first_half(instances)
        chosen = {target for target in gold if part == "all" or (target in half) == (part == FIRST)}
        gold, answers = ({t: key[t] for t in key if t in chosen} for key in (gold, answers))
        return score_wsi(gold, answers, how or self.how)

    def fuzzy(self, variant: Variant, name: str, window: int, share: float) -> Evaluation:
        """Score graded answers."""
        answers = self._graded(variant, name, window, share)
        return score_fuzzy(gold_key(self.data.wsi(name)), answers, self.how)

    def _graded(self, variant: Variant, name: str, window: int, share: float) -> Key:
        model = self.trained([variant])[variant]
        found = disambiguate(model, self.data.wsi(name), ContextRule(window))
        return graded_answers(model, found, share)

    def tuning(self, variant: Variant) -> dict[int, float]:
        """Return the ARI on the development half for every window; empty if the set is missing."""
        if not self.data.has(WSI_SETS[TUNING_SET]):
            return {}
        none = Resampling(0)
        return {w: self.wsi(variant, TUNING_SET, w, FIRST, none).value("ARI") for w in WINDOWS}

    def window(self, variant: Variant) -> int:
        """Return the window with the best ARI on the development half; the paper too chose one per system."""
        found = self.tuning(variant)
        return max(found, key=lambda window: found[window]) if found else DEFAULT_WINDOW

    @property
    def conditions(self) -> str:
        """Describe in one paragraph what differs from the paper."""
        base, corpus = self.settings.base, self.corpus
        read = (corpus.meta.get("report") or {}).get("tokens", len(corpus.tokens))
        subsampling = f"subsampling {base.subsample:g}" if base.subsample else "no subsampling"
        return (
            f"Ours: {read / 1e6:.1f} M words ({len(corpus.tokens) / 1e6:.1f} M in the vocabulary of "
            f"{len(corpus.vocabulary):,} words), dim {base.dim}, window {base.window}, {subsampling}, "
            f"epochs {base.epochs}. The paper: 990 M words of Wikipedia, dim 300, "
            "window 5, no subsampling, one epoch."
        )

    @cached_property
    def heldout(self) -> NDArray[np.int32]:
        """The held-out text as word ids, lines concatenated as in training."""
        beside = sorted(self.settings.corpus.parent.glob("heldout.txt*"))
        path = self.settings.heldout or next(iter(beside), None)
        if path is None:
            raise MissingData("the likelihood needs text that was not trained on; give it by --heldout")
        info = {"tokenizer": self.corpus.meta.get("tokenizer"), "corpus": self.corpus.meta}
        documents, _ = read_as_trained([path], info, DocumentOptions())
        return ids_of_text(documents, info, self.corpus.vocabulary)[0]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]
