"""The uses of one word in a corpus: keyword in context, examples and collocates without a sense sheet."""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from adagram.desk.examples import quality, sentence_bounds
from adagram.errors import InputError
from adagram.maths.collocation import log_dice, log_likelihood_ratio
from adagram.model import Model
from adagram.model.sheet import Collocate, Example, different
from adagram.text.documents import Document

CANDIDATES = 20  # per example that is asked for


@dataclass(frozen=True)
class Hit:
    """One use of a word, as it stands in the text."""

    left: str
    keyword: str
    right: str
    sentence: str
    row: int  # of the likeliest sense
    probability: float
    around: list[str]  # the known words of its window
    document: str
    date: str


def find_uses(
    model: Model,
    word: str,
    documents: Iterable[Document],
    date_of: Callable[[Document], str],
    width: int = 60,
) -> Iterator[Hit]:
    """All uses of a word in order; left and right have up to `width` characters of the line.

    A corpus without any is an error.
    """
    w, is_found = model.vocabulary.id(word), False
    pattern = _pattern(model, word)
    for document in documents:
        for line in document.text.split("\n"):
            if not pattern.search(line):
                continue
            ids = model.vocabulary.ids(model.tokenize(line))
            at = np.flatnonzero(ids == w)
            if len(at) == 0:
                continue
            is_found = True
            posteriors = model.predictor.in_text(ids, np.array([len(ids)], dtype=np.int64))
            found = list(pattern.finditer(line))
            bounds = sentence_bounds(line)
            for n, i in enumerate(at.tolist()):
                match = found[min(n, len(found) - 1)]
                posterior = posteriors[i]
                k = int(posterior.argmax())
                around = np.delete(
                    ids[max(0, i - model.config.window) : i + model.config.window + 1],
                    min(i, model.config.window),
                )
                s = bisect_right(bounds, match.start()) - 1
                yield Hit(
                    line[max(0, match.start() - width) : match.start()],
                    match[0],
                    line[match.end() : match.end() + width],
                    " ".join(line[bounds[s] : bounds[s + 1]].split()),
                    int(model.offsets[w]) + k,
                    float(posterior[k]),
                    [model.vocabulary.words[c] for c in around],
                    document.name,
                    date_of(document),
                )
    if not is_found:
        raise InputError(f"the corpus has no use of '{word}'; look in another, or for another word")


def _pattern(model: Model, word: str) -> re.Pattern[str]:
    """The word as a whole in text, in any case; the parts of a phrase with anything but letters between them."""
    joiner = str((model.info.get("tokenizer") or {}).get("phrase_joiner") or "")
    parts = word.split(joiner) if joiner else [word]
    return re.compile(r"(?<!\w)" + r"\W+".join(map(re.escape, parts)) + r"(?!\w)", re.IGNORECASE)


def examples_of(model: Model, word: str, hits: Iterable[Hit], per_sense: int) -> dict[int, list[Example]]:
    """The best sentences of each sense of a word, by row."""
    rows = model.rows(word)
    heaps: dict[int, list[tuple[float, int, Example]]] = {row: [] for row in range(rows.start, rows.stop)}
    for n, hit in enumerate(hits):
        good = float(quality(np.array([len(hit.sentence.split())]))[0])
        example = Example(hit.sentence, hit.document, hit.date, hit.probability)
        item = (hit.probability * good, -n, example)
        heap = heaps[hit.row]
        if good > 0 and len(heap) < CANDIDATES * per_sense:
            heapq.heappush(heap, item)
        elif good > 0:
            heapq.heappushpop(heap, item)
    return {
        row: different((x for *_, x in sorted(heap, reverse=True)), per_sense) for row, heap in heaps.items()
    }


def collocates_of(model: Model, row: int, hits: Iterable[Hit], top: int = 20) -> list[Collocate]:
    """The words that are typical of a sense against the word's other senses, or for an only sense of the corpus."""
    here, elsewhere = Counter[str](), Counter[str]()
    uses = 0
    for hit in hits:
        (here if hit.row == row else elsewhere).update(hit.around)
        uses += hit.row == row
    words = [word for word, n in here.items() if n >= 3]
    if not words:
        return []
    vocabulary = model.vocabulary
    frequency = np.array([vocabulary.counts[vocabulary.id(word)] for word in words], dtype=np.float64)
    together = np.array([here[word] for word in words], dtype=np.float64)
    if elsewhere:
        other, there = np.array([elsewhere[word] for word in words], dtype=np.float64), elsewhere.total()
    else:
        other, there = frequency, int(np.sum(vocabulary.counts))
    ratios = log_likelihood_ratio(
        together, np.full(len(words), float(here.total())), other, np.full(len(words), float(there))
    )
    dice = log_dice(together, np.full(len(words), float(uses)), frequency)
    order = [i for i in np.argsort(-ratios, kind="stable").tolist() if ratios[i] > 0][:top]
    return [
        Collocate(
            words[i],
            int(together[i]),
            int(together[i] + elsewhere[words[i]]),
            float(ratios[i]),
            float(dice[i]),
        )
        for i in order
    ]
