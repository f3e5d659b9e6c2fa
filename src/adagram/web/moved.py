"""What moved: senses that rise and fall, words that changed, and the newest words of a continued model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.model.trends import normalise
from adagram.types import Floats

if TYPE_CHECKING:
    from adagram.web.explorer import Explorer

N_NEW_WORDS, N_MOVED = 24, 8  # on the start page
MIN_CHANGED = 100  # uses of a word in both periods that are compared
Answer = dict[str, Any]


def new_words(explorer: Explorer) -> list[Answer]:
    """Return the most frequent words that the last text has added to a model that was continued."""
    before = explorer.model.info.get("seen", [])[:-1]
    n = before[-1].get("words") if before else None
    words = explorer.model.vocabulary.words[n:] if n else []
    found = sorted(filter(explorer.is_content, words), key=explorer.count, reverse=True)[:N_NEW_WORDS]
    return [{"word": word, "count": explorer.count(word)} for word in found]


def moved(explorer: Explorer) -> Answer:
    """Return the senses that rise and fall, as `adagram trends` has ranked them, and the words that changed most."""
    from adagram.analysis.trends import first_and_last

    kept, model = explorer.model.trends, explorer.model
    counts = kept.counts_of_model(model) if kept else None
    lists: dict[str, list[Answer]] = {"rising": [], "falling": []}
    if kept is None or counts is None:
        return {"period": [], **lists, "changed": []}
    shares = normalise("relative", counts, kept.words, model.offsets)
    for row in kept.ranked_rows(model):
        first, last = (float(share[0]) for share in first_and_last(shares[[row]]))
        found = lists["rising" if last > first else "falling"]
        if len(found) < N_MOVED and first != last:
            sense = model.names([row])[0]
            found.append({"sense": sense, "first": first, "last": last, "gist": explorer.gist(row)})
    ends = kept.epochs[:: len(kept.epochs) - 1 or 1]
    return {"period": ends, **lists, "changed": _changed(explorer, counts, kept.is_name)}


def _changed(explorer: Explorer, counts: Floats, is_name: NDArray[np.bool_]) -> list[Answer]:
    """Return the words whose senses differ most between the first and the last third of the epochs, without names."""
    from adagram.analysis.change import MIN_SHIFT, jensen_shannon

    offsets, third = explorer.model.offsets, max(1, counts.shape[1] // 3)
    seen = np.stack([counts[:, :third].sum(axis=1), counts[:, -third:].sum(axis=1)])  # (2, n_senses)
    of_word = np.add.reduceat(seen, offsets[:-1], axis=1)
    is_compared = (np.diff(offsets) > 1) & (of_word >= MIN_CHANGED).all(axis=0)
    if len(is_name) == len(is_compared):
        is_compared &= ~is_name
    found = []
    for w in np.flatnonzero(is_compared).tolist():
        word, start = explorer.model.vocabulary.words[w], int(offsets[w])
        share = seen[:, start : offsets[w + 1]] / of_word[:, w, None]
        shift = share[1] - share[0]
        if explorer.is_content(word) and shift.max() >= MIN_SHIFT:
            rows = start + int(shift.argmin()), start + int(shift.argmax())
            found.append((float(jensen_shannon(*share)), word, rows))
    return [
        {"word": word, "distance": distance, "lost": explorer.gist(rows[0]), "gained": explorer.gist(rows[1])}
        for distance, word, rows in sorted(found, reverse=True)[:N_MOVED]
    ]
