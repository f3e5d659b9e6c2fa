"""What every experiment works with: models, data and scores of one run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.evaluation.report import Resampling
from adagram.maths.special import Floats
from adagram.reproduce import paper
from adagram.reproduce.data import DataFolder, MissingData
from adagram.reproduce.judge import Judge
from adagram.reproduce.lineup import Entry, Ready
from adagram.reproduce.settings import Listener, Settings
from adagram.reproduce.zoo import Zoo, open_corpus
from adagram.text.files import open_bytes
from adagram.text.tokenizer import TokenizerConfig, make_tokenizer
from adagram.whole import write_text


class Lab:
    def __init__(self, settings: Settings, listener: Listener) -> None:
        self.settings = settings
        self.data = DataFolder(settings.data)
        self.how = Resampling(settings.resamples)
        self.judge = Judge(self.data, self.how)
        self.zoo = Zoo(open_corpus(settings, listener), settings, listener)
        self.say = listener.say

    def ready(self, entries: Iterable[Entry]) -> list[Ready]:
        """The entries whose models are there, or can be trained; at least one."""
        found = [(entry, self.zoo.get(entry)) for entry in entries]
        ready = [Ready(entry, model) for entry, model in found if model is not None]
        if not ready:
            names = ", ".join(entry.label for entry, _ in found)
            raise MissingData(f"no model is there yet of {names}; run without --trained-only")
        return ready

    @property
    def conditions(self) -> str:
        """In one paragraph, what differs from the paper."""
        base, corpus = self.settings.base, self.zoo.corpus
        read = corpus.meta.get("report", {}).get("tokens", len(corpus.tokens))
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
        path, corpus = self._heldout_path(), self.zoo.corpus
        config = TokenizerConfig.from_dict(corpus.meta.get("tokenizer") or {})
        tokenize = make_tokenizer(config, corpus.vocabulary.index)
        ids = []
        with open_bytes(path) as stream:
            for line in stream:
                ids.append(corpus.vocabulary.ids(tokenize(line.decode("utf-8", errors="replace"))))
        return np.concatenate([*ids, np.empty(0, np.int32)])

    def likelihood(self, ready: Ready, ids: NDArray[np.int32]) -> Floats:
        """Log-likelihood and context words of stretches of text, (…, 2); kept in a file, as it takes a minute."""
        kept = self.settings.output / "likelihood" / "parts.json"
        values: dict[str, list[list[float]]] = json.loads(kept.read_text()) if kept.is_file() else {}
        key = f"{self.zoo.folder(ready.entry).name}, text {hashlib.sha256(ids.tobytes()).hexdigest()[:10]}"
        if key not in values:
            values[key] = ready.model.likelihood(ids).parts.tolist()
            write_text(kept, json.dumps(values) + "\n")
        return np.array(values[key])

    def _heldout_path(self) -> Path:
        if self.settings.heldout is not None:
            return self.settings.heldout
        beside = sorted(self.settings.corpus.parent.glob("heldout.txt*"))
        if not beside:
            raise MissingData("the likelihood needs text that was not trained on; give it by --heldout")
        return beside[0]
