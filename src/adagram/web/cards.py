"""The cards of a word's senses: label, neighbours, collocates, examples and how often each was meant over time."""

from __future__ import annotations

from pathlib import PurePath

from adagram.model.model import Model
from adagram.model.sheet import Collocate, Example
from adagram.model.trends import KeptTrends
from adagram.web.alignment import cut
from adagram.web.explorer import Answer, Explorer

COLLOCATES = 12


def cards(explorer: Explorer, word: str, top: int = 8) -> Answer:
    """A card per sense, the most frequent first; what the model has no sheet or no counts over time for is empty."""
    model = explorer.model
    word = explorer.known(word)
    series = _series(model, model.trends, word)
    return {
        "word": word,
        "count": int(model.vocabulary.counts[model.vocabulary.index[word]]),
        "epochs": model.trends.epochs if model.trends and series else [],
        "senses": [
            card(explorer, row, top) | {"trend": series.get(row, [])} for row in explorer.shown.by_share(word)
        ],
    }


def card(explorer: Explorer, row: int, top: int) -> Answer:
    model = explorer.model
    entry = model.sheet.entry(model, row) if model.sheet else None
    name = model.names([row])[0]
    return {
        "sense": name,
        "prior": float(model.priors[row]),
        "count": float(model.counts[row]),
        "label": model.label(row),
        "is_labelled": model.curation is not None and row in model.curation.labels,
        "gist": explorer.shown.gist(row),
        "is_marginal": explorer.shown.is_marginal(row),
        "neighbours": explorer.neighbours_of(row, top),
        "collocates": [vars(c) for c in _telling(explorer, entry.collocates)] if entry else [],
        "examples": [_parted(model, example, name) for example in entry.examples] if entry else [],
    }


def _telling(explorer: Explorer, collocates: list[Collocate]) -> list[Collocate]:
    """The strongest collocates that are content words."""
    return [c for c in collocates if explorer.shown.is_content(c.word)][:COLLOCATES]


def _parted(model: Model, example: Example, sense: str) -> Answer:
    """An example cut around the word; the document by its name, without the folders of this machine."""
    word = sense.rpartition("#")[0]
    pieces = cut(model, example.text)
    at = next((i for i, piece in enumerate(pieces) if piece.word == word), len(pieces))
    left, right = ("".join(piece.text for piece in part) for part in (pieces[:at], pieces[at + 1 :]))
    return {
        "left": left,
        "match": pieces[at].text if at < len(pieces) else "",
        "right": right,
        "document": PurePath(example.document).name,
        "date": example.date,
        "posterior": example.posterior,
    }


def _series(model: Model, kept: KeptTrends | None, word: str) -> dict[int, list[float | None]]:
    """Shares of the word's uses by row, None for an epoch in which it does not occur."""
    if kept is None or not kept.has(model, word):
        return {}
    _, shares = kept.of_word(model, word)
    start = model.rows(word).start
    known = [[None if share != share else round(share, 4) for share in line] for line in shares.tolist()]
    return {start + i: line for i, line in enumerate(known)}
