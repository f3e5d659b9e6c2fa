"""Options for reading a corpus: how text is decoded and split, and which words are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from adagram.corpus.languages import ENGLISH, LANGUAGES, make_lemmatizer
from adagram.corpus.tokenize import MAX_CHARS, Tokenizer, TokenizerConfig, can_cut
from adagram.errors import InputError
from adagram.options import (
    Encoding,
    File,
    Flag,
    FloatRange,
    IntRange,
    OneOf,
    Regex,
    Text,
    WordList,
    check_options,
    option,
)

FORMATS = ("text", "mediawiki", "wikiextractor", "jsonl", "parquet", "datasets", "conllu", "vertical")
OF_WORDS = ("conllu", "vertical")  # formats whose words are given
UNITS = ("word", "lemma", "lemma_pos")
THREADS = IntRange(1, 1_024)

_reading = partial(option, panel="Reading the corpus")
_vocabulary = partial(option, panel="Vocabulary")
_AS_TRAINED = "as the model's text was read"
_FOUND, _UTF8 = "found from name and content", "UTF-8, or what a byte-order mark says"
_ENCODING = (Encoding(), "Encoding of the text, such as cp1252.")
_COLUMN = (Text(), "Column with the text (parquet, JSON lines, datasets).")
_SPLIT = (Text(), "Split of a data set.")
_UNIT = (OneOf(UNITS), "word, lemma or lemma_pos (CoNLL-U, vertical).")


def min_count_for(n_tokens: int) -> int:
    """Return the count below which words are dropped.

    >>> min_count_for(2_000_000), min_count_for(80_000_000)
    (5, 20)
    """
    return 5 if n_tokens <= 10_000_000 else 20


@dataclass(frozen=True)
class EncodeOptions:
    """How a corpus is read and which words are kept."""

    format: str | None = _reading(None, OneOf(FORMATS), f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.", unset=_FOUND)
    encoding: str | None = _reading(None, *_ENCODING, unset=_UTF8)
    column: str = _reading("text", *_COLUMN)
    split: str | None = _reading(None, *_SPLIT, unset="all")
    unit: str = _reading("word", *_UNIT)
    pretokenized: bool = _reading(False, Flag(), "Words are what stands between spaces.")
    fold_case: bool | None = _reading(
        None, Flag("--fold-case/--keep-case"), "Lower-case all words.", unset="fold, but keep with --pretokenized"
    )
    numbers: bool = _reading(True, Flag(), "Keep words without letters.")
    language: str | None = _reading(
        None,
        OneOf(tuple(LANGUAGES)),
        f"Spellings and clitics of one language: {', '.join(LANGUAGES)}.",
        unset="as Unicode has it",
        hint="all other languages need none",
    )
    lemmas: str | None = _reading(None, Text(), "Words become lemmas of this language, such as en.", unset="words stay")
    max_chars: int = _reading(MAX_CHARS, IntRange(1, 1_000), "Drop words of more characters.")
    skip_bad: bool = _reading(False, Flag(), "Go on after damaged files and lines, and count them.")
    phrases: int = _reading(0, IntRange(0, 10), "Passes of joining phrases such as new_york.")
    phrase_min_count: int = _reading(20, IntRange(1, 10**12), "Pairs that occur less often stay apart.")
    phrase_threshold: float = _reading(100.0, FloatRange(0, 1e15), "Higher: fewer phrases.")
    min_count: int | None = _vocabulary(
        None, IntRange(1, 10**12), "Drop words that occur less often.", unset="5 up to 10 M words, else 20"
    )
    max_words: int | None = _vocabulary(None, IntRange(1, 2**31), "Keep only so many words.", unset="all")
    remove_top: int = _vocabulary(0, IntRange(0, 2**31), "Drop so many of the most frequent words.")
    stop_words: frozenset[str] = _vocabulary(
        frozenset(),
        WordList({"english": ENGLISH}),
        "File with words to drop, or `english`.",
        unset="none; mssg, np-mssg: english",
    )
    pattern: str | None = _vocabulary(
        None, Regex(), "Keep only words that this regular expression matches whole.", unset="all words"
    )
    vocabulary: Path | None = _vocabulary(  # noqa: RUF009 (a field)
        None, File(), "Word-count file: use these words and counts.", unset="counted"
    )
    max_types: int = _vocabulary(
        10_000_000, IntRange(1_000, 2**30), "Distinct words held while counting; beyond it rare ones are forgotten."
    )
    threads: int | None = _reading(None, THREADS, "Threads to use.", unset="all cores")
    tokenizer: Tokenizer | None = None  # a function of the caller's own, from a line to its words

    def __post_init__(self) -> None:
        check_options(self)
        if self.lemmas:
            make_lemmatizer(self.lemmas, fold_case=True)  # or it is refused, before anything is read
        if self.lemmas and self.unit != "word":
            raise InputError(f"unit is {self.unit!r}, so lemmas come with the corpus; leave out lemmas")
        if self.tokenizer is None:
            return
        if not callable(self.tokenizer):
            raise InputError(f"tokenizer is {self.tokenizer!r}; it must be a function from a line to a list of words")
        ours = (self.pretokenized, self.language, self.lemmas, self.fold_case is not None, not self.numbers)
        if any(ours):
            raise InputError(
                "tokenizer is a function, which decides what words are; leave out pretokenized, fold_case, language, "
                "lemmas and numbers"
            )

    @property
    def n_threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    @property
    def reading(self) -> dict[str, Any]:
        """What a model keeps beside its tokenizer, so that other texts are read as its own was.

        The encoding is each file's own, and so is a format that the content of a file shows.
        """
        kept: dict[str, Any] = {"unit": self.unit, "column": self.column}
        if self.split:
            kept["split"] = self.split
        if self.format in OF_WORDS:
            kept["format"] = self.format
        if self.unit == "lemma_pos":  # its words are final: the tokenizer does not say how they were folded
            kept["fold_case"] = self.tokenizer_config.fold_case
        return kept

    @property
    def tokenizer_config(self) -> TokenizerConfig:
        """The configuration that is recorded; text split by the caller's own function is recorded as pretokenized."""
        if self.tokenizer is not None:
            return TokenizerConfig(pretokenized=True, max_chars=self.max_chars)
        words = (self.fold_case, self.numbers, self.pretokenized, self.max_chars)
        return TokenizerConfig(*words, "", self.language or "", self.lemmas or "", can_cut())


@dataclass(frozen=True)
class DocumentOptions:
    """How documents are read: as the model's text was, but for what is given; words are cut in the same way."""

    format: str | None = _reading(None, OneOf(FORMATS), f"One of {', '.join(FORMATS)}.", unset=_FOUND)
    encoding: str | None = _reading(None, *_ENCODING, unset=_UTF8)
    column: str | None = _reading(None, *_COLUMN, unset=_AS_TRAINED)
    split: str | None = _reading(None, *_SPLIT, unset=_AS_TRAINED)
    unit: str | None = _reading(None, *_UNIT, unset=_AS_TRAINED)
    skip_bad: bool = _reading(False, Flag("--skip-bad"), "Leave out what cannot be read or dated, and count it.")
    threads: int | None = _reading(None, THREADS, "Threads to use.", unset="all cores")

    def __post_init__(self) -> None:
        check_options(self)

    def of_model(self, info: Mapping[str, Any]) -> EncodeOptions:
        """Options of reading for a model with this config.json."""
        given = {name: getattr(self, name) for name in ("format", "encoding", "column", "split", "unit")}
        given = {name: value for name, value in given.items() if value is not None}
        kept = {name: value for name, value in kept_reading(info).items() if name != "format"}
        return EncodeOptions(**kept | given, skip_bad=self.skip_bad, threads=self.threads)


def kept_reading(info: Mapping[str, Any]) -> dict[str, Any]:
    """Options with which a model's text was read, as `EncodeOptions.reading`, from its config.json."""
    found: Any = info
    for name in ("corpus", "report", "reading"):
        found = found.get(name) if isinstance(found, Mapping) else None
    names = ("unit", "column", "split", "format", "fold_case")
    return {name: found[name] for name in names if name in found} if isinstance(found, Mapping) else {}
