"""The map of the vocabulary: the layout of all senses, made once in a thread, and its bytes for the page."""

from __future__ import annotations

import json
import threading

import numpy as np

from adagram.errors import AdagramError
from adagram.model import Model
from adagram.model.layout import (
    Layout,
    keep_layout,
    make_layout,
    read_layout,
    shown_layout,
    usual_method,
)

WAIT = 2.0  # seconds that a request waits for the layout
INSTALL = 'pip install "adagram[map]"'


class FailedError(AdagramError):
    """The layout could not be made."""


class VocabularyMap:
    """The layout of a model's learned senses: read from its folder, or made at the first request."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.layout: Layout | None = read_layout(model)
        self.note = ""  # why the layout was not kept
        self._failure = ""
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def ready(self) -> bool:
        """Return whether there is a layout; if not, begin to make it and wait a little."""
        with self._lock:
            if self._failure:
                raise FailedError(self._failure)
            if self.layout is None and self._thread is None:
                self._thread = threading.Thread(target=self._make, daemon=True)
                self._thread.start()
        if self.layout is None and self._thread:
            self._thread.join(WAIT)
        return self.layout is not None

    def waiting(self) -> str:
        """Say what is being done."""
        n = f"{self.model.learned.n_senses:,} senses are placed on the map"
        if usual_method() == "umap":
            return f"{n} with UMAP. This is done once and takes some minutes; the other views work meanwhile."
        return f"{n} by their principal components. This is done once and takes some seconds."

    def _make(self) -> None:
        try:
            layout = make_layout(self.model)
            why = keep_layout(layout, self.model)
            self.note = f"The map could not be kept and will be made again: {why}." if why else ""
            self.layout = layout
        except Exception as error:  # of a thread: the next request reports it
            self._failure = f"the map could not be made: {error}"

    def packed(self, model: Model) -> bytes:
        """Return the map of the senses that `model` shows.

        Four bytes with the length of a JSON header, the header, then little-endian arrays: x, y and number of each
        sense and the senses of each word (uint16), theme and size of each sense (uint8); then the words, a line each.
        """
        assert self.layout is not None
        shown = shown_layout(self.layout, model)
        rows = np.flatnonzero(shown.themes >= 0)
        words = np.searchsorted(model.offsets, rows, side="right") - 1
        numbers = rows - model.offsets[words] if model.curation is None else model.curation.numbers[rows]
        sizes = np.log1p(np.asarray(model.counts)[rows])
        points = np.round(shown.points[rows] * 65535)
        pip = "" if shown.method == "umap" else INSTALL
        header = {
            "senses": len(rows),
            "left_out": model.n_senses - len(rows),
            "words": len(model.vocabulary),
            "themes": shown.names,
            "method": shown.method,
            "better": pip,
            "note": self.note,
        }
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 4)
        short = [points[:, 0], points[:, 1], numbers, np.bincount(words, minlength=len(model.vocabulary))]
        tiny = [shown.themes[rows], np.round(sizes * (255 / max(float(sizes.max(initial=0.0)), 1e-12)))]
        parts = [len(text).to_bytes(4, "little"), text]
        parts += [np.asarray(values).astype("<u2").tobytes() for values in short]
        parts += [np.asarray(values).astype(np.uint8).tobytes() for values in tiny]
        return b"".join([*parts, "\n".join(model.vocabulary.words).encode()])
