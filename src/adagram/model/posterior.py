"""The answer to "which sense is it here?": an array that knows the names of its senses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adagram.model.shown import table
from adagram.types import Floats


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
