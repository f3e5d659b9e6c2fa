"""The uses of one word in a corpus, sorted by sense: keyword in context, examples and collocates."""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.describe import MIN_PAIRS, quality, sentence_bounds
from adagram.corpus.documents import Document, Kind, by_kind
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.tokenize import CHUNK, TokenizerConfig, make_tokenizer, normal_text
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.context import Weighted
from adagram.model.sheet import Collocate, Example, different, log_dice, log_likelihood_ratio

CANDIDATES = 20  # per example that is asked for
MAX_SAMPLE = 2_000  # occurrences in an encoded corpus that are disambiguated
LINE_WORDS = 12  # on each side of the keyword in a line of an encoded corpus
_TOKENS_AT_ONCE = 1 << 20

Span = tuple[int, int]  # start and stop in a line


@dataclass(frozen=True)
class Hit:
    """One use of a word in running text."""

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
    """All uses of a word in order, with up to `width` characters on each side; refuse a corpus without any."""
    w, is_found, window = model.vocabulary.id(word), False, model.config.window
    locator = _Locator(model, word)
    for document in documents:
        for line in document.lines:
            if not locator.may_have(line, document.kind):
                continue
            words, spans = locator.words(line, document.kind)
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
                start, stop = locator.keyword(line, spans[known[i]], stop)
                k = int(posteriors[i].argmax())
                around = np.append(ids[max(0, i - window) : i], ids[i + 1 : i + 1 + window])
                s = bisect_right(bounds, start) - 1
                yield Hit(
                    line[max(0, start - width) : start],
                    line[start:stop],
                    line[stop : stop + width],
                    " ".join(line[bounds[s] : bounds[s + 1]].split()),
                    int(model.offsets[w]) + k,
                    float(posteriors[i][k]),
                    [model.vocabulary.words[c] for c in around],
                    document.name,
                    date_of(document),
                )
    if not is_found:
        raise InputError(f"the corpus has no use of '{word}'; look in another, or for another word")


class _Locator:
    """Find the words of a line as the tokenizer splits it, and the exact place of one of them."""

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
        """Return False if the word is certainly not in the line; a lemma may stand for any word."""
        config = self._configs[kind]
        return bool(config.lemmas) or self._first in normal_text(line, config)

    def words(self, line: str, kind: Kind) -> tuple[list[str], list[Span]]:
        """The words of a line, phrases joined, and the span in which each of them was found."""
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

    def keyword(self, line: str, span: Span, after: int) -> Span:
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
        if good > 0:
            example = Example(hit.sentence, hit.document, hit.date, hit.probability)
            heapq.heappush(heaps[hit.row], (hit.probability * good, -n, example))
            if len(heaps[hit.row]) > CANDIDATES * per_sense:
                heapq.heappop(heaps[hit.row])
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
    words = [word for word, n in here.items() if n >= MIN_PAIRS]
    vocabulary = model.vocabulary
    frequency = np.array([vocabulary.counts[vocabulary.id(word)] for word in words], dtype=np.float64)
    together = np.array([here[word] for word in words], dtype=np.float64)
    other = np.array([elsewhere[word] for word in words], dtype=np.float64)
    of_word = together + other
    there = float(elsewhere.total())
    if not elsewhere:
        other, there = frequency, float(np.sum(vocabulary.counts))
    ratios = log_likelihood_ratio(together, np.array(float(here.total())), other, np.array(there))
    dice = log_dice(together, np.array(float(uses)), frequency)
    order = [i for i in np.argsort(-ratios, kind="stable").tolist() if ratios[i] > 0][:top]
    return [
        Collocate(words[i], int(together[i]), int(of_word[i]), float(ratios[i]), float(dice[i]))
        for i in order
    ]


@dataclass(frozen=True)
class Line:
    """One use of a word in an encoded corpus."""

    left: str
    match: str
    right: str
    probability: float


class Concordance:
    """Example lines of each sense of a word in an encoded corpus, from a sample of its occurrences."""

    def __init__(self, model: Model, corpus: EncodedCorpus) -> None:
        self.model, self.corpus = model, corpus
        index = model.vocabulary.index
        # Model ids of the corpus's words, -1 for those that the model does not know.
        self.model_ids = np.array([index.get(w, -1) for w in corpus.vocabulary.words], dtype=np.int64)

    def examples(self, word: str, top: int) -> list[list[Line]]:
        """For each sense up to `top` lines, the most probable first."""
        model = self.model
        w = model.vocabulary.id(word)
        lines: list[list[Line]] = [[] for _ in range(int(model.offsets[w + 1] - model.offsets[w]))]
        places = [(place, *self._bounds(place)) for place in self._sample(word).tolist()]
        contexts = [self._context(*place) for place in places]
        posteriors = model.predictor.posteriors(np.full(len(places), w), contexts)
        surest = sorted(
            range(len(places)), key=lambda i: (-posteriors[i].max(), -len(contexts[i].ids), places[i])
        )
        seen: set[tuple[str, str]] = set()
        for i in surest:
            sense = int(posteriors[i].argmax())
            if len(lines[sense]) >= top:
                continue
            line = self._line(*places[i], float(posteriors[i][sense]))
            if (line.left, line.right) not in seen:
                seen.add((line.left, line.right))
                lines[sense].append(line)
        return lines

    def _sample(self, word: str) -> NDArray[np.int64]:
        """Places of the word: all of a rare word, of a frequent one those in chunks from all over the corpus."""
        tokens, wanted = self.corpus.tokens, self.corpus.vocabulary.index.get(word)
        found = [np.empty(0, np.int64)]
        if wanted is None:
            return found[0]
        starts = np.arange(0, len(tokens), _TOKENS_AT_ONCE)
        for start in np.random.default_rng(0).permutation(starts).tolist():
            found.append(np.flatnonzero(tokens[start : start + _TOKENS_AT_ONCE] == np.uint32(wanted)) + start)
            if sum(map(len, found)) >= MAX_SAMPLE:
                break
        places = np.sort(np.concatenate(found))
        if len(places) > MAX_SAMPLE:
            places = places[np.linspace(0, len(places) - 1, MAX_SAMPLE).astype(np.int64)]
        return places

    def _bounds(self, place: int) -> Span:
        """Start and stop of the sentence or document around a place."""
        ends = self.corpus.ends
        # searchsorted converts a Python integer to float64 beside uint64 ends, copying them all.
        i = int(np.searchsorted(ends, np.uint64(place), side="right"))
        start = int(ends[i - 1]) if i > 0 else 0
        stop = int(ends[i]) if i < len(ends) else len(self.corpus.tokens)
        if not start <= place < stop <= len(self.corpus.tokens):
            raise InputError(f"the encoded corpus is damaged: a sentence goes from {start} to {stop}")
        return start, stop

    def _tokens(self, start: int, stop: int) -> NDArray[np.uint32]:
        """Word ids from start to stop; refuse ids beyond the vocabulary."""
        tokens = self.corpus.tokens[start:stop]
        if len(tokens) and int(tokens.max()) >= len(self.model_ids):
            raise InputError(f"the encoded corpus is damaged: it has no word {int(tokens.max())}")
        return tokens

    def _context(self, place: int, start: int, stop: int) -> Weighted:
        return self.model.context.around(place, start, stop, lambda a, b: self.model_ids[self._tokens(a, b)])

    def _line(self, place: int, start: int, stop: int, probability: float) -> Line:
        def text(a: int, b: int) -> str:
            return " ".join(self.corpus.vocabulary.words[t] for t in self._tokens(a, b).tolist())

        left = text(max(start, place - LINE_WORDS), place)
        right = text(place + 1, min(stop, place + 1 + LINE_WORDS))
        return Line(left, text(place, place + 1), right, probability)
