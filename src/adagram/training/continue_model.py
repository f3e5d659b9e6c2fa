"""Continue a model (`--continue`): its options, checks, and what is copied to the new model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from adagram.config import ALGORITHMS, BY_LENGTH, TrainConfig, read_options, values_for
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.options import EncodeOptions, kept_reading
from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary, add_unknown
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.predict import word_totals
from adagram.model.sheet import SHEET
from adagram.model.storage import JOURNAL, REST, check_rest, copy_added
from adagram.model.trends import TRENDS
from adagram.training.continued_systems import PreviousState
from adagram.types import ArrayMap

FIXED = ("algorithm", "dim", "window", "senses")  # options that a model cannot change
MAX_PASSES = 5  # by default: the model has been trained before
CONTINUED = [name for name, algorithm in ALGORITHMS.items() if algorithm.can_continue]


@dataclass(frozen=True)
class PreviousModel:
    """The model that a run continues."""

    model: Model
    say: Callable[[str], None] = lambda sentence: None  # called with each warning
    find_new_senses: bool = True  # give known words candidate senses

    def __post_init__(self) -> None:
        algorithm, info = self.model.config.algorithm, self.model.info
        if "imported" in info:
            raise InputError(
                f"{self.name} was imported, and the file it came from does not hold all that training needs; "
                "continue the model that was exported, or train anew"
            )
        if "dtype" in info:
            raise InputError(
                f"{self.name} is a compact model ({info['dtype']}), which cannot be continued; "
                "continue the model that it was exported from"
            )
        if not ALGORITHMS[algorithm].can_continue:
            raise InputError(
                f"{self.name} is a model of {algorithm}, which cannot be continued: its folder does not keep the "
                f"clusters and AdaGrad sums of its training; {', '.join(CONTINUED)} can"
            )

    def options(self, given: Mapping[str, Any]) -> tuple[TrainConfig, EncodeOptions]:
        """Return the model's options updated by those given; refuse a change of those that must not change."""
        model = self.model
        tokenizer = TokenizerConfig.from_dict(model.info.get("tokenizer") or {})
        cut = {name: getattr(tokenizer, name) for name in ("fold_case", "numbers", "pretokenized", "max_chars")}
        cut |= {"language": tokenizer.language or None, "lemmas": tokenizer.lemmas or None}
        reading = {name: value for name, value in kept_reading(model.info).items() if name != "format"}
        cut |= {name: reading[name] for name in ("unit", "fold_case") if name in reading}
        own = model.config.to_dict() | cut
        if given.get("merge_senses"):
            raise InputError(f"senses of {self.name} keep their numbers; leave merge_senses out, or train anew")
        for name in (*FIXED, *cut):
            if name in given and given[name] != own[name]:
                raise InputError(
                    f"{name} is {given[name]}, but {self.name} has {own[name]}; leave it out, or train anew"
                )
        if tokenizer.phrase_joiner or given.get("phrases"):
            raise InputError(
                f"{self.name} cannot go on with phrases, which are chosen from the whole of a text; "
                "join them in the text and train with pretokenized=True"
            )
        if given.get("max_senses", own["max_senses"]) < own["max_senses"]:
            raise InputError(
                f"max_senses is {given['max_senses']}, but words of {self.name} may have {own['max_senses']}"
            )
        if given.get("tokenizer") is not None:
            if not tokenizer.pretokenized:
                raise InputError(f"tokenizer is a function, but the text of {self.name} was cut without one")
            cut = {"max_chars": cut["max_chars"]}
        own = {name: value for name, value in model.config.to_dict().items() if name != "threads"}
        own |= {"merge_senses": False, "shuffle": True}  # senses keep their numbers; see docs/continual.md
        own |= self._by_length
        return read_options(own | reading | cut | dict(given))

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all texts that it has learned."""
        return sum(text["tokens"] for text in self.model.info.get("seen", []))

    def resolve(self, config: TrainConfig, n_tokens: int) -> TrainConfig:
        """Return `config.resolve` for the old text and n_tokens more, with MAX_PASSES at most."""
        resolved = config.resolve(self.n_tokens + n_tokens, len(self.model))
        epochs = config.epochs or min(resolved.epochs, MAX_PASSES)
        return replace(resolved, epochs=epochs, lanes=config.lanes or values_for(n_tokens)["lanes"])

    @property
    def _by_length(self) -> dict[str, Any]:
        """Return the options that followed from the length of its text; they are chosen anew for all text."""
        config = self.model.config
        left = replace(config, **BY_LENGTH)
        chosen = [left.resolve(self.n_tokens, len(self.model)), self.resolve(left, 0)]
        return {name: None for name in BY_LENGTH if getattr(config, name) in [getattr(each, name) for each in chosen]}

    def check_encoded(self, corpus: EncodedCorpus) -> None:
        """Refuse a corpus that was tokenized in another way."""
        theirs, ours = corpus.meta.get("tokenizer"), self.model.info.get("tokenizer")
        if theirs and ours and theirs != ours:
            name = next(name for name in ours if theirs.get(name) != ours[name])
            raise InputError(
                f"the corpus was encoded with {name}={theirs.get(name)}, but {self.name} has {ours[name]}; "
                "encode it as the model's text was"
            )

    @property
    def name(self) -> str:
        return str(self.model.folder or "the model")

    def vocabulary(self, memory: float) -> Vocabulary:
        """Return its words, with counts scaled to a text of at most `memory` words; 0: no limit."""
        counts = np.asarray(self.model.vocabulary.counts)
        total = int(counts.sum())
        if memory and memory < total:
            counts = np.maximum(np.rint(counts * (memory / total)), 1).astype(np.int64)
        return Vocabulary(self.model.vocabulary.words, counts)

    def state_for(self, corpus: EncodedCorpus, memory: float) -> PreviousState:
        """Return the state for training on a corpus whose vocabulary begins with the model's."""
        words = self.model.vocabulary.words
        if corpus.vocabulary.words[: len(words)] != words:
            raise InputError(f"the corpus was not encoded for {self.name}; begin anew with overwrite=True")
        counts = self.vocabulary(memory).counts
        return PreviousState(self.model.learned_arrays, self._rest, counts, corpus.tokens, self.find_new_senses)

    @cached_property
    def _rest(self) -> ArrayMap:
        model, rest = self.model, self.model._continuation.rest
        if rest is not None:
            width = model.learned_arrays["vectors"].shape[1]
            check_rest(Path(self.name) / REST, rest, len(model.vocabulary), width)
            return rest
        if model.config.uses("alpha"):
            self.say(
                f"{self.name} has no {REST}: it is assumed that no sense without a vector had been started; "
                "the rest of each word's count is given to senses that have no vector yet"
            )
        arrays = model.learned_arrays
        left = word_totals(model._learned) - np.add.reduceat(arrays["counts"], arrays["offsets"][:-1])
        return {
            "vectors": np.empty((0, arrays["vectors"].shape[1]), np.float32),
            "counts": np.empty(0),
            "words": np.empty(0, np.int64),
            "pending": np.maximum(left, 0.0),
        }

    def warn_of_text(self, text: str | None) -> None:
        """Warn if a text with this fingerprint was learned already."""
        if text and text in [seen.get("text") for seen in self.model.info.get("seen", [])]:
            self.say(f"{self.name} has learned this text already; now it counts once more")

    def carry_over(self, folder: Path) -> None:
        """Copy the editor's journal, the sense sheet and the trends: senses keep their numbers, so all stay valid."""
        if self.model.folder:
            copy_added(self.model.folder, folder, (JOURNAL, SHEET, TRENDS))


def unknown_after(previous_model: PreviousModel | None, corpus: EncodedCorpus) -> dict[str, int]:
    """Return the words that are not in the vocabulary of this corpus, with their counts in all texts."""
    if previous_model is None:
        return dict(corpus.unknown)
    known = {*corpus.vocabulary.words, *corpus.unknown}  # a count in corpus.unknown includes the old one
    unknown = {word: n for word, n in previous_model.model._continuation.unknown.items() if word not in known}
    add_unknown(unknown, corpus.unknown)
    return unknown
