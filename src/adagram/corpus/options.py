"""What `encode` can be told: one frozen object, the same names as the command line's options."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from adagram.errors import InputError
from adagram.text.tokenizer import Tokenizer, TokenizerConfig

FORMATS = ("text", "mediawiki", "wikiextractor", "jsonl", "parquet", "datasets", "conllu", "vertical")
UNITS = ("word", "lemma", "lemma_pos")
Progress = Callable[[str, int, int | None], None]  # stage, done, total (None when not known)


@dataclass(frozen=True)
class PhraseOptions:
    """Joining word pairs that occur together more than chance says, in the manner of word2phrase."""

    passes: int = 0  # 0 joins nothing; 2 can make phrases of up to four words
    min_count: int = 20  # pairs that occur less often stay apart
    threshold: float = 100.0  # higher: fewer phrases
    joiner: str = "_"


@dataclass(frozen=True)
class EncodeOptions:
    """Options of `encode`; the defaults are the paper's."""

    tokenizer: TokenizerConfig | Tokenizer = field(default_factory=TokenizerConfig)
    min_count: int = 20
    max_words: int | None = None  # keep only so many of the most frequent
    remove_top: int = 0  # drop so many of the most frequent
    stop_words: frozenset[str] = frozenset()
    pattern: str | None = None  # keep only words that this regular expression matches as a whole
    vocabulary: Path | None = None  # word-count file: these words with these counts
    phrases: PhraseOptions = field(default_factory=PhraseOptions)
    format: str | None = None  # one of FORMATS; found out from name and content if not given
    column: str = "text"  # of parquet, JSON lines and datasets
    split: str | None = None  # of datasets
    unit: str = "word"  # one of UNITS, for CoNLL-U and vertical files
    skip_bad: bool = False  # go on after damaged files and lines, and count them
    threads: int = 1
    max_types: int = 10_000_000  # distinct words held while counting; beyond it rare ones are forgotten

    def __post_init__(self) -> None:
        for name, least in (("min_count", 1), ("remove_top", 0), ("threads", 1), ("max_types", 1000)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.max_words is not None and self.max_words < 1:
            raise InputError(f"max_words must be at least 1, not {self.max_words}")
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"unknown corpus format {self.format!r}; choose one of {', '.join(FORMATS)}")
        if self.unit not in UNITS:
            raise InputError(f"unknown unit {self.unit!r}; choose one of {', '.join(UNITS)}")
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise InputError(f"{self.pattern!r} is not a regular expression: {error}") from None

    @property
    def tokenizer_config(self) -> TokenizerConfig:
        """The configuration that is recorded; a callable of the user's is recorded as pretokenized text."""
        if isinstance(self.tokenizer, TokenizerConfig):
            return self.tokenizer
        return TokenizerConfig(pretokenized=True)
