"""Dated text about two topics, in which 'planted' means one or the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from adagram.corpus.documents import Document, make_document


def sentence(draw: np.random.Generator, topic: int) -> str:
    words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
    words[int(draw.integers(2, 8))] = "planted"
    return " ".join(words).capitalize() + "."


def dated_documents(shares: Sequence[float], per_year: int = 40, seed: int = 0) -> list[Document]:
    """Documents of one line; in year 2000 + i a share of them is about topic 1. Countries take turns."""
    draw = np.random.default_rng(seed)
    return [
        make_document(
            f"d{i}.{n}", sentence(draw, int(draw.random() < share)), {"year": 2000 + i, "country": "ABCD"[n % 4]}
        )
        for i, share in enumerate(shares)
        for n in range(per_year)
    ]


def write_jsonl(path: Path, documents: Iterable[Document]) -> Path:
    lines = (json.dumps({"text": d.text, "id": d.name, **d.fields}) for d in documents)
    path.write_text("\n".join(lines) + "\n")
    return path
