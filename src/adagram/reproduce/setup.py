"""What a reproduction run is told, and what every experiment works with: its models, data and scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.config import TrainConfig
from adagram.evaluation.report import Resampling
from adagram.reproduce import paper
from adagram.reproduce.data import DataFolder, MissingData
from adagram.reproduce.models import Trained, TrainedModels, Variant, open_corpus
from adagram.reproduce.scores import Scores
from adagram.text.encodings import UTF8, open_text
from adagram.text.tokenizer import TokenizerConfig, make_tokenizer
from adagram.whole import read_json, write_text

if TYPE_CHECKING:
    from adagram.corpus import Progress as Encoding
    from adagram.training.progress import Report

PARTS = "parts.json"  # log-likelihoods of stretches of text, kept for the next run


@dataclass(frozen=True)
class Settings:
    corpus: Path  # any corpus, or a folder written by `adagram encode`
    output: Path
    data: Path | None = None  # folder of data sets: see `adagram.reproduce.data`
    heldout: Path | None = None  # text for the likelihood; without it heldout.txt* beside the corpus is taken
    base: TrainConfig = field(default_factory=TrainConfig)  # what all models have in common
    min_count: int = 20
    resamples: int = 1000  # for the confidence intervals
    train_missing: bool = True  # False: report on the models that are there
    overwrite: bool = False  # do experiments again that are done


def _ignore(*news: object) -> None:
    pass


@dataclass(frozen=True)
class Listener:
    """Who hears of the progress."""

    say: Callable[[str], None] = _ignore
    training: Report = _ignore
    encoding: Encoding | None = None


class Setup:
    """The models, data and scores of one run."""

    def __init__(self, settings: Settings, listener: Listener) -> None:
        self.settings = settings
        self.data = DataFolder(settings.data)
        self.how = Resampling(settings.resamples)
        self.scores = Scores(self.data, self.how)
        self.models = TrainedModels(open_corpus(settings, listener), settings, listener)
        self.say = listener.say

    def trained(self, variants: Iterable[Variant]) -> list[Trained]:
        """The variants whose models are there, or can be trained; at least one."""
        found = [(variant, self.models.get(variant)) for variant in variants]
        trained = [Trained(variant, model) for variant, model in found if model is not None]
        if not trained:
            names = ", ".join(variant.label for variant, _ in found)
            raise MissingData(f"no model is there yet of {names}; run without --trained-only")
        return trained

    @property
    def conditions(self) -> str:
        """In one paragraph, what differs from the paper."""
        base, corpus = self.settings.base, self.models.corpus
        read = (corpus.meta.get("report") or {}).get("tokens", len(corpus.tokens))
        subsampling = f"subsampling {base.subsample:g}" if base.subsample else "no subsampling"
        return (
            f"Ours: {read / 1e6:.1f} M words ({len(corpus.tokens) / 1e6:.1f} M in the vocabulary of "
            f"{len(corpus.vocabulary):,} words), dim {base.dim}, window {base.window}, {subsampling}, "
            f"epochs {base.epochs}. The paper: {paper.TOKENS / 1e6:.0f} M words of Wikipedia, dim {paper.DIM}, "
            f"window {paper.WINDOW}, no subsampling, one epoch."
        )

    @cached_property
    def heldout(self) -> NDArray[np.int32]:
        """The held-out text as word ids; lines follow each other, as in training."""
        path, corpus = self._heldout_path(), self.models.corpus
        config = TokenizerConfig.from_dict(corpus.meta.get("tokenizer") or {})
        tokenize = make_tokenizer(config, corpus.vocabulary.index)
        ids = []
        with open_text(path, UTF8) as stream:
            for line in stream:
                ids.append(corpus.vocabulary.ids(tokenize(line.decode("utf-8"))))
        return np.concatenate([*ids, np.empty(0, np.int32)])

    def likelihood(self, trained: Trained, ids: NDArray[np.int32]) -> Floats:
        """Log-likelihood and context words of stretches of text, (…, 2); kept in a file, as it takes a minute."""
        kept = self.settings.output / "likelihood" / PARTS
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
