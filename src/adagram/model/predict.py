"""Prediction: the senses of words in one context, in a batch and in running text, and the likelihood of a text.

`Predictor` is the interface; `TreePredictor` is for models with a hierarchical softmax (section 3.2), and
`ClusterPredictor` for context clusters (MSSG, NP-MSSG) and for models that have nothing but vectors.
"""

from __future__ import annotations

import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.parallel import map_in_threads
from adagram.errors import AdagramError, InputError
from adagram.model import arguments
from adagram.model.compact import scaled_rows, spans
from adagram.model.context import Context, OneContext, Weighted, read_context
from adagram.model.storage import finite
from adagram.options import OneOf, checked
from adagram.paper.schedule import expected_counts
from adagram.paper.softmax import Huffman
from adagram.paper.stick_breaking import log_sigmoid, prior_of_unlearned, softmax
from adagram.types import I32, I64, Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

MIN_DISTANCE = 1e-3  # from a cluster centre; a smaller one counts as this
PART = 20_000  # tokens that a thread takes at a time
BATCH = 256  # texts that are annotated together


class Posterior(np.ndarray[Any, np.dtype[np.float64]]):
    """The probabilities of the senses of a word in a context, in stick order; they sum to one.

    It is a NumPy array, and what is computed from it is a plain one. `names` are those of the senses, `best` is the
    name of the likeliest. `known` is the number of context words that the model knows: if it is 0, this is the prior.
    """

    word: str
    known: int
    numbers: Sequence[int]  # the k of word#k

    @classmethod
    def of(cls, probabilities: Floats, word: str, known: int, numbers: Sequence[int] | None = None) -> Posterior:
        made = probabilities.view(cls)
        made.word, made.known = word, known
        made.numbers = range(len(probabilities)) if numbers is None else numbers
        return made

    @property
    def names(self) -> list[str]:
        return [f"{self.word}#{k}" for k in self.numbers]

    @property
    def best(self) -> str:
        return f"{self.word}#{self.numbers[int(self.argmax())]}"

    def __repr__(self) -> str:
        senses = ", ".join(f"{name} {p:.4f}" for name, p in zip(self.names, self.tolist(), strict=True))
        return f"Posterior({senses}{'' if self.known else '; no context word is known, so this is the prior'})"

    def __array_finalize__(self, source: Any) -> None:
        self.word, self.known = getattr(source, "word", ""), getattr(source, "known", 0)
        self.numbers = getattr(source, "numbers", ())

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain

    def __getitem__(self, at: Any) -> Any:
        return np.asarray(self)[at]

    def __reduce__(self) -> Any:
        return Posterior.of, (np.array(self), self.word, self.known, self.numbers)


class Token(NamedTuple):
    """A word of a text and its likeliest sense; without sense and vector if the model does not know the word."""

    word: str
    sense: str | None
    probability: float
    vector: NDArray[np.float32] | None


@dataclass(frozen=True)
class Posteriors:
    """Posteriors of many words, one after the other: those of word i are values[places[i]:places[i+1]]."""

    places: I64  # (n + 1,)
    values: Floats

    def __len__(self) -> int:
        return len(self.places) - 1

    def __getitem__(self, i: int) -> Floats:
        return self.values[self.places[i] : self.places[i + 1]]

    def __iter__(self) -> Iterator[Floats]:
        places = self.places.tolist()
        return (self.values[a:b] for a, b in pairwise(places))


@dataclass(frozen=True)
class Likelihood:
    """Posterior predictive log-likelihood, Eq. (9), in nats."""

    per_word: float  # per context word, each predicted on its own: the figure of the paper's table
    per_context: float  # per window, all its words predicted jointly
    words: int  # centre words
    contexts: int  # context words
    parts: Floats  # (…, 2) log-likelihood and context words of stretches of the text, for intervals


class Predictor(ABC):
    """Posteriors over the senses of words in their contexts. The three ways to ask give the same answers.

    A single context needs NumPy only; batches and running text use compiled kernels, and threads may share them.
    Prediction is by the learned senses, hidden ones with next to no prior; the posteriors of merged ones are summed.
    """

    def __init__(self, model: Model, context: Context) -> None:
        self.context, self._model = context, model
        self._arrays, self._offsets = model.learned_arrays, model.learned_arrays["offsets"]
        priors = self._arrays["priors"]
        self._priors = model.curation.hiding(priors) if model.curation else priors
        self._local = threading.local()

    def posterior(self, w: int, context: Weighted) -> Floats:
        """Return the posterior over the senses of word `w` in one context."""
        word = self._ids([w])
        found = self._posterior(w, Weighted(self._ids(context.ids), context.weights))
        return self._shown(word, Posteriors(np.array([0, len(found)]), found)).values

    def posteriors(self, words: NDArray[np.integer], contexts: Sequence[Weighted]) -> Posteriors:
        """Return the posteriors of many words, each in its context."""
        found = self._ids(words).astype(np.int64)
        if len(found) != len(contexts):
            raise InputError(f"there are {len(found)} words and {len(contexts)} contexts; give one for every word")
        ids = self._ids(np.concatenate([*(context.ids for context in contexts), np.empty(0, np.int32)]))
        weights = np.concatenate([*(context.weights for context in contexts), np.empty(0)])
        bounds = np.cumsum([0, *(len(context.ids) for context in contexts)], dtype=np.int64)
        return self._shown(found, self._posteriors(found, Weighted(ids, weights), bounds))

    def in_text(self, ids: I32, ends: I64) -> Posteriors:
        """Return the posterior of every word of running text; contexts stay inside lines, which end before `ends`."""
        ids = self._ids(ids)
        return self._shown(ids, self._in_text(ids, arguments.line_ends(ends, len(ids))))

    def assign(self, ids: I32, ends: I64) -> tuple[I64, Floats]:
        """Return row and probability of the likeliest sense of every word of running text, from `in_text`."""
        from adagram.kernels.predict import likeliest

        ids = self._ids(ids)
        found = self.in_text(ids, ends)
        rows, probabilities = np.empty(len(ids), np.int64), np.empty(len(ids))
        likeliest(self._model.offsets[ids], found.places, found.values, rows, probabilities)
        return rows, probabilities

    @abstractmethod
    def likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9) over a text."""

    # What a kind of model does, for arguments that have been checked. Context i of a batch is bounds[i]:bounds[i+1].

    @abstractmethod
    def _posterior(self, w: int, context: Weighted) -> Floats: ...

    @abstractmethod
    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors: ...

    @abstractmethod
    def _in_text(self, ids: I32, ends: I64) -> Posteriors: ...

    @abstractmethod
    def _make_scratch(self) -> Any: ...

    def _ids(self, ids: Any) -> I32:
        return arguments.places(ids, len(self._offsets) - 1, "word ids").astype(np.int32)

    def _rows(self, w: int) -> slice:
        return slice(int(self._offsets[w]), int(self._offsets[w + 1]))

    def _shown(self, words: NDArray[np.integer], learned: Posteriors) -> Posteriors:
        """Return the posteriors over the senses that are shown, from those over the learned ones."""
        curation = self._model.curation
        return Posteriors(*curation.together(words, learned.places, learned.values)) if curation else learned

    def _filled(self, kernel: Callable[..., None], words: NDArray[np.integer], *given: Any) -> Posteriors:
        """Return the posteriors of some words, as a kernel fills them in."""
        places = np.zeros(len(words) + 1, np.int64)
        np.cumsum(np.diff(self._offsets)[words], out=places[1:])
        found = Posteriors(places, np.empty(int(places[-1])))
        kernel(*given, self._senses, self._scratch(), found.places, found.values)
        finite(found.values)
        return found

    @property
    @abstractmethod
    def _senses(self) -> Any:
        """The senses as kernels take them."""

    def _scratch(self) -> Any:
        """Return the scratch space of this thread."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = self._make_scratch()
        return self._local.scratch

    def _text(self, ids: I32, ends: I64) -> Any:
        from adagram.kernels.predict import Text

        return Text(ids, ends, self.context.weights, float(self.context.window))


class TreePredictor(Predictor):
    """p(y | w, k) from the sense vectors and the vectors of the tree's nodes."""

    def log_p(self, vectors: NDArray[np.float32], contexts: I32) -> Floats:
        """Eq. (3) in logs: log p(y | w, k) for each sense vector and each context word, (n_senses, n_contexts)."""
        if len(contexts) == 0:
            return np.zeros((len(vectors), 0))
        paths = self._arrays["paths"]
        starts, stops = paths[contexts], paths[contexts + 1]
        steps = np.concatenate([self._arrays["steps"][a:b] for a, b in zip(starts, stops, strict=True)])
        signs = np.where(steps & 1, 1.0, -1.0)  # ch(n)
        dots = (self._vectors("output", steps >> 1) @ vectors.T).T.astype(np.float64)  # (n_senses, n_steps)
        edges = np.append(0, (stops - starts).cumsum())[:-1]
        return np.add.reduceat(log_sigmoid(signs * dots), edges, axis=1)

    @cached_property
    def _scaled(self) -> dict[str, tuple[NDArray[Any], NDArray[np.float32]]]:
        return {name: scaled_rows(self._arrays, name) for name in ("vectors", "output")}

    def _vectors(self, name: str, rows: slice | I32) -> NDArray[np.float32]:
        values, scales = self._scaled[name]
        return values[rows, : self._model.config.dim] * scales[rows, None]

    def _posterior(self, w: int, context: Weighted) -> Floats:
        """Eq. (8), each context word with its weight: p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)^w_j."""
        rows = self._rows(w)
        log_p = self.log_p(self._vectors("vectors", rows), context.ids) @ context.weights
        return finite(softmax(np.log(self._priors[rows]) + log_p))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        from adagram.kernels.predict import Batch, posteriors

        return self._filled(posteriors, words, Batch(words, contexts.ids, contexts.weights, bounds))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        from adagram.kernels.predict import by_tree

        return self._filled(by_tree, ids, self._text(ids, ends))

    def at_places(self, ids: I32, where: I64) -> Posteriors:
        """Return what `in_text` does, for some places of one line."""
        from adagram.kernels.predict import by_tree_at

        ids = self._ids(ids)
        where = arguments.places(where, len(ids), "places of a text")
        text = self._text(ids, np.array([len(ids)]))
        return self._shown(ids[where], self._filled(by_tree_at, ids[where], text, where))

    def likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9) over a text, with the plain window of training: every word of it is predicted, at full weight."""
        ids = self._ids(ids)
        if len(ids) < 2:
            raise InputError(f"the text has {len(ids)} words that the model knows; a likelihood needs at least two")
        from adagram.kernels.predict import predictive

        unlearned, window = unlearned_priors(self._model), self._model.config.window
        with np.errstate(divide="ignore"):  # no unlearned sense: -inf
            logs = np.log1p(-unlearned), np.log(unlearned)
        most = int(np.diff(self._offsets).max())

        def part(start: int) -> Floats:
            totals = np.zeros(4)
            scratch = np.empty((2 * window, most))
            predictive(ids, start, min(len(ids), start + PART), window, self._senses, logs, scratch, totals)
            return totals

        part(len(ids))  # compiles once, before the threads ask for it
        parts = np.array(list(map_in_threads(part, range(0, len(ids), PART), None)))
        alone, jointly, contexts, words = finite(parts).sum(axis=0)
        per_word, per_context = float(alone / contexts), float(jointly / words)
        return Likelihood(per_word, per_context, int(words), int(contexts), parts[:, [0, 2]])

    @cached_property
    def _senses(self) -> Any:
        from adagram.kernels.predict import TreeSenses

        (vectors, scales), (output, output_scales) = self._scaled["vectors"], self._scaled["output"]
        tree = Huffman(self._arrays["steps"], self._arrays["paths"])
        rest = (tree, self._offsets, np.log(self._priors))
        return TreeSenses(vectors, output, scales, output_scales, *rest)

    def _make_scratch(self) -> Any:
        from adagram.kernels.predict import make_nodes

        return make_nodes(len(self._senses.output))


class ClusterPredictor(Predictor):
    """p(z=k | w, y) ∝ 1/d_k, d_k = 1 - cosine of the sense's centre and the weighted mean of the context's vectors.

    The likeliest sense is the one with the nearest centre, as in training; the inverse distance is the weight that
    Huang et al. (2012) give a cluster in AvgSimC. A context without known words, or a model without centres, leaves
    the prior.
    """

    def _posterior(self, w: int, context: Weighted) -> Floats:
        rows = self._rows(w)
        if "centres" not in self._arrays or len(context.ids) == 0:
            return np.array(self._priors[rows])
        centres = self._arrays["centres"][rows].astype(np.float64)
        mean = context.weights @ self._arrays["output"][context.ids].astype(np.float64)
        lengths = np.sqrt((centres * centres).sum(axis=1)) * np.sqrt(mean @ mean)
        distances = 1.0 - centres @ mean / np.maximum(lengths, 1e-12)
        return finite(softmax(-np.log(np.maximum(distances, MIN_DISTANCE))))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        each = [
            self._posterior(w, Weighted(contexts.ids[a:b], contexts.weights[a:b]))
            for w, (a, b) in zip(words.tolist(), pairwise(bounds.tolist()), strict=True)
        ]
        places = np.cumsum([0, *map(len, each)], dtype=np.int64)
        return Posteriors(places, np.concatenate([*each, np.empty(0)]))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        if "centres" not in self._arrays:
            places = np.append(0, np.diff(self._offsets)[ids].cumsum())
            return Posteriors(places, self._priors[spans(self._offsets, ids)])
        from adagram.kernels.predict import by_centres

        return self._filled(by_centres, ids, self._text(ids, ends))

    def likelihood(self, ids: I32) -> Likelihood:
        self._ids(ids)
        raise AdagramError(
            f"a model of {self._model.config.algorithm} has no predictive likelihood: it does not normalise over words"
        )

    @cached_property
    def _senses(self) -> Any:
        from adagram.kernels.predict import ClusterSenses

        centres = self._arrays["centres"]
        norms = np.sqrt(np.einsum("ij,ij->i", centres, centres))
        inverse = (1.0 / np.maximum(norms, 1e-12)).astype(np.float32)
        rest = (self._offsets, self._priors, inverse, MIN_DISTANCE)
        return ClusterSenses(self._arrays["output"], centres, *rest)

    def _make_scratch(self) -> Any:
        """Return room for the sum of a context's vectors."""
        return np.zeros((1, self._arrays["output"].shape[1]), np.float32)


def word_totals(model: Model) -> Floats:
    """Return n_w, the sum of the counts of all sticks of a word, learned or not, (n_words,)."""
    if "totals" in model.arrays:  # from another program, which may count in its own way
        return model.arrays["totals"]
    return expected_counts(np.asarray(model.vocabulary.counts), model.config.subsample)


def occurrences(model: Model) -> Floats:
    """Return the expected number of occurrences of each sense in the training text, (n_senses,).

    n_wk is of the occurrences that subsampling keeps, n_w in all, so the count of the word in the text is shared out.
    """
    totals = word_totals(model)
    scale = np.divide(model.vocabulary.counts, totals, out=np.ones(len(totals)), where=totals > 0)
    return np.asarray(model.arrays["counts"] * np.repeat(scale, np.diff(model.offsets)))


def unlearned_priors(model: Model) -> Floats:
    """Return the prior of sticks without a learned sense, (n_words,); `priors` is of the learned ones only."""
    arrays, config = model.learned_arrays, model.config
    if config.algorithm != "adagram":
        return np.zeros(len(model.vocabulary))
    return prior_of_unlearned(arrays["counts"], arrays["offsets"], word_totals(model), config.alpha, config.max_senses)


def posterior_in(model: Model, word: str, context: OneContext) -> Posterior:
    """Return the posterior of a word in one context, see `Model.disambiguate`."""
    word, given = model._words.known(word), read_context(context)
    weighted = model.context.of(given, word)
    if isinstance(given, list) and given and not any(map(model.vocabulary.__contains__, model.tokenize(given))):
        warnings.warn(
            f"the model knows none of the {len(given)} words of the context, so this is the prior; a list is the "
            "words of one context, a str is a text, and disambiguate_batch takes many contexts",
            stacklevel=3,
        )
    found = model.predictor.posterior(model.vocabulary.index[word], weighted)
    return _named(model, word, weighted, found)


def posteriors_in(
    model: Model, words: str | Iterable[str], contexts: Iterable[OneContext], unknown: str
) -> list[Posterior | None]:
    """Return the posteriors of many words, each in its context, see `Model.disambiguate_batch`."""
    what = "a list of contexts, each a text (str), a list of words, or Sides"
    given = arguments.listed(contexts, "contexts", what)
    is_one = isinstance(words, str)
    asked = [words] * len(given) if is_one else arguments.listed(words, "words", "a word or a list of words")
    if len(asked) != len(given):
        raise InputError(f"there are {len(asked)} words and {len(given)} contexts; give a word for every context")
    is_strict = checked(unknown, "unknown", OneOf(("raise", "skip", "prior"))) == "raise"
    find = model._words.known if is_strict else model._words.find
    known = [find(arguments.checked_text(word, "word")) for word in asked]
    weighted = [
        model.context.of(context, word, f"context {i}")
        for i, (context, word) in enumerate(zip(given, known, strict=True))
        if word is not None
    ]
    ids = np.array([model.vocabulary.index[word] for word in known if word is not None], dtype=np.int64)
    found = zip(weighted, model.predictor.posteriors(ids, weighted), strict=True)
    return [
        _named(model, word, *next(found))
        if word is not None
        else None
        if unknown == "skip"
        else Posterior.of(np.ones(1), own, 0)
        for own, word in zip(asked, known, strict=True)
    ]


def _named(model: Model, word: str, context: Weighted, found: Floats) -> Posterior:
    numbers = model.curation.numbers[model.rows(word)].tolist() if model.curation else None
    return Posterior.of(found, word, len(context.ids), numbers)


def assign_senses(model: Model, texts: Sequence[str | Iterable[str]]) -> tuple[list[list[str]], I64, Floats]:
    """Return the words of each text, and what `assign_words` does for them; a list of words is one line."""
    cut = [[model.tokenize(line) for line in (text.split("\n") if isinstance(text, str) else [text])] for text in texts]
    words = [[word for line in lines for word in line] for lines in cut]
    return words, *assign_words(model, [line for lines in cut for line in lines])


def assign_words(model: Model, lines: Sequence[Sequence[str]]) -> tuple[I64, Floats]:
    """Return row (-1: unknown) and probability of the likeliest sense of each word in the context of its line."""
    find = model.vocabulary.index.get
    ids = np.array([find(word, -1) for line in lines for word in line], np.int32)
    is_known = ids >= 0
    ends = np.append(0, is_known.cumsum())[np.cumsum([len(line) for line in lines], dtype=np.int64)]
    rows, probabilities = np.full(len(ids), -1, np.int64), np.zeros(len(ids))
    rows[is_known], probabilities[is_known] = model.predictor.assign(ids[is_known], ends)
    return rows, probabilities


def annotate_texts(
    model: Model, text: str | Iterable[str | Iterable[str]], unknown: str
) -> list[Token] | Iterator[list[Token]]:
    """Return the tokens of a text; of several texts an iterator, which reads them in batches."""
    checked(unknown, "unknown", OneOf(("none", "skip", "raise")))
    if isinstance(text, str):
        return _tokens(model, [text], unknown)[0]
    if not isinstance(text, Iterable):
        arguments.listed(text, "text", "a text (str) or an iterable of texts")
    batches = iter(lambda texts=iter(text): list(islice(texts, BATCH)), [])  # type: ignore[misc]
    return (tokens for batch in batches for tokens in _tokens(model, batch, unknown))


def _tokens(model: Model, texts: Sequence[str | Iterable[str]], unknown: str) -> list[list[Token]]:
    words, rows, probabilities = assign_senses(model, texts)
    names = iter(model.names(rows[rows >= 0]))
    found = zip(rows.tolist(), probabilities.tolist(), strict=True)
    made = []
    for of_text in words:
        tokens = []
        for word, (row, probability) in zip(of_text, found, strict=False):
            if row >= 0:
                tokens.append(Token(word, next(names), probability, model.vectors[row]))
            elif unknown == "raise":
                raise model.vocabulary.unknown(word, word)
            elif unknown == "none":
                tokens.append(Token(word, None, 0.0, None))
        made.append(tokens)
    return made


def encode_texts(model: Model, texts: Sequence[str | Iterable[str]]) -> NDArray[np.float32]:
    """Return the mean of the vectors of the likeliest senses of each text's known words, (n_texts, dim)."""
    words, rows, _ = assign_senses(model, texts)
    is_known = rows >= 0
    text_of = np.repeat(np.arange(len(texts)), [len(of_text) for of_text in words])[is_known]
    means = np.zeros((len(texts), model.config.dim), np.float32)
    np.add.at(means, text_of, np.asarray(model.vectors[rows[is_known]]))
    means /= np.maximum(np.bincount(text_of, minlength=len(texts)), 1)[:, None]
    return means
