"""Prediction: the senses of words in one context, in a batch and in running text, and the likelihood of a text.

`Predictor` is the interface; `TreePredictor` is for models with a hierarchical softmax (section 3.2), and
`ClusterPredictor` for context clusters (MSSG, NP-MSSG) and for models that have nothing but vectors.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.errors import AdagramError, InputError
from adagram.model import arguments
from adagram.model.context import Context, Weighted
from adagram.model.display import table
from adagram.model.storage import finite
from adagram.options import OneOf
from adagram.paper.schedule import expected_counts
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
    def of(
        cls, probabilities: Floats, word: str, known: int, numbers: Sequence[int] | None = None
    ) -> Posterior:
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
        return (
            f"Posterior({senses}{'' if self.known else '; no context word is known, so this is the prior'})"
        )

    def _repr_html_(self) -> str:
        rows = [(name, f"{p:.4f}") for name, p in zip(self.names, self.tolist(), strict=True)]
        return table([("sense", "probability"), *rows])

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
    The `temperature` of a model (config.json) is what the log weights of senses are divided by.
    """

    def __init__(self, model: Model, context: Context) -> None:
        self.context = context
        self._offsets = model.offsets
        self._sizes = np.diff(model.offsets)
        self._sharpness = 1.0 / temperature(model)

    def rows(self, w: int) -> slice:
        """Return the rows of the senses of word `w`."""
        return slice(int(self._offsets[w]), int(self._offsets[w + 1]))

    def posterior(self, w: int, context: Weighted) -> Floats:
        """Return the posterior over the senses of word `w` in one context."""
        (word,) = self._ids([w])
        ids = self._ids(context.ids)
        return self._posterior(int(word), Weighted(ids, arguments.weights(context.weights, len(ids))))

    def posteriors(self, words: NDArray[np.integer], contexts: Sequence[Weighted]) -> Posteriors:
        """Return the posteriors of many words, each in its context."""
        found = self._ids(words)
        try:
            sizes = [len(context.ids) for context in contexts]
            ids = np.concatenate([*(context.ids for context in contexts), np.empty(0, np.int32)])
            weights = np.concatenate([*(context.weights for context in contexts), np.empty(0)])
            is_good = len(found) == len(sizes) and sizes == [len(context.weights) for context in contexts]
        except (TypeError, ValueError, AttributeError):
            is_good = False
        if not is_good:
            raise InputError(
                f"the contexts do not fit {len(found)} words; give one context for every word, and one weight for "
                "every word of a context"
            )
        ids = self._ids(ids)
        joined = Weighted(ids, arguments.weights(weights, len(ids)))
        return self._posteriors(
            found.astype(np.int64), joined, np.append(0, np.cumsum(sizes)).astype(np.int64)
        )

    def in_text(self, ids: I32, ends: I64) -> Posteriors:
        """Return the posterior of every word of running text; contexts stay inside lines, which end before `ends`."""
        ids = self._ids(ids)
        return self._in_text(ids, arguments.line_ends(ends, len(ids)))

    def likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9) over a text."""
        return self._likelihood(self._ids(ids))

    # What a kind of model does, for arguments that have been checked. Context i of a batch is bounds[i]:bounds[i+1].

    @abstractmethod
    def _posterior(self, w: int, context: Weighted) -> Floats: ...

    @abstractmethod
    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors: ...

    @abstractmethod
    def _in_text(self, ids: I32, ends: I64) -> Posteriors: ...

    @abstractmethod
    def _likelihood(self, ids: I32) -> Likelihood: ...

    def _ids(self, ids: Any) -> I32:
        return arguments.word_ids(ids, len(self._sizes))

    def assign(self, ids: I32, ends: I64) -> tuple[I64, Floats]:
        """Return row and probability of the likeliest sense of every word of running text, from `in_text`."""
        from adagram.kernels.predict import likeliest

        ids = self._ids(ids)
        found = self.in_text(ids, ends)
        rows, probabilities = np.empty(len(ids), np.int64), np.empty(len(ids))
        likeliest(self._offsets[ids], found.places, found.values, rows, probabilities)
        return rows, probabilities

    def _room(self, words: NDArray[np.integer]) -> Posteriors:
        """Allocate a posterior for every word."""
        places = np.zeros(len(words) + 1, np.int64)
        np.cumsum(self._sizes[words], out=places[1:])
        return Posteriors(places, np.empty(int(places[-1])))


def predictor_of(model: Model, context: Context) -> Predictor:
    """Return the predictor for this kind of model."""
    return (TreePredictor if "steps" in model.arrays else ClusterPredictor)(model, context)


def temperature(model: Model) -> float:
    """Return what the log weights of senses are divided by: 1, unless config.json has another."""
    value = model.info.get("temperature", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
        raise InputError(f"the temperature of the model is {value!r}; it must be a finite number above 0")
    return float(value)


class TreePredictor(Predictor):
    """p(y | w, k) from the sense vectors and the vectors of the tree's nodes."""

    def __init__(self, model: Model, context: Context) -> None:
        super().__init__(model, context)
        self._model = model
        arrays = model.arrays
        self._output = arrays["output"][:, : model.config.dim]
        self._steps, self._paths = arrays["steps"], arrays["paths"]
        self._local = threading.local()

    def log_p(self, vectors: NDArray[np.float32], contexts: I32) -> Floats:
        """Eq. (3) in logs: log p(y | w, k) for each sense vector and each context word, (n_senses, n_contexts)."""
        if len(contexts) == 0:
            return np.zeros((len(vectors), 0))
        starts, stops = self._paths[contexts], self._paths[contexts + 1]
        steps = np.concatenate([self._steps[a:b] for a, b in zip(starts, stops, strict=True)])
        signs = np.where(steps & 1, 1.0, -1.0)  # ch(n)
        dots = (self._output[steps >> 1] @ vectors.T).T.astype(np.float64)  # (n_senses, n_steps)
        edges = np.append(0, (stops - starts).cumsum())[:-1]
        return np.add.reduceat(log_sigmoid(signs * dots), edges, axis=1)

    def _posterior(self, w: int, context: Weighted) -> Floats:
        """Eq. (8), each context word with its weight: p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)^w_j."""
        rows = self.rows(w)
        log_p = self.log_p(self._model.vectors[rows], context.ids) @ context.weights
        return finite(softmax((np.log(self._model.priors[rows]) + log_p) * self._sharpness))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        from adagram.kernels.predict import Batch, posteriors

        found = self._room(words)
        batch = Batch(words, contexts.ids, contexts.weights, bounds)
        posteriors(batch, self._senses, self._nodes(), found.places, found.values)
        finite(found.values)
        return found

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        from adagram.kernels.predict import Text, by_tree

        found = self._room(ids)
        text = Text(ids, ends, self.context.weights, float(self.context.window))
        by_tree(text, self._senses, self._nodes(), found.places, found.values)
        finite(found.values)
        return found

    def at_places(self, ids: I32, where: I64) -> Posteriors:
        """Return what `in_text` does, for some places of one line."""
        from adagram.kernels.predict import Text, by_tree_at

        ids = self._ids(ids)
        where = arguments.places(where, len(ids), "places of a text")
        found = self._room(ids[where])
        text = Text(ids, np.array([len(ids)]), self.context.weights, float(self.context.window))
        by_tree_at(text, where, self._senses, self._nodes(), found.places, found.values)
        return found

    def _likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9). The contexts are the plain windows of the paper: it is the likelihood of a text, all of it."""
        return likelihood(ids, self._model, self._senses, self._unlearned)

    @cached_property
    def _unlearned(self) -> tuple[Floats, Floats]:
        """log of 1 - p and of p, the prior of sticks without a learned sense, (n_words,) each."""
        unlearned = unlearned_priors(self._model)
        with np.errstate(divide="ignore"):  # no unlearned sense: -inf
            return np.log1p(-unlearned), np.log(unlearned)

    @cached_property
    def _senses(self) -> Any:
        from adagram.kernels.arrays import Tree
        from adagram.kernels.predict import TreeSenses

        arrays, tree = self._model.arrays, Tree(self._steps, self._paths)
        log_priors = np.log(self._model.priors)
        return TreeSenses(
            arrays["vectors"], arrays["output"], tree, self._offsets, log_priors, self._sharpness
        )

    def _nodes(self) -> Any:
        """Return the scratch space of this thread."""
        if not hasattr(self._local, "nodes"):
            from adagram.kernels.predict import make_nodes

            self._local.nodes = make_nodes(len(self._output))
        return self._local.nodes


class ClusterPredictor(Predictor):
    """p(z=k | w, y) ∝ 1/d_k, d_k = 1 - cosine of the sense's centre and the weighted mean of the context's vectors.

    The likeliest sense is the one with the nearest centre, as in training; the inverse distance is the weight that
    Huang et al. (2012) give a cluster in AvgSimC. A context without known words, or a model without centres, leaves
    the prior.
    """

    def __init__(self, model: Model, context: Context) -> None:
        super().__init__(model, context)
        self._algorithm = model.config.algorithm
        self._output, self._priors = model.arrays["output"], model.priors
        self._centres: NDArray[np.float32] | None = model.arrays.get("centres")
        self._local = threading.local()

    def _posterior(self, w: int, context: Weighted) -> Floats:
        rows = self.rows(w)
        if self._centres is None or len(context.ids) == 0:
            return np.array(self._priors[rows])
        centres = self._centres[rows].astype(np.float64)
        mean = context.weights @ self._output[context.ids].astype(np.float64)
        lengths = np.sqrt((centres * centres).sum(axis=1)) * np.sqrt(mean @ mean)
        distances = 1.0 - centres @ mean / np.maximum(lengths, 1e-12)
        return finite(softmax(-np.log(np.maximum(distances, MIN_DISTANCE)) * self._sharpness))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        each = [
            self._posterior(w, Weighted(contexts.ids[a:b], contexts.weights[a:b]))
            for w, (a, b) in zip(words.tolist(), pairwise(bounds.tolist()), strict=True)
        ]
        return Posteriors(self._room(words).places, np.concatenate([*each, np.empty(0)]))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        found = self._room(ids)
        if self._centres is None:
            firsts = np.repeat(self._offsets[ids] - found.places[:-1], np.diff(found.places))
            found.values[:] = self._priors[firsts + np.arange(len(found.values))]
            return found
        from adagram.kernels.predict import Text, by_centres

        text = Text(ids, ends, self.context.weights, float(self.context.window))
        by_centres(text, self._senses, self._scratch(), found.places, found.values)
        finite(found.values)
        return found

    def _likelihood(self, ids: I32) -> Likelihood:
        raise AdagramError(
            f"a model of {self._algorithm} has no predictive likelihood: it does not normalise over words"
        )

    @cached_property
    def _senses(self) -> Any:
        from adagram.kernels.predict import ClusterSenses

        assert self._centres is not None
        norms = np.sqrt(np.einsum("ij,ij->i", self._centres, self._centres))
        inverse = (1.0 / np.maximum(norms, 1e-12)).astype(np.float32)
        rest = (self._offsets, self._priors, inverse, self._sharpness, MIN_DISTANCE)
        return ClusterSenses(self._output, self._centres, *rest)

    def _scratch(self) -> Any:
        """Return the scratch space of this thread: the sum of a context's vectors."""
        if not hasattr(self._local, "mean"):
            self._local.mean = np.zeros((1, self._output.shape[1]), np.float32)
        return self._local.mean


def likelihood(
    ids: NDArray[np.int32], model: Model, senses: Any, unlearned: tuple[Floats, Floats]
) -> Likelihood:
    """Eq. (9) over a text, with the plain window of training: every word of the text is predicted, at full weight."""
    if len(ids) < 2:
        raise InputError(
            f"the text has {len(ids)} words that the model knows; a likelihood needs at least two"
        )
    from adagram.kernels.predict import predictive

    window = model.config.window
    most = int(np.diff(model.offsets).max())

    def part(start: int) -> Floats:
        totals = np.zeros(4)
        scratch = np.empty((2 * window, most))
        predictive(ids, start, min(len(ids), start + PART), window, senses, unlearned, scratch, totals)
        return totals

    part(len(ids))  # compiles once, before the threads ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = np.array(list(pool.map(part, range(0, len(ids), PART))))
    alone, jointly, contexts, words = finite(parts).sum(axis=0)
    per_word, per_context = float(alone / contexts), float(jointly / words)
    return Likelihood(per_word, per_context, int(words), int(contexts), parts[:, [0, 2]])


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
    return prior_of_unlearned(
        arrays["counts"], arrays["offsets"], word_totals(model), config.alpha, config.max_senses
    )


def assign_senses(model: Model, texts: Sequence[str | Iterable[str]]) -> tuple[list[list[str]], I64, Floats]:
    """Return the words of each text, and row (-1 if it is unknown) and probability of the likeliest sense of each.

    Contexts stay inside the lines of a text; a list of words is one line.
    """
    words, lengths = list[list[str]](), list[int]()
    for text in texts:
        lines = [model.tokenize(line) for line in (text.split("\n") if isinstance(text, str) else [text])]
        words.append([word for line in lines for word in line])
        lengths += map(len, lines)
    index = model.vocabulary.index
    ids = np.array([index.get(word, -1) for of_text in words for word in of_text], np.int32)
    is_known = ids >= 0
    ends = np.append(0, is_known.cumsum())[np.cumsum(lengths, dtype=np.int64)]
    rows, probabilities = np.full(len(ids), -1, np.int64), np.zeros(len(ids))
    rows[is_known], probabilities[is_known] = model.predictor.assign(ids[is_known], ends)
    return words, rows, probabilities


def annotate_texts(
    model: Model, text: str | Iterable[str | Iterable[str]], unknown: str
) -> list[Token] | Iterator[list[Token]]:
    """Return the tokens of a text; of several texts an iterator, which reads them in batches."""
    arguments.checked(unknown, "unknown", OneOf(("none", "skip", "raise")))
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
