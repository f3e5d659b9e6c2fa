"""What the explorer knows: every answer of the API as plain values, without a word of HTTP."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError, UnknownWordError
from adagram.model import Model
from adagram.model.neighbours import AROUND, nearest, place, rank_words, usual_min_count
from adagram.web.alignment import cut
from adagram.web.concordance import Concordance
from adagram.web.shown import Shown
from adagram.web.suggestions import Completer

CACHED_ANSWERS = 4_096  # answers about words that are kept, the least recently asked for go first
SHOWN = 10  # words worth trying
NEAR = 6  # spellings that are offered for an unknown word

Answer = dict[str, Any]


class NearWordsError(UnknownWordError):
    """An unknown word, with words that are spelled like it."""

    def __init__(self, sentence: str, near: list[str]) -> None:
        super().__init__(sentence)
        self.near = near


class Explorer:
    """Questions about one model; answers that take a search are kept for the next time."""

    def __init__(
        self,
        model: Model,
        corpus: EncodedCorpus | None = None,
        before: Explorer | None = None,
        since: Model | None = None,
    ) -> None:
        """`before`: an explorer of it before an editor's last decision. `since`: the model it went on from."""
        self.model, self.corpus = model, corpus
        self.since: Model | None = before.since if before else since
        self.version: int = before.version + 1 if before else 0
        self.completer: Completer = before.completer if before else Completer(model.vocabulary)
        self.min_count = usual_min_count(model)
        self.concordance = Concordance(model, corpus) if corpus else None
        if model.sheet:
            model.sheet.look_up_all(before.model.sheet if before else None)
        with suppress(InputError):  # said when they are asked for
            _ = model.trends  # now: the folder may be replaced while the page is open
        self._searched = lru_cache(maxsize=CACHED_ANSWERS)(self._search)
        self._examples = lru_cache(maxsize=CACHED_ANSWERS)(self._find_examples)
        self.shown = Shown(model, self._found)
        self.worth_trying: list[str] = (
            before.worth_trying if before else [each.word for each in rank_words(model, SHOWN, compared=100)]
        )
        self.warm_up()

    def warm_up(self) -> None:
        """Load the kernels now, not at the first visitor's question."""
        first = self.model.vocabulary.words[0]
        self.senses(first, top=1)
        self.tag(f"{first} {first}")

    def info(self) -> Answer:
        config, corpus = self.model.config, self.model.info.get("corpus", {})
        return {
            "words": len(self.model.vocabulary),
            "senses": self.model.n_senses,
            "ambiguous": int((np.diff(self.model.offsets) > 1).sum()),
            "dim": config.dim,
            "window": config.window,
            "algorithm": config.algorithm,
            "alpha": config.alpha,
            "corpus_words": int(corpus.get("tokens") or 0),
            "epochs": config.epochs,
            "has_examples": self.concordance is not None,
            "has_sheet": self.model.sheet is not None,
            "try": self.worth_trying,
        }

    def complete(self, prefix: str, top: int = 10) -> Answer:
        offsets, index = self.model.offsets, self.model.vocabulary.index
        words = self.completer.complete(prefix, top)
        if not words:
            folded = "".join(self.model.tokenize(prefix)[:1])
            words = self.completer.complete(folded, top) if folded else []
        return {
            "words": [
                {"word": word, "senses": int(offsets[index[word] + 1] - offsets[index[word]])}
                for word in words
            ]
        }

    def senses(self, word: str, top: int = 10) -> Answer:
        word = self.known(word)
        rows = self.model.rows(word)
        counts = self.model.vocabulary.counts
        return {
            "word": word,
            "count": int(counts[self.model.vocabulary.index[word]]),
            "senses": [
                self._sense(row) | {"neighbours": self.neighbours_of(row, top)}
                for row in range(rows.start, rows.stop)
            ],
        }

    def neighbours(self, sense: str, top: int = 10) -> Answer:
        row = self._row(sense)
        return {"sense": self.model.names([row])[0], "neighbours": self.neighbours_of(row, top)}

    def disambiguate(self, word: str, context: str) -> Answer:
        """The posterior of one word in a context, with the words of it that were used."""
        word = self.known(word)
        used = [self.model.vocabulary.words[i] for i in self.model.context.of(context, word).ids.tolist()]
        return {
            "word": word,
            "context": used,
            "senses": self._named(word, self.model.disambiguate(word, context)),
        }

    def tag(self, text: str) -> Answer:
        """Every word of a running text with the posterior over its senses, from the words around it."""
        model, index = self.model, self.model.vocabulary.index
        pieces = cut(model, text)
        known = np.array([index[p.word] for p in pieces if p.word in index], dtype=np.int32)
        posteriors = iter(model.predictor.in_text(known, np.array([len(known)], dtype=np.int64)))
        return {
            "tokens": [
                {
                    "text": piece.text,
                    "word": piece.word,
                    "is_content": self.shown.is_content(piece.word),
                    "senses": self._named(piece.word, next(posteriors)) if piece.word in index else [],
                }
                for piece in pieces
            ]
        }

    def map(self, word: str, top: int = 12) -> Answer:
        word = self.known(word)
        asked = np.array(self.shown.rows(word), dtype=np.int64)
        plane = place(self.model, asked, [self._found(row, top) for row in asked.tolist()])
        names = self.model.names(plane.rows)
        points = [
            {"sense": name, "x": x, "y": y, "of": names[owner]}
            for name, (x, y), owner in zip(names, plane.points.tolist(), plane.owner.tolist(), strict=True)
        ]
        return {
            "word": word,
            "senses": [
                point | {"prior": float(self.model.priors[row]), "gist": self.shown.gist(row)}
                for point, row in zip(points[: len(asked)], asked.tolist(), strict=True)
            ],
            "neighbours": points[len(asked) :],
            "explained": list(plane.explained),
            "left_out": len(self.shown.by_share(word)) - len(asked),
        }

    def compare(self, left: str, right: str, left_context: str = "", right_context: str = "") -> Answer:
        """Two words, each in its context: their posteriors and how similar their senses are."""
        sides = [self.disambiguate(left, left_context), self.disambiguate(right, right_context)]
        cosines = self._unit(sides[0]["word"]) @ self._unit(sides[1]["word"]).T  # (left senses, right senses)
        p, q = (np.array([s["probability"] for s in side["senses"]]) for side in sides)
        return {
            "left": sides[0],
            "right": sides[1],
            "similarities": cosines.tolist(),
            "expected_similarity": float(p @ cosines @ q),
            "best_similarity": float(cosines[p.argmax(), q.argmax()]),
        }

    def examples(self, word: str, top: int = 5) -> Answer:
        if self.concordance is None:
            raise InputError("there are no examples: start the server with --corpus and an encoded corpus")
        return self._examples(self.known(word), top)

    def known(self, word: str) -> str:
        """The word as the vocabulary spells it; quick also for words it does not have."""
        if word in self.model.vocabulary:
            return word
        tokens = self.model.tokenize(word)
        if len(tokens) == 1 and tokens[0] in self.model.vocabulary:
            return tokens[0]
        parts = [token for token in dict.fromkeys(tokens) if token in self.model.vocabulary]
        near = parts or self.completer.near(tokens[0] if tokens else word, NEAR)
        raise NearWordsError(
            f"'{word}' is not in the vocabulary of {len(self.model.vocabulary):,} words", near
        )

    def _row(self, sense: str) -> int:
        word, mark, number = sense.rpartition("#")
        is_sense = bool(mark) and number.isdecimal()
        if sense not in self.model.vocabulary:
            known = self.known(word if is_sense else sense)
            sense = f"{known}#{number}" if is_sense else known
        return self.model.row(sense)

    def _sense(self, row: int) -> Answer:
        model = self.model
        return {
            "sense": model.names([row])[0],
            "prior": float(model.priors[row]),
            "count": float(model.counts[row]),
        }

    def _found(self, row: int, top: int) -> tuple[NDArray[np.int64], Floats]:
        """The nearest senses; one search serves all who ask for a few."""
        rows, cosines = self._searched(row, max(top, AROUND))
        return rows[:top], cosines[:top]

    def _search(self, row: int, top: int) -> tuple[NDArray[np.int64], Floats]:
        return nearest(self.model, np.array([row]), top, self.min_count)[0]

    def neighbours_of(self, row: int, top: int) -> list[Answer]:
        rows, cosines = self._found(row, top)
        return [
            {"sense": name, "similarity": cosine}
            for name, cosine in zip(self.model.names(rows), cosines.tolist(), strict=True)
        ]

    def _named(self, word: str, posterior: Floats) -> list[Answer]:
        names = self.model.names(self.model.rows(word))
        return [{"sense": n, "probability": p} for n, p in zip(names, posterior.tolist(), strict=True)]

    def _unit(self, word: str) -> Floats:
        vectors = self.model.vectors[self.model.rows(word)].astype(np.float64)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))

    def _find_examples(self, word: str, top: int) -> Answer:
        assert self.concordance is not None
        lines = self.concordance.examples(word, top)
        return {
            "word": word,
            "senses": [
                {"sense": name, "lines": [vars(line) for line in of_sense]}
                for name, of_sense in zip(self.model.names(self.model.rows(word)), lines, strict=True)
            ],
        }
