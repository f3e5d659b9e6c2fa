"""Models kept under the output folder by configuration and corpus; trained when missing, resumed when interrupted."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from adagram.corpus import EncodeOptions, encode
from adagram.encoded import EncodedCorpus, is_encoded
from adagram.errors import InputError
from adagram.model import Model
from adagram.reproduce.lineup import Entry
from adagram.reproduce.settings import Listener, Settings
from adagram.training.checkpoint import Saving, checkpoint_folder, has_checkpoint
from adagram.training.run import train_encoded

CHECKPOINT_MINUTES = 2.0


def open_corpus(settings: Settings, listener: Listener) -> EncodedCorpus:
    """The encoded corpus: as given, or encoded once under the output folder."""
    if is_encoded(settings.corpus):
        return EncodedCorpus.open(settings.corpus)
    if not settings.corpus.exists():
        raise InputError(f"{settings.corpus} does not exist; give --corpus a text or an encoded corpus")
    identity = [_identity(settings.corpus), settings.min_count]
    folder = settings.output / "corpus" / _digest(identity)
    if is_encoded(folder):
        return EncodedCorpus.open(folder)
    listener.say(f"encoding {settings.corpus}")
    options = EncodeOptions(min_count=settings.min_count, threads=settings.base.n_threads)
    return encode(str(settings.corpus), folder, options, listener.reading)


class Zoo:
    """All models of a run over one corpus."""

    def __init__(self, corpus: EncodedCorpus, settings: Settings, listener: Listener) -> None:
        self.corpus = corpus
        self._settings = settings
        self._listener = listener
        self._open: dict[str, Model] = {}

    def folder(self, entry: Entry) -> Path:
        # the number of threads is no part of what a model is
        config = replace(entry.config(self._settings.base), threads=0).to_dict()
        digest = _digest([config, self.corpus.fingerprint])
        return self._settings.output / "models" / f"{entry.key}-{digest}"

    def get(self, entry: Entry) -> Model | None:
        """The model; None where it is not there and must not be trained."""
        if entry.key not in self._open:
            model = self._load_or_train(entry)
            if model is None:
                return None
            self._open[entry.key] = model
        return self._open[entry.key]

    def _load_or_train(self, entry: Entry) -> Model | None:
        folder = self.folder(entry)
        if folder.is_dir():
            return Model.load(folder)
        if not self._settings.train_missing:
            return None
        resume = has_checkpoint(checkpoint_folder(folder))
        self._listener.say(f"{'resuming' if resume else 'training'} {entry.label} in {folder}")
        saving = Saving(folder, CHECKPOINT_MINUTES, resume)
        train_encoded(self.corpus, entry.config(self._settings.base), saving, self._listener.training)
        return Model.load(folder)  # memory-mapped: many models side by side need little memory


def _identity(path: Path) -> Any:
    """What tells one corpus from another without reading it: names, sizes and times of change."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in files]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]
