"""A spaCy component that gives every token its sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, compress, islice
from typing import Any

from adagram.api import load
from adagram.errors import need
from adagram.model import Model
from adagram.model.arguments import PROBABILITY
from adagram.model.predict import assign_words
from adagram.options import checked

need("spacy", "spacy", "the spaCy component")
from spacy.language import Language  # noqa: E402 (after the check above, which names what to install)
from spacy.tokens import Doc, Token  # noqa: E402

CACHE_LIMIT = 1_000_000  # token texts whose words are cached
# Name and default of what a token gets as token._.name.
EXTENSIONS: dict[str, Any] = {"sense": None, "sense_probability": 0.0, "sense_vector": None}


class SenseTagger:
    """Sets `token._.sense` ('apple#1'), `._.sense_probability` and `._.sense_vector`.

    A token that the model does not know keeps None, 0.0 and None; one whose likeliest sense has less than
    `min_probability` gets only the probability. Contexts do not leave the Doc.
    """

    def __init__(self, model: Model | str, min_probability: float = 0.0) -> None:
        checked(min_probability, "min_probability", PROBABILITY)
        for name, default in EXTENSIONS.items():
            if not Token.has_extension(name):
                Token.set_extension(name, default=default)
        self.path, self.min_probability = model, min_probability
        self.model = model if isinstance(model, Model) else load(model)
        self._word = lru_cache(CACHE_LIMIT)(self._find_word)

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """The Docs of a stream, a batch at a time."""
        docs_left = iter(stream)
        while docs := list(islice(docs_left, batch_size)):
            self._tag(docs)
            yield from docs

    def _tag(self, docs: list[Doc]) -> None:
        rows, probabilities = assign_words(self.model, [[self._word(token.text) for token in doc] for doc in docs])
        known = rows >= 0
        tokens = compress(chain.from_iterable(docs), known)
        names, rows, probabilities = self.model.names(rows[known]), rows[known], probabilities[known]
        for token, row, name, probability in zip(tokens, rows, names, probabilities.tolist(), strict=True):
            token._.sense_probability = probability
            if probability >= self.min_probability:
                token._.sense = name
                token._.sense_vector = self.model.vectors[row]

    def _find_word(self, text: str) -> str:
        """Return a token's text, folded as the training text was; "" if that is not one word."""
        words = self.model.tokenize(text)
        return words[0] if len(words) == 1 else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return SenseTagger, (self.path, self.min_probability)


@Language.factory(
    "adagram", default_config={"model": "en", "min_probability": 0.0}, assigns=[f"token._.{n}" for n in EXTENSIONS]
)
def make_sense_tagger(nlp: Language, name: str, model: str, min_probability: float) -> SenseTagger:
    """The factory `adagram`: nlp.add_pipe("adagram", config={"model": "path/of/model"}); the default is "en"."""
    return SenseTagger(model, min_probability)
