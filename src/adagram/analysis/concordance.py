"""The uses of one word in a corpus: keyword in context, examples and collocates without a sense sheet."""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from adagram.analysis.describe import quality, sentence_bounds
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.collocation import log_dice, log_likelihood_ratio
from adagram.model.sheet import Collocate, Example, different
from adagram.text.documents import Document, Kind, by_kind
from adagram.text.tokenizer import CHUNK, TokenizerConfig, make_tokenizer, normal_text

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
    places = _Places(model, word)
    for document in documents:
        for line in document.lines:
            if not places.may_have(line, document.kind):
                continue
            words, spans = places.of_words(line, document.kind)
            known = [i for i, found in enumerate(words) if found in model.vocabulary]
            ids = model.vocabulary.ids([words[i] for i in known])
            at = np.flatnonzero(ids == w)
            if len(at) == 0:
                continue
            is_found = True
            posteriors = model.predictor.in_text(ids, np.array([len(ids)], dtype=np.int64))
            bounds = sentence_bounds(line)
            stop = 0
            for i in at.tolist():
                start, stop = places.of_keyword(line, spans[known[i]], stop)
                posterior = posteriors[i]
                k = int(posterior.argmax())
                around = np.delete(
                    ids[max(0, i - model.config.window) : i + model.config.window + 1],
                    min(i, model.config.window),
                )
                s = bisect_right(bounds, start) - 1
                yield Hit(
                    line[max(0, start - width) : start],
                    line[start:stop],
                    line[stop : stop + width],
                    " ".join(line[bounds[s] : bounds[s + 1]].split()),
                    int(model.offsets[w]) + k,
                    float(posterior[k]),
                    [model.vocabulary.words[c] for c in around],
                    document.name,
                    date_of(document),
                )
    if not is_found:
        raise InputError(f"the corpus has no use of '{word}'; look in another, or for another word")


Span = tuple[int, int]  # start and stop in a line


class _Places:
    """Where the words of a line stand in it, and where one of them does to the letter."""

    def __init__(self, model: Model, word: str) -> None:
        config = TokenizerConfig.from_dict(model.info.get("tokenizer") or {})
        self._joiner, self._index = config.phrase_joiner, model.vocabulary.index
        self._configs = by_kind(replace(config, phrase_joiner=""))
        self._tokenizers = {kind: make_tokenizer(of_kind) for kind, of_kind in self._configs.items()}
        parts = word.split(self._joiner) if self._joiner else [word]
        self._first = parts[0]
        spelled = r"\W+".join(map(re.escape, parts))
        self._spellings = (
            re.compile(rf"(?<!\w){spelled}(?!\w)", re.IGNORECASE),
            re.compile(spelled, re.IGNORECASE),  # in a script without spaces
            re.compile(r"\w(?:.*\w)?"),  # another form of a lemma: all but the punctuation
        )

    def may_have(self, line: str, kind: Kind) -> bool:
        """False if the word is certainly not in the line; a lemma may stand for any word."""
        config = self._configs[kind]
        return bool(config.lemmas) or self._first in normal_text(line, config)

    def of_words(self, line: str, kind: Kind) -> tuple[list[str], list[Span]]:
        """The words of a line, phrases joined, and what each of them was found in."""
        words: list[str] = []
        spans: list[Span] = []
        tokenize = self._tokenizers[kind]
        for chunk in CHUNK.finditer(line):
            start, stop = chunk.span()
            for word in tokenize(chunk[0]):
                phrase = words[-1] + self._joiner + word if self._joiner and words else ""
                if phrase and phrase in self._index:
                    words[-1], spans[-1] = phrase, (spans[-1][0], stop)
                else:
                    words.append(word)
                    spans.append((start, stop))
        return words, spans

    def of_keyword(self, line: str, span: Span, after: int) -> Span:
        """The place of the word inside a span, after that of the one before."""
        start, stop = span
        start = max(start, after) if after < stop else start
        for spelling in self._spellings:
            if match := spelling.search(line, start, stop):
                return match.span()
        return span


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
