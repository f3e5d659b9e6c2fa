"""What every experiment works with: its models, data and scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.decode import UTF8, open_text
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.evaluation.protocol import find_word
from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi_data import gold_key
from adagram.experiments.reproduce import paper
from adagram.experiments.reproduce.models import (
    Callbacks,
    Settings,
    Trained,
    TrainedModels,
    Variant,
    open_corpus,
)
from adagram.experiments.reproduce.results import Result
from adagram.experiments.reproduce.scores import DataFolder, MissingData, Scores
from adagram.files.atomic import write_text
from adagram.files.json import read_json
from adagram.model import Model
from adagram.types import Floats

TOO_LITTLE = "Too little text for this table"
MIN_SENSES = 2.0  # of the words of a table, on average: below, AdaGram has not found the senses that the table compares
MOST_FREQUENT = 1000  # words that the tables of no words of their own are judged by
PARTS = "parts.json"  # cached log-likelihoods of pieces of text


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
            f"epochs {base.epochs}. The paper: {paper.TOKENS / 1e6:.0f} M words of Wikipedia, dim {paper.DIM}, "
            f"window {paper.WINDOW}, no subsampling, one epoch."
        )

    def warning(self, experiment: Experiment) -> str:
        """Say that the text is too short for a table, by the senses that AdaGram has learned of its words; or ""."""
        by_alpha = {
            variant.alpha: variant for variant in experiment.variants if variant.algorithm == "adagram"
        }
        variant = by_alpha.get(paper.ALPHA) or by_alpha[0.1]
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


def tested_words(table: str, data: DataFolder, model: Model) -> list[int]:
    """Return the ids of the words whose senses a table compares; the most frequent ones if it names none."""
    if table in ("nn", "resolution"):
        words = list(paper.NEIGHBOURS if table == "nn" else paper.RESOLUTION)
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
