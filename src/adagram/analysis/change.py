"""Measure how much the use of words differs between two periods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.epochs import Dating, parse_epoch
from adagram.analysis.uses import each_use
from adagram.corpus.documents import Document
from adagram.errors import InputError
from adagram.model import Model
from adagram.types import Floats

RESAMPLES = 200
LEVEL = 0.95  # of the intervals
_HALVINGS = 10  # an end of an interval is found to a thousandth of its range
MAX_CELLS = 1 << 26  # counts of resamples held: 256 MB
MIN_SHIFT = 0.05  # change of a sense's share below which it was neither gained nor lost
_MONTHS = r"\d{4}[-/.]?\d{1,2}", "1999-05, 1999-05..2003-07 or 1999-05-2003-07"
_PERIODS = {  # how an end of a period is written, and examples
    "year": (r"\d{4}", "1999, 1946-1970 or 1946..1970"),
    "decade": (r"\d{4}s?", "1990s, 1940s-1970s or 1940..1970"),
    "month": _MONTHS,
    "quarter": _MONTHS,
}


@dataclass(frozen=True)
class Period:
    first: float
    last: float
    name: str


@dataclass(frozen=True)
class Counts:
    """Uses of each sense in two periods, as they are and in resamples of the documents."""

    seen: Floats  # (2, n_senses)
    drawn: NDArray[np.float32]  # (2, n_senses, n_resamples)
    documents: tuple[int, int]


@dataclass(frozen=True)
class WordChange:
    word: str
    distance: float  # Jensen-Shannon distance of the sense distributions, 0 to 1
    low: float  # 95 % interval; 0 if the periods may not differ
    high: float
    before: float  # uses in either period
    after: float
    gained: str  # the sense whose share rose most, "" if none rose by MIN_SHIFT
    lost: str


def parse_period(text: str, unit: str) -> Period:
    """Return the period `1999`, or the range `1946-1970` or `1946..1970` with both ends in it.

    Ends are written as exactly as epochs are: with years `2001-03` is refused, which may be a month or three years.

    >>> parse_period("1946-1970", "year").name, parse_period("1999-05-2003-07", "month").name
    ('1946..1970', '1999-05..2003-07')
    """
    end, examples = _PERIODS[unit]
    found = re.fullmatch(rf"\s*({end})(?:\s*(?:\.\.|[-–—])\s*({end}))?\s*", text)
    first, last = (parse_epoch(found and (found[i] or found[1]), unit) for i in (1, 2))
    if first is None or last is None:
        raise InputError(f"'{text}' is not a {unit} or a range of them; write {examples}, or give another --epoch")
    if last < first:
        raise InputError(f"the period '{text}' ends before it begins")
    return Period(first.time, last.time, first.name if first == last else f"{first.name}..{last.name}")


def count_periods(
    model: Model,
    documents: Iterable[Document],
    dating: Dating,
    periods: tuple[Period, Period],
    threads: int | None = None,
    seed: int = 0,
) -> Counts:
    """Count in one pass; each resample draws every document a Poisson(1) number of times, so none has to be kept.

    If the dating has sources, they are drawn with all their documents: what one of them says is not independent.
    """
    from adagram.analysis._counting import tally, tally_drawn

    if periods[0].first <= periods[1].last and periods[1].first <= periods[0].last:
        raise InputError(f"the periods {periods[0].name} and {periods[1].name} overlap")
    resamples = max(10, min(RESAMPLES, MAX_CELLS // (2 * model.n_senses)))
    seen = np.zeros((2, model.n_senses))
    drawn = np.zeros((2, model.n_senses, resamples), np.float32)
    rng = np.random.default_rng(seed)
    n_documents = np.zeros(2, np.int64)
    for uses in each_use(model, documents, threads):
        slots = np.array([_slot(document, dating, periods) for document in uses.documents])
        n_documents += np.bincount(slots[slots >= 0], minlength=2)
        draws = rng.poisson(1.0, (len(slots), resamples)).astype(np.float32)
        if dating.source:
            for d in np.flatnonzero(slots >= 0).tolist():
                of_source = crc32(str(dating.source_of(uses.documents[d])).encode())
                draws[d] = np.random.default_rng([seed, of_source]).poisson(1.0, resamples)
        tally(uses.by_document, slots, seen, False)
        tally_drawn(uses.by_document, draws, slots, drawn)
    for period, n in zip(periods, n_documents, strict=True):
        if n == 0:
            raise InputError(f"no document falls into the period {period.name}")
    return Counts(seen, drawn, (int(n_documents[0]), int(n_documents[1])))


def _slot(document: Document, dating: Dating, periods: tuple[Period, Period]) -> int:
    """The period of a document: 0, 1, or -1 if it is in neither or has no source."""
    epoch = None if dating.source_of(document) is None else dating.epoch_of(document)
    is_in = [epoch is not None and period.first <= epoch.time <= period.last for period in periods]
    return is_in.index(True) if any(is_in) else -1


def find_changes(model: Model, counts: Counts, min_count: float = 50.0) -> list[WordChange]:
    """Words with several senses and `min_count` uses in both periods, the most changed first.

    Words whose interval contains no change come after all others.
    """
    offsets = model.offsets
    of_word = np.add.reduceat(counts.seen, offsets[:-1], axis=1)
    chosen = np.flatnonzero((np.diff(offsets) > 1) & (of_word >= min_count).all(axis=0))
    if len(chosen) == 0:
        raise InputError(f"no word with several senses occurs {min_count:g} times in both periods; lower --min-count")
    changes = [_change(model, counts, int(w)) for w in chosen]
    return sorted(changes, key=lambda change: (change.low == 0.0, -change.distance))


def _change(model: Model, counts: Counts, w: int) -> WordChange:
    rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
    seen = counts.seen[:, rows]
    share = seen / seen.sum(axis=1, keepdims=True)
    drawn = counts.drawn[:, rows].astype(np.float64).transpose(0, 2, 1)  # (2, n_resamples, n_senses)
    mass = drawn.sum(axis=2, keepdims=True)
    drawn = np.divide(drawn, mass, out=np.broadcast_to(share[:, None], drawn.shape).copy(), where=mass > 0)
    low, high = interval(share, seen.sum(axis=0) / seen.sum(), drawn - share[:, None])
    shift, names = share[1] - share[0], model.names(rows)
    gained, lost = int(shift.argmax()), int(shift.argmin())
    return WordChange(
        model.vocabulary.words[w],
        float(jensen_shannon(share[0], share[1])),
        low,
        high,
        float(seen[0].sum()),
        float(seen[1].sum()),
        names[gained] if shift[gained] >= MIN_SHIFT else "",
        names[lost] if shift[lost] <= -MIN_SHIFT else "",
    )


def interval(share: Floats, common: Floats, noise: Floats) -> tuple[float, float]:
    """Return the distances that `share` (2, n_senses) agrees with, given the noise of its resamples.

    Suppose that the true shares of both periods lie s times as far from their `common` shares as those found. The
    supposition is kept if the distance found errs by no more than LEVEL of the resamples do. The ends of the interval
    are the distances of the least and the largest s that are kept; s = 0 is no change, the distance 0.
    """
    found = float(jensen_shannon(share[0], share[1]))

    def suppose(s: float) -> tuple[float, float]:
        """The distance at s, and the error that LEVEL of the resamples do not exceed."""
        supposed = _shares(common + s * (share - common))
        drawn = _shares(supposed[:, None] + noise)
        distance = float(jensen_shannon(supposed[0], supposed[1]))
        return distance, float(np.quantile(np.abs(jensen_shannon(drawn[0], drawn[1]) - distance), LEVEL))

    def end(kept: float, outside: float) -> float:
        for _ in range(_HALVINGS):
            s = (kept + outside) / 2.0
            distance, error = suppose(s)
            kept, outside = (s, outside) if abs(found - distance) <= error else (kept, s)
        return suppose(kept)[0]

    _, error = suppose(0.0)
    low = 0.0 if found <= error else end(1.0, 0.0)
    return low, end(1.0, 1.0 + 2.0 * error / found) if found > 0 else error


def _shares(values: Floats) -> Floats:
    """Values made shares: none below 0, their sum 1."""
    values = np.maximum(values, 0.0)
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """√(H((p+q)/2) - (H(p)+H(q))/2) in base 2, over the last axis: 0 for equal distributions, 1 for disjoint ones."""
    from scipy.special import entr

    H_m, H_p, H_q = (entr(x).sum(axis=-1) / np.log(2.0) for x in ((p + q) / 2.0, p, q))
    return np.asarray(np.sqrt(np.clip(H_m - (H_p + H_q) / 2.0, 0.0, 1.0)))
