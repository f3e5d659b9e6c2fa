"""The uses of one word in a corpus, sorted by sense: keyword in context, examples and collocates."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from adagram.analysis.alignment import Placed, place_words
from adagram.analysis.describe import MIN_PAIRS, quality, sentence_bounds
from adagram.analysis.epochs import parse_epoch
from adagram.corpus.documents import Document, Kind, by_kind, make_document
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer, normal_text
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.sheet import Collocate, Example, different, log_dice, log_likelihood_ratio

CANDIDATES = 20  # per example that is asked for
MAX_SAMPLE = 2_000  # uses that `sample_uses` disambiguates
_TOKENS_AT_ONCE = 1 << 20

FieldOf = Callable[[Document], str]


class NoUseError(InputError):
    """A corpus without the word."""


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
    source: str = ""


def find_uses(
    model: Model,
    word: str,
    documents: Iterable[Document],
    date_of: FieldOf,
    width: int = 60,
    source_of: FieldOf = lambda document: "",
) -> Iterator[Hit]:
    """All uses of a word in order, with up to `width` characters on each side; refuse a corpus without any."""
    w, is_found, window = model.vocabulary.id(word), False, model.config.window
    known_words = _locator(model, word)
    for document in documents:
        for line in document.lines:
            placed = known_words(line, document.kind)
            ids = model.vocabulary.ids(found.word for found in placed)
            at = np.flatnonzero(ids == w).tolist()
            if not at:
                continue
            is_found = True
            contexts = [model.context.sides(ids[:i], ids[i + 1 :]) for i in at]
            posteriors = model.predictor.posteriors(np.full(len(at), w), contexts)
            bounds = sentence_bounds(line)
            for i, posterior in zip(at, posteriors, strict=True):
                _, start, stop = placed[i]
                k = int(posterior.argmax())
                around = np.append(ids[max(0, i - window) : i], ids[i + 1 : i + 1 + window])
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
                    source_of(document),
                )
    if not is_found:
        raise NoUseError(f"the corpus has no use of '{word}'; look in another, or for another word")


def _locator(model: Model, word: str) -> Callable[[str, Kind], list[Placed]]:
    """Return a function that places the known words of a line; it finds none if the line cannot have the word."""
    config = TokenizerConfig.from_dict(model.info.get("tokenizer") or {})
    joiner, index = config.phrase_joiner, model.vocabulary.index
    first = word.split(joiner)[0] if joiner else word
    configs = by_kind(replace(config, phrase_joiner=""))
    tokenizers = {kind: make_tokenizer(of_kind) for kind, of_kind in configs.items()}

    def known_words(line: str, kind: Kind) -> list[Placed]:
        if not config.lemmas and first not in normal_text(line, configs[kind]):  # a lemma may stand for any word
            return []
        return [found for found in place_words(line, tokenizers[kind], joiner, index) if found.word in index]

    return known_words


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
    return {row: different((x for *_, x in sorted(heap, reverse=True)), per_sense) for row, heap in heaps.items()}


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
    return [Collocate(words[i], int(together[i]), int(of_word[i]), float(ratios[i]), float(dice[i])) for i in order]


@dataclass(frozen=True)
class Texts:
    """Documents that are held in memory, and how their dates and sources are found."""

    documents: list[Document]
    date_of: FieldOf = lambda document: ""
    source_of: FieldOf = lambda document: ""

    @cached_property
    def fields(self) -> list[tuple[str, str]]:
        """Year (or the whole date, if it is not one) and source of each document."""
        dates = [self.date_of(document) for document in self.documents]
        epochs = [parse_epoch(date) for date in dates]
        years = [epoch.name if epoch else date for epoch, date in zip(epochs, dates, strict=True)]
        return list(zip(years, map(self.source_of, self.documents), strict=True))

    def having(self, word: str, year: str, source: str, rng: np.random.Generator) -> Iterator[Document]:
        """Documents of a year and source ("" for all) that may have the word, in random order."""
        part = word.lower().encode() if word.isascii() and word.isalnum() else b""
        for i in rng.permutation(len(self.documents)).tolist():
            is_wanted = all(wanted in ("", own) for wanted, own in zip((year, source), self.fields[i], strict=True))
            if is_wanted and part in self.documents[i].data.lower():
                yield self.documents[i]


@dataclass(frozen=True)
class EncodedTexts:
    """The lines of an encoded corpus: words in lower case without punctuation, and without the rare ones."""

    corpus: EncodedCorpus
    date_of: FieldOf = lambda document: ""
    source_of: FieldOf = lambda document: ""
    fields: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        self.corpus.check()

    def having(self, word: str, year: str, source: str, rng: np.random.Generator) -> Iterator[Document]:
        tokens, wanted = self.corpus.tokens, self.corpus.vocabulary.index.get(word)
        if wanted is None or year or source:
            return
        for start in rng.permutation(np.arange(0, len(tokens), _TOKENS_AT_ONCE)).tolist():
            places = np.flatnonzero(tokens[start : start + _TOKENS_AT_ONCE] == np.uint32(wanted)) + start
            # searchsorted converts int64 to float64 beside uint64 ends, copying them all.
            lines = np.unique(np.searchsorted(self.corpus.ends, places.astype(np.uint64), side="right"))
            yield from map(self._line, rng.permutation(lines).tolist())

    def _line(self, i: int) -> Document:
        ends = self.corpus.ends
        start, stop = int(ends[i - 1]) if i else 0, int(ends[i]) if i < len(ends) else len(self.corpus.tokens)
        text = " ".join(self.corpus.vocabulary.words[t] for t in self.corpus.tokens[start:stop].tolist())
        return make_document("", text, kind=Kind.EXACT)


def sample_uses(
    model: Model, word: str, texts: Texts | EncodedTexts, year: str = "", source: str = "", width: int = 60
) -> list[Hit]:
    """Up to MAX_SAMPLE uses of a word from documents all over the text: all uses of a word that is not frequent."""
    found = texts.having(word, year, source, np.random.default_rng(0))
    try:
        return list(islice(find_uses(model, word, found, texts.date_of, width, texts.source_of), MAX_SAMPLE))
    except NoUseError:
        return []
