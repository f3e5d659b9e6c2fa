"""Every answer of the explorer as plain values, without HTTP."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache, partial
from io import StringIO
from itertools import islice
from pathlib import PurePath
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.alignment import cut, sentences
from adagram.analysis.concordance import EncodedTexts, Hit, Texts, examples_of, sample_uses
from adagram.errors import InputError, UnknownWordError
from adagram.export.tables import COLUMNS, csv_rows, plain_cell
from adagram.model import Model
from adagram.model.neighbours import (
    AROUND,
    Index,
    content_words,
    marginal_senses,
    nearest,
    rank_words,
    unit_vectors,
    usual_min_count,
)
from adagram.model.sheet import Example, entry_of, label_of
from adagram.model.trends import running_share
from adagram.plots.plane import place
from adagram.types import Floats
from adagram.web.moved import Answer, moved, new_words
from adagram.web.vocabulary import Layout, make_layout, packed

CACHE_SIZE = 4_096  # searches and words in each LRU cache
N_START_WORDS, N_START_SENSES, N_START_NEIGHBOURS = 12, 3, 4  # on the start page
MIN_START_SHARE = 0.12  # of a sense on the start page that is not one of the word's first two
N_LEVELS, KEPT_LEVELS = 20, 3  # steps of the resolution, and explorers of other levels that are kept
KEPT_WORDS = 16  # whose lines are kept
N_SOURCES = 500  # that can be chosen from
LINE_WIDTH = 150  # characters on each side of the keyword
N_NEAR_SPELLINGS = 6  # offered for an unknown word
NEAR_POOL = 500  # spellings that are compared letter by letter
N_COLLOCATES = 12  # on a card
N_GIST = 3  # words that say what a sense is about
MAX_ENDING = 3  # letters
MIN_CLEAR = 0.9  # posterior of a sense that the text view colours
MIN_EVIDENCE = 10.0  # its Bayes factor: posterior odds over prior odds
MAX_PRIOR = 0.95  # a word with a more frequent sense counts as unambiguous while it has that sense
_LAYOUT = Lock()  # requests for the map wait for the first one
LINE_COLUMNS = ("sense", "probability", "date", "source", "left", "match", "right")
# How lines are sorted: the left side by its last words, as they stand beside the keyword.
SORTS: dict[str, Callable[[Answer], Any]] = {
    "probability": lambda line: -line["probability"],
    "date": lambda line: line["date"],
    "source": lambda line: line["source"],
    "sense": lambda line: int(line["sense"].rpartition("#")[2]),
    "left": lambda line: line["left"].lower().split()[::-1],
    "right": lambda line: line["right"].lower().split(),
}


class NearWordsError(UnknownWordError):
    """An unknown word, with words that are spelled like it."""

    def __init__(self, sentence: str, near: list[str]) -> None:
        super().__init__(sentence)
        self.near = near


class Explorer:
    """Answers questions about one model; searches are cached."""

    def __init__(self, model: Model, texts: Texts | EncodedTexts | None = None, before: Explorer | None = None) -> None:
        """`before`: the explorer before an editor's last decision, or of another resolution.

        `texts`: where lines with a word are looked for.
        """
        self.model, self.texts = model, texts
        self._layout: Callable[[], Layout] = before._layout if before else cache(partial(make_layout, model))
        self.min_count, self._content = usual_min_count(model), content_words(model)
        model._index = Index(model, self.min_count)
        if model.sheet:
            _ = model.sheet.places
        _ = model._merge_tree  # read now: the folder may be replaced while the page is open
        with suppress(InputError):  # reported when a word's shares over time are asked for
            _ = model.trends  # read now: the folder may be replaced while the page is open
        self._search = lru_cache(maxsize=CACHE_SIZE)(
            lambda row, top: nearest(model, np.array([row]), top, self.min_count)[0]
        )
        self._marginal = lru_cache(maxsize=CACHE_SIZE)(partial(marginal_senses, model))
        self._uses = lru_cache(maxsize=KEPT_WORDS)(self._uses_uncached)
        self.moved = lru_cache(maxsize=1)(lambda: moved(self))
        self._level = lru_cache(maxsize=KEPT_LEVELS)(lambda resolution: Explorer(model.at(resolution), texts, self))
        self.start_words: list[str] = (
            before.start_words if before else [each.word for each in rank_words(model, N_START_WORDS, compared=100)]
        )
        first = model.vocabulary.words[0]  # compile the kernels now, not at the first request
        self.senses(first, top=1)
        self.tag(f"{first} {first}")

    def at(self, resolution: float | None) -> Explorer:
        """Return the explorer of the same model at another resolution, rounded to a step."""
        step = self.model.resolution if resolution is None else round(resolution * N_LEVELS) / N_LEVELS
        return self if step == self.model.resolution else self._level(step)

    # Answers

    def info(self) -> Answer:
        config = self.model.config
        fields = self.texts.fields if self.texts else []
        trends = self.model.trends
        return {
            "words": len(self.model.vocabulary),
            "senses": self.model.n_senses,
            "resolution": self.model.resolution,
            "ambiguous": int((np.diff(self.model.offsets) > 1).sum()),
            "dim": config.dim,
            "window": config.window,
            "algorithm": config.algorithm,
            "alpha": config.alpha,
            "corpus_words": sum(text["tokens"] for text in self.model.info.get("seen", [])),
            "epochs": config.epochs,
            "period": [trends.epochs[0], trends.epochs[-1]] if trends and trends.epochs else [],
            "has_examples": self.texts is not None,
            "has_sheet": self.model.sheet is not None,
            "years": sorted({year for year, _ in fields} - {""}),
            "sources": sorted({source for _, source in fields} - {""})[:N_SOURCES],
            "try": self.start_words,
        }

    def complete(self, prefix: str, top: int = 10) -> Answer:
        words = self._beginning_with(prefix, top)
        if not words:
            folded = "".join(self.model.tokenize(prefix)[:1])
            words = self._beginning_with(folded, top) if folded else []
        n_senses, index = np.diff(self.model.offsets), self.model.vocabulary.index
        return {"words": [{"word": word, "senses": int(n_senses[index[word]])} for word in words]}

    def senses(self, word: str, top: int = 10) -> Answer:
        word = self.known(word)
        rows = self.model.rows(word)
        senses = [self._sense(row, top) for row in range(rows.start, rows.stop)]
        return {"word": word, "count": self.count(word), "senses": senses}

    def sense(self, name: str, top: int = 10) -> Answer:
        numbered = self.model._word_and_number(name)
        name = f"{self.known(numbered[0])}#{numbered[1]}" if numbered else self.known(name)
        return self._sense(self.model.row(name), top)

    def disambiguate(self, word: str, context: str) -> Answer:
        """Return the posterior of one word in a context, with the words of it that were used."""
        word = self.known(word)
        used = [self.model.vocabulary.words[i] for i in self.model.context.of(context, word).ids.tolist()]
        senses = self._chances(word, self.model.disambiguate(word, context))
        return {"word": word, "context": used, "senses": senses}

    def tag(self, text: str) -> Answer:
        """Return every word of a running text with its posterior, from the words around it in the same sentence."""
        model, index = self.model, self.model.vocabulary.index
        parts = [cut(model, part) for part in sentences(text)]
        known = [[index[piece.word] for piece in part if piece.word in index] for part in parts]
        ids = np.array([i for part in known for i in part], dtype=np.int32)
        ends = np.cumsum([len(part) for part in known], dtype=np.int64)
        posteriors = iter(model.predictor.in_text(ids, ends))
        tokens, gists = [], {}
        for piece in (piece for part in parts for piece in part):
            token = {"text": piece.text, "word": piece.word, "is_content": self.is_content(piece.word)}
            posterior = next(posteriors) if piece.word in index else np.empty(0)
            clear = self._clear_row(piece.word, posterior) if token["is_content"] else None
            senses = self._chances(piece.word, posterior) if piece.word in index else []
            tokens.append(token | {"is_clear": clear is not None, "senses": senses})
            if clear is not None:
                gists[model.names([clear])[0]] = self.gist(clear)
        return {"tokens": tokens, "gists": gists}

    def map(self, word: str, top: int = 12) -> Answer:
        word = self.known(word)
        all_rows = self._rows_by_share(word)
        shown = [row for row in all_rows if not self.is_marginal(row)]
        plane = place(self.model, np.array(shown, dtype=np.int64), [self._nearest(row, top) for row in shown])
        names = self.model.names(plane.rows)
        points: list[Answer] = [
            {"sense": name, "x": x, "y": y, "of": names[owner]}
            for name, (x, y), owner in zip(names, plane.points.tolist(), plane.owner.tolist(), strict=True)
        ]
        return {
            "word": word,
            "senses": [
                {**point, "prior": float(self.model.priors[row]), "gist": self.gist(row)}
                for point, row in zip(points, shown, strict=False)
            ],
            "neighbours": points[len(shown) :],
            "explained": list(plane.explained),
            "left_out": len(all_rows) - len(shown),
        }

    def vocabulary_map(self) -> bytes:
        """Return the map of all senses in binary form."""
        with _LAYOUT:
            return packed(self._layout(), self.model)

    def compare(self, left: str, right: str, left_context: str = "", right_context: str = "") -> Answer:
        """Return the posteriors of two words, each in its context, and the cosines of their senses."""
        one, two = self.disambiguate(left, left_context), self.disambiguate(right, right_context)
        units = [unit_vectors(self.model, self.model.rows(side["word"])) for side in (one, two)]
        cosines = (units[0] @ units[1].T).astype(np.float64)  # (left senses, right senses)
        p, q = (np.array([chance["probability"] for chance in side["senses"]]) for side in (one, two))
        return {
            "left": one,
            "right": two,
            "similarities": cosines.tolist(),
            "expected_similarity": float(p @ cosines @ q),
            "best_similarity": float(cosines[p.argmax(), q.argmax()]),
        }

    def examples(self, word: str, top: int = 5) -> Answer:
        """Return for each sense the best sentences of the text."""
        if self.texts is None:
            raise InputError("there are no examples: start the server with --corpus")
        word = self.known(word)
        found = examples_of(self.model, word, self._uses(word, "", ""), top)
        names = self.model.names(list(found))
        return {
            "word": word,
            "senses": [
                {"sense": name, "lines": [self._example(example, row) for example in lines]}
                for name, (row, lines) in zip(names, found.items(), strict=True)
            ],
        }

    def lines(
        self, word: str, sense: str = "", year: str = "", source: str = "", beside: str = "", sort: str = ""
    ) -> list[Answer]:
        """Return the uses of a word as keywords in context: of a sense, a year, a source, with a word beside it."""
        word = self.known(word)
        if sort not in ("", *SORTS):
            raise InputError(f"'sort' is {sort[:20]!r}; choose {', '.join(SORTS)}")
        row = self.model.row(sense) if sense else None
        hits = [
            hit
            for hit in self._uses(word, year, source)
            if row in (None, hit.row) and (not beside or beside in hit.around)
        ]
        rows = self.model.rows(word)
        names = dict(zip(range(rows.start, rows.stop), self.model.names(rows), strict=True))
        found = [_line(hit, names[hit.row]) for hit in hits]
        return sorted(found, key=SORTS[sort or "probability"])

    def line_table(self, lines: list[Answer]) -> str:
        """Return lines as TSV."""
        cells = [[plain_cell(str(line[name])) for name in LINE_COLUMNS] for line in lines]
        return _written([LINE_COLUMNS, *cells], delimiter="\t", lineterminator="\n")

    def cards(self, word: str, top: int = 8) -> Answer:
        """Return a card per sense, the most frequent first; empty fields without a sheet or shares over time."""
        word = self.known(word)
        trends, kept = self._trends(word), self.model.trends
        return {
            "word": word,
            "count": self.count(word),
            "resolution": self.model.resolution,
            "levels": self._levels(word),
            "epochs": kept.epochs if kept and trends else [],
            "times": kept.times.tolist() if kept and trends else [],
            "senses": [
                self._card(row, top, trends.get(row, {"trend": [], "mean": [], "uses": []}))
                for row in self._rows_by_share(word)
            ],
        }

    def table(self, word: str) -> str:
        """Return the cards as CSV with a row per sense, as `adagram export --format csv` writes them."""
        return _written([COLUMNS, *csv_rows(self.model, self._rows_by_share(self.known(word)))])

    def start(self) -> Answer:
        """Return ambiguous words with their main senses, and the newest words."""
        words: list[Answer] = []
        for word in self.start_words:
            rows = [row for row in self._rows_by_share(word) if not self.is_marginal(row)][:N_START_SENSES]
            rows = [row for i, row in enumerate(rows) if i < 2 or self.model.priors[row] >= MIN_START_SHARE]
            senses = [self._sense(row, N_START_NEIGHBOURS) | {"gist": self.gist(row)} for row in rows]
            words.append({"word": word, "senses": senses})
        return {"words": words, "new": new_words(self)}

    # Words and senses

    def known(self, word: str) -> str:
        """Return the word as the vocabulary spells it; fast for unknown words too."""
        if found := self.model._words.find(word):
            return found
        tokens = self.model.tokenize(word)
        near = [token for token in dict.fromkeys(tokens) if token in self.model.vocabulary]
        if not near:  # words that are spelled alike, from those with the same beginning
            unknown = tokens[0] if tokens else word
            pool = self._beginning_with(unknown[:2], NEAR_POOL) or self._beginning_with(unknown[:1], NEAR_POOL)
            near = self.model.vocabulary.near(unknown, pool, N_NEAR_SPELLINGS)
        raise NearWordsError(f"'{word}' is not in the vocabulary of {len(self.model.vocabulary):,} words", near)

    def _beginning_with(self, prefix: str, top: int) -> list[str]:
        """Return the most frequent words with this beginning."""
        words = self.model.vocabulary.words  # by falling frequency
        return list(islice((word for word in words if word.startswith(prefix)), top))

    def is_content(self, word: str | None) -> bool:
        """Return whether a word has a meaning of its own; so have words that the model does not know."""
        if word is None or not any(map(str.isalpha, word)) or (len(word) == 1 and word.isascii()):
            return False
        known = self.model.vocabulary.index.get(word)
        return known is None or bool(self._content[known])

    def is_marginal(self, row: int) -> bool:
        """Return whether lists leave a sense out unless all are asked for."""
        word = self.model.names([row])[0].rpartition("#")[0]
        return bool(self._marginal(word)[row - self.model.rows(word).start])

    def gist(self, row: int) -> str:
        """Say what a sense is about: its label, else its nearest words."""
        if label := label_of(self.model, row):
            return label
        names = self.model.names([row, *self._nearest(row, AROUND)[0]])
        word, *near = [name.rpartition("#")[0] for name in names]
        # A short ending (banks, bank's) says nothing about a sense.
        others = [other for other in near if not other.startswith(word) or len(other) - len(word) > MAX_ENDING]
        return ", ".join((others or near)[:N_GIST])

    def _clear_row(self, word: str | None, posterior: Floats) -> int | None:
        """Return the row of a word's sense if it is probable and the context is evidence for it."""
        if word is None or len(posterior) < 2:
            return None
        row = self.model.rows(word).start + int(posterior.argmax())
        p, prior = float(posterior.max()), float(self.model.priors[row])
        is_clear = p >= MIN_CLEAR and prior <= MAX_PRIOR and p * (1 - prior) >= MIN_EVIDENCE * prior * (1 - p)
        return row if is_clear else None

    def count(self, word: str) -> int:
        return int(self.model.vocabulary.counts[self.model.vocabulary.index[word]])

    def _rows_by_share(self, word: str) -> list[int]:
        rows = self.model.rows(word)
        return sorted(range(rows.start, rows.stop), key=lambda row: -float(self.model.priors[row]))

    def _sense(self, row: int, top: int) -> Answer:
        rows, cosines = self._nearest(row, top)
        names = self.model.names(rows)
        return {
            "sense": self.model.names([row])[0],
            "prior": float(self.model.priors[row]),
            "count": float(self.model.counts[row]),
            "neighbours": [{"sense": n, "similarity": c} for n, c in zip(names, cosines.tolist(), strict=True)],
        }

    def _levels(self, word: str) -> list[Answer]:
        """Return the resolutions at which the word has another number of senses, the coarsest first."""
        model, w = self.model._learned, self.model.vocabulary.index[word]
        rows = slice(*model.offsets[w : w + 2].tolist())
        n = rows.stop - rows.start
        heights = self.model._merge_tree.height[rows.start + 1 : rows.stop]
        stops = {1 + int((heights < t / N_LEVELS).sum()): t / N_LEVELS for t in range(N_LEVELS, -1, -1)}
        stops[n] = 1.0
        return [{"resolution": stops[n], "senses": n} for n in sorted(stops)]

    def _card(self, row: int, top: int, trend: Answer) -> Answer:
        model = self.model
        entry = entry_of(model, row)
        return {
            **self._sense(row, top),
            "label": label_of(model, row),
            "is_labelled": model.curation is not None and row in model.curation.labels,
            "gist": self.gist(row),
            "is_marginal": self.is_marginal(row),
            "collocates": [vars(c) for c in entry.collocates[:N_COLLOCATES]],
            "examples": [self._example(example, row) for example in entry.examples],
            "members": self._members(row),
            **trend,
        }

    def _members(self, row: int) -> list[int]:
        """Return the numbers of the learned senses that a sense consists of."""
        curation = self.model.curation
        names = self.model._learned.names(curation.members(row) if curation else [row])
        return [int(name.rpartition("#")[2]) for name in names]

    def _example(self, example: Example, row: int) -> Answer:
        """Cut an example around the word; the document is its name, without the folders of this machine."""
        word = self.model.names([row])[0].rpartition("#")[0]
        pieces = cut(self.model, example.text)
        at = next((i for i, piece in enumerate(pieces) if piece.word == word), len(pieces))
        return {
            "left": "".join(piece.text for piece in pieces[:at]),
            "match": pieces[at].text if at < len(pieces) else "",
            "right": "".join(piece.text for piece in pieces[at + 1 :]),
            "document": PurePath(example.document).name,
            "date": example.date,
            "posterior": example.posterior,
        }

    def _trends(self, word: str) -> dict[int, Answer]:
        """Return of each row the shares of the word's uses, their running mean, and the uses that both rest on."""
        trends = self.model.trends
        if trends is None:
            return {}
        try:
            counts = trends.counts_of_word(self.model, word)
        except InputError:  # its senses have changed since they were counted
            return {}
        mean, uses = running_share(counts)
        shares = running_share(counts, 0)[0]
        return {
            row: {"trend": _known(shares[i]), "mean": _known(mean[i]), "uses": uses.round(1).tolist()}
            for i, row in enumerate(range(*self.model.rows(word).indices(self.model.n_senses)))
        }

    def _chances(self, word: str, posterior: Floats) -> list[Answer]:
        names = self.model.names(self.model.rows(word))
        return [{"sense": n, "probability": p} for n, p in zip(names, posterior.tolist(), strict=True)]

    # Searches

    def _nearest(self, row: int, top: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the nearest senses; all requests for a few share one search."""
        rows, cosines = self._search(row, max(top, AROUND))
        return rows[:top], cosines[:top]

    def _uses_uncached(self, word: str, year: str, source: str) -> list[Hit]:
        """Return uses in the text or, without one, the examples of the sheet."""
        if self.texts:
            return sample_uses(self.model, word, self.texts, year, source, LINE_WIDTH)
        rows = self.model.rows(word)
        found = [(row, x) for row in range(rows.start, rows.stop) for x in entry_of(self.model, row).examples]
        return [
            Hit(
                *(cut["left"], cut["match"], cut["right"], example.text, row, example.posterior),
                around=self.model.tokenize(example.text),
                document=example.document,
                date=example.date,
            )
            for row, example in found
            for cut in [self._example(example, row)]
            if not source and example.date.startswith(year)
        ]


def _written(rows: Iterable[Iterable[str]], **form: str) -> str:
    """Return rows as text for spreadsheets."""
    out = StringIO()
    csv.writer(out, **form).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue()


def _line(hit: Hit, sense: str) -> Answer:
    return {
        "sense": sense,
        "probability": round(hit.probability, 4),
        "date": hit.date,
        "source": hit.source or PurePath(hit.document).name,
        "left": hit.left,
        "match": hit.keyword,
        "right": hit.right,
    }


def _known(values: Floats) -> list[float | None]:
    return [None if value != value else round(value, 4) for value in values.tolist()]
