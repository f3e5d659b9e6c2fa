"""The cards of a word's senses: label, collocates, examples and how often each was meant over time."""

from __future__ import annotations

from adagram.model.kept import KeptTrends
from adagram.model.model import Model
from adagram.web.explorer import Answer, Explorer


def cards(explorer: Explorer, word: str) -> Answer:
    """A card per sense, the most frequent first; empty where the model has no sense sheet or no counts over time."""
    model = explorer.model
    word = explorer.known(word)
    rows = model.rows(word)
    order = sorted(range(rows.start, rows.stop), key=lambda row: -float(model.priors[row]))
    series = _series(model, model.trends, word)
    return {
        "word": word,
        "epochs": model.trends.epochs if model.trends and series else [],
        "senses": [_card(model, row) | {"trend": series.get(row, [])} for row in order],
    }


def _card(model: Model, row: int) -> Answer:
    entry = model.sheet.entry(model, row) if model.sheet else None
    return {
        "sense": model.names([row])[0],
        "prior": float(model.priors[row]),
        "count": float(model.counts[row]),
        "label": model.label(row),
        "collocates": [vars(collocate) for collocate in entry.collocates] if entry else [],
        "examples": [vars(example) for example in entry.examples] if entry else [],
    }


def _series(model: Model, kept: KeptTrends | None, word: str) -> dict[int, list[float | None]]:
    """Shares of the word's uses by row, None for an epoch in which it does not occur."""
    if kept is None or not kept.has(model, word):
        return {}
    _, shares = kept.of_word(model, word)
    start = model.rows(word).start
    known = [[None if share != share else round(share, 4) for share in line] for line in shares.tolist()]
    return {start + i: line for i, line in enumerate(known)}
