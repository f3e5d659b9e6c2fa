"""The models that the experiments compare: kept by configuration and corpus, trained if missing, or resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adagram.config import ALGORITHMS, TrainConfig
from adagram.corpus.encoded import EncodedCorpus, is_encoded
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.model import Model
from adagram.training.checkpoint import Saving, has_checkpoint
from adagram.training.run import train_encoded

if TYPE_CHECKING:
    from adagram.training.progress import Report
    from adagram.types import ReportStage

CHECKPOINT_MINUTES = 2.0


@dataclass(frozen=True)
class Settings:
    corpus: Path  # any corpus, or a folder written by `adagram encode`
    output: Path
    data: Path | None = None  # folder of data sets: see scores.py
    heldout: Path | None = None  # text for the likelihood; without it heldout.txt* beside the corpus is taken
    base: TrainConfig = field(
        default_factory=partial(TrainConfig.from_preset, "paper")
    )  # what all models have in common
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


@dataclass(frozen=True)
class Trained:
    """A variant with its trained model."""

    variant: Variant
    model: Model


def adagram(alpha: float) -> Variant:
    return Variant(f"adagram-{alpha:g}", f"AdaGram α={alpha:g}", "adagram", alpha)


SKIPGRAM = Variant("skipgram", "Skip-gram", "skipgram")
SKIPGRAM_2D = Variant("skipgram-2d", "Skip-gram 2D", "skipgram", dim_factor=2)
SKIPGRAM_NS = Variant("skipgram-ns", "Skip-gram, neg. sampling", "skipgram-ns")
MPSG = Variant("mpsg", "MPSG", "mpsg")
MSSG = Variant("mssg", "MSSG", "mssg")


def np_mssg(threshold: float) -> Variant:
    return Variant(f"np-mssg{threshold:+g}", f"NP-MSSG λ={threshold:g}", "np-mssg", new_sense_below=threshold)


# The first is the threshold of its authors.
NP_MSSGS = tuple(np_mssg(threshold) for threshold in (-0.5, 0.5, 0.7))

# The order in which they are trained: the most needed first.
BY_IMPORTANCE = (
    *(adagram(alpha) for alpha in (0.1, 0.15)),
    *(MSSG, MPSG, np_mssg(0.7), SKIPGRAM, SKIPGRAM_NS),
    *(adagram(alpha) for alpha in (0.2, 0.25, 0.5, 0.05, 0.075)),
    *(SKIPGRAM_2D, np_mssg(0.5), np_mssg(-0.5)),
    *(adagram(alpha) for alpha in (1.0, 4.0, 16.0)),
)


def open_corpus(settings: Settings, callbacks: Callbacks) -> EncodedCorpus:
    """Open the encoded corpus, or encode the text once under the output folder."""
    if is_encoded(settings.corpus):
        return EncodedCorpus.open(settings.corpus)
    if not settings.corpus.exists():
        raise InputError(f"{settings.corpus} does not exist; give --corpus a text or an encoded corpus")
    identity = [_identity(settings.corpus), settings.min_count]
    folder = settings.output / "corpus" / _digest(identity)
    if is_encoded(folder):
        return EncodedCorpus.open(folder)
    callbacks.say(f"encoding {settings.corpus}")
    options = EncodeOptions(min_count=settings.min_count, threads=settings.base.n_threads)
    return encode(str(settings.corpus), folder, options, callbacks.encoding)


class TrainedModels:
    """All models of a run over one corpus."""

    def __init__(self, corpus: EncodedCorpus, settings: Settings, callbacks: Callbacks) -> None:
        self.corpus = corpus
        self._settings = settings
        self._listener = callbacks
        self._open: dict[str, Model] = {}

    def folder(self, variant: Variant) -> Path:
        # the number of threads does not change a model
        config = replace(variant.config(self._settings.base), threads=None).to_dict()
        digest = _digest([config, self.corpus.fingerprint])
        return self._settings.output / "models" / f"{variant.key}-{digest}"

    def get(self, variant: Variant) -> Model | None:
        """Return the model; None if it does not exist and must not be trained."""
        if variant.key not in self._open:
            model = self._load_or_train(variant)
            if model is None:
                return None
            self._open[variant.key] = model
        return self._open[variant.key]

    def _load_or_train(self, variant: Variant) -> Model | None:
        folder = self.folder(variant)
        if folder.is_dir():
            return Model.load(folder)
        if not self._settings.train_missing:
            return None
        resume = has_checkpoint(folder)
        self._listener.say(f"{'resuming' if resume else 'training'} {variant.label} in {folder}")
        saving = Saving(folder, CHECKPOINT_MINUTES, resume)
        train_encoded(self.corpus, variant.config(self._settings.base), saving, self._listener.training)
        return Model.load(folder)  # memory-mapped


def _identity(path: Path) -> Any:
    """Identify a corpus without reading it: names, sizes and modification times."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in files]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]
