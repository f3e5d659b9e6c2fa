"""Every option of a run: Python argument, command-line option and config.json key have the same name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from adagram.corpus.languages import ENGLISH, LANGUAGES, make_lemmatizer
from adagram.corpus.tokenize import MAX_CHARS, Tokenizer, TokenizerConfig, can_cut
from adagram.errors import InputError
from adagram.options import (
    Encoding,
    File,
    Number,
    OneOf,
    Regex,
    Switch,
    Text,
    Whole,
    WordList,
    check_names,
    check_options,
    option,
    options_of,
    spelled,
)
from adagram.presets import DEFAULTS, PRESETS, RECOMMENDED, alpha_for, epochs_for, lanes_for, subsample_for
from adagram.synonyms import SYNONYMS

ALGORITHMS = ("adagram", "skipgram", "skipgram-ns", "mpsg", "mssg", "np-mssg")
WITH_NOISE = ("skipgram-ns", "mssg", "np-mssg")  # negative sampling
STEPS = ("token", "pair")
# Options of TrainConfig that only some algorithms use.
USED_BY = {
    "alpha": ("adagram",),
    "initial_count": ("adagram",),
    "max_senses": ("adagram", "np-mssg"),
    "senses": ("mpsg", "mssg"),
    "multi_sense_words": ("mssg", "np-mssg"),
    "new_sense_below": ("np-mssg",),
    "negatives": WITH_NOISE,
    "step": ("skipgram", "skipgram-ns"),
    "adagrad": ("mssg", "np-mssg"),
}
FORMATS = ("text", "mediawiki", "wikiextractor", "jsonl", "parquet", "datasets", "conllu", "vertical")
OF_WORDS = ("conllu", "vertical")  # formats whose words are given
UNITS = ("word", "lemma", "lemma_pos")

_OTHER, _READING, _VOCABULARY = "Other algorithms", "Reading the corpus", "Vocabulary"
_AS_TRAINED = "as the model's text was read"
_THREADS = Whole(0, 1_024)


@dataclass(frozen=True)
class TrainConfig:
    """How a model is trained; the help texts are those of the command line.

    >>> TrainConfig(dim=100).window
    5
    """

    algorithm: str = option("adagram", OneOf(ALGORITHMS), f"One of {', '.join(ALGORITHMS)}.")
    dim: int = option(300, Whole(1, 10_000), "D, length of the vectors.")
    window: int = option(5, Whole(1, 1_000), "C/2, context words on each side.")
    alpha: float = option(
        0.1, Number(0, 1e6), "Semantic resolution: more, more senses; 0 is 0.1 up to 50 M words, else 0.05."
    )
    max_senses: int = option(30, Whole(1, 1_000), "T, most senses of a word; costs nothing until born.")
    epochs: int = option(
        1,
        Whole(0, 10_000),
        "Passes over the corpus; 0 is 10 up to 5 M words, 4 up to 200 M, 2 up to 1 G, else 1.",
    )
    lr: float = option(
        0.025, Number(0, 1, is_above=True), "Learning rate at first (mssg, np-mssg: 0.1); falls to zero."
    )
    subsample: float = option(
        0.0,
        Number(-1, 1),
        "Drop frequent words as word2vec does; 0 is off; -1 is 1e-4, for short texts 100 / words; mssg, np-mssg: 1e-3.",
        hint="0 is off, 1e-4 is usual",
    )
    shrink_windows: bool = option(
        False, Switch(), "A random window of 1..window per token, as in word2vec; on for mssg, np-mssg."
    )
    respect_boundaries: bool = option(
        False, Switch(), "Keep windows inside lines (sentences, documents); the paper reads over their ends."
    )
    shuffle: bool = option(False, Switch(), "Random order: for text sorted by date; --continue has it.")
    initial_count: float = option(
        0.0,
        Number(0, 1e15),
        "Count of the first sense at the start; 0 is the word's own count.",
        hint="0 is the word's own count",
    )
    merge_senses: bool = option(
        False,
        Switch(),
        "At the end, senses of a word that are one meaning become one; not with --ray, --continue.",
    )
    memory: float = option(
        0, Number(0, 1e15), "With --continue: the past counts as so many words; 0 is as many as it had."
    )
    lanes: int = option(
        1,
        Whole(0, 1_024),
        "Pieces of text trained side by side, whatever the number of threads; 1 is the paper's sequence, 0 is up to "
        "8 by the length of the text.",
    )
    threads: int = option(0, _THREADS, "Threads, at most one per core; 0 is all. Changes the time only.")
    deterministic: bool = option(
        False, Switch(), "Train the lanes one after another on one thread: the same model, bit for bit."
    )
    seed: int = option(1, Whole(0, 2**63 - 1), "Seed of all random numbers.")
    senses: int = option(3, Whole(1, 1_000), "mpsg, mssg: K, senses of every word.", _OTHER)
    multi_sense_words: int = option(
        30_000, Whole(0, 2**31), "mssg, np-mssg: only so many words have several senses.", _OTHER
    )
    new_sense_below: float = option(-0.5, Number(-1, 1), "np-mssg: a new sense below this cosine.", _OTHER)
    negatives: int = option(
        5, Whole(1, 1_000), "Noise words per context word: skipgram-ns 5; mssg, np-mssg 1.", _OTHER
    )
    step: str = option(
        "token",
        OneOf(STEPS),
        "skipgram, skipgram-ns: a step per token, as in the paper, or per pair, as in word2vec.",
        _OTHER,
    )
    adagrad: float = option(
        0.025, Number(0, 1e3), "mssg, np-mssg: δ of AdaGrad, with a constant lr; 0 is plain steps.", _OTHER
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.step == "pair" and self.algorithm not in ("skipgram", "skipgram-ns"):
            raise InputError(
                f"step is 'pair', but {self.algorithm} needs all of a token's context at once; leave step out"
            )
        if -1 < self.subsample < 0:
            raise InputError(f"subsample is {self.subsample:g}; it must be -1, or a number from 0 to 1")
        if self.merge_senses and self.algorithm != "adagram":
            raise InputError(f"merge_senses is for adagram; leave it out for {self.algorithm}")

    def settled(self, n_tokens: int) -> TrainConfig:
        """With alpha, epochs and subsampling for a text of this length, where it is to decide."""
        return replace(
            self,
            alpha=self.alpha or alpha_for(n_tokens),
            epochs=self.epochs or epochs_for(n_tokens),
            subsample=self.subsample if self.subsample >= 0 else subsample_for(n_tokens),
            lanes=self.lanes or lanes_for(n_tokens),
        )

    @property
    def n_threads(self) -> int:
        return 1 if self.deterministic else self.threads or os.cpu_count() or 1

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        check_names(values, options_of(cls), SYNONYMS)
        return cls(**values)

    @classmethod
    def from_preset(cls, name: str, **given: Any) -> TrainConfig:
        """The values of a preset, except where others are given."""
        return cls(**_of(cls, PRESETS[name]) | given)


@dataclass(frozen=True)
class EncodeOptions:
    """How a corpus is read and which words are kept."""

    format: str | None = option(
        None,
        OneOf(FORMATS),
        f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        _READING,
        unset="found from name and content",
    )
    encoding: str | None = option(
        None,
        Encoding(),
        "Encoding of the text, such as cp1252.",
        _READING,
        unset="UTF-8, or what a byte-order mark says",
    )
    column: str = option("text", Text(), "Column with the text (parquet, JSON lines, datasets).", _READING)
    split: str | None = option(None, Text(), "Split of a data set.", _READING, unset="all")
    unit: str = option("word", OneOf(UNITS), "word, lemma or lemma_pos (CoNLL-U, vertical).", _READING)
    pretokenized: bool = option(False, Switch(), "Words are what stands between spaces.", _READING)
    fold_case: bool | None = option(
        None,
        Switch("--fold-case/--keep-case"),
        "Lower-case all words.",
        _READING,
        unset="fold, but keep with --pretokenized",
    )
    numbers: bool = option(True, Switch(), "Keep words without letters.", _READING)
    language: str | None = option(
        None,
        OneOf(tuple(LANGUAGES)),
        f"Spellings and clitics of one language: {', '.join(LANGUAGES)}.",
        _READING,
        unset="as Unicode has it",
        hint="all other languages need none",
    )
    lemmas: str | None = option(
        None, Text(), "Words become lemmas of this language, such as en.", _READING, unset="words stay"
    )
    max_chars: int = option(MAX_CHARS, Whole(1, 1_000), "Drop words of more characters.", _READING)
    skip_bad: bool = option(False, Switch(), "Go on after damaged files and lines, and count them.", _READING)
    phrases: int = option(0, Whole(0, 10), "Passes of joining phrases such as new_york.", _READING)
    phrase_min_count: int = option(20, Whole(1, 10**12), "Pairs that occur less often stay apart.", _READING)
    phrase_threshold: float = option(100.0, Number(0, 1e15), "Higher: fewer phrases.", _READING)
    min_count: int = option(
        20,
        Whole(0, 10**12),
        "Drop words that occur less often; 0 is 5 for up to 10 M words, else 20.",
        _VOCABULARY,
    )
    max_words: int | None = option(
        None, Whole(1, 2**31), "Keep only so many words.", _VOCABULARY, unset="all"
    )
    remove_top: int = option(0, Whole(0, 2**31), "Drop so many of the most frequent words.", _VOCABULARY)
    stop_words: frozenset[str] = option(
        frozenset(),
        WordList({"english": ENGLISH}),
        "File with words to drop, or `english`.",
        _VOCABULARY,
        unset="none; mssg, np-mssg: english",
    )
    pattern: str | None = option(
        None,
        Regex(),
        "Keep only words that this regular expression matches whole.",
        _VOCABULARY,
        unset="all words",
    )
    vocabulary: Path | None = option(  # noqa: RUF009 (a field)
        None, File(), "Word-count file: use these words and counts.", _VOCABULARY, unset="counted"
    )
    max_types: int = option(
        10_000_000,
        Whole(1_000, 2**30),
        "Distinct words held while counting; beyond it rare ones are forgotten.",
        _VOCABULARY,
    )
    threads: int = option(0, _THREADS, "Threads to use; 0 is all cores.", _READING)
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
            raise InputError(
                f"tokenizer is {self.tokenizer!r}; it must be a function from a line to a list of words"
            )
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
        if (
            self.unit == "lemma_pos"
        ):  # its words are final, so the tokenizer does not say how they were folded
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

    format: str | None = option(
        None, OneOf(FORMATS), f"One of {', '.join(FORMATS)}.", _READING, unset="found from name and content"
    )
    encoding: str | None = option(
        None,
        Encoding(),
        "Encoding of the text, such as cp1252.",
        _READING,
        unset="UTF-8, or what a byte-order mark says",
    )
    column: str | None = option(
        None, Text(), "Column with the text (parquet, JSON lines, datasets).", _READING, unset=_AS_TRAINED
    )
    split: str | None = option(None, Text(), "Split of a data set.", _READING, unset=_AS_TRAINED)
    unit: str | None = option(
        None, OneOf(UNITS), "word, lemma or lemma_pos (CoNLL-U, vertical).", _READING, unset=_AS_TRAINED
    )
    skip_bad: bool = option(
        False, Switch("--skip-bad"), "Leave out what cannot be read or dated, and count it.", _READING
    )
    threads: int | None = option(None, Whole(1, 1024), "Threads to use.", _READING, unset="all cores")

    def __post_init__(self) -> None:
        check_options(self)

    def of_model(self, info: Mapping[str, Any]) -> EncodeOptions:
        """Options of reading for a model with this config.json."""
        given = {name: getattr(self, name) for name in ("format", "encoding", "column", "split", "unit")}
        given = {name: value for name, value in given.items() if value is not None}
        kept = {name: value for name, value in kept_reading(info).items() if name != "format"}
        return EncodeOptions(**kept | given, skip_bad=self.skip_bad, threads=self.threads or 0)


def kept_reading(info: Mapping[str, Any]) -> dict[str, Any]:
    """Options with which a model's text was read, as `EncodeOptions.reading`, from its config.json."""
    found: Any = info
    for name in ("corpus", "report", "reading"):
        found = found.get(name) if isinstance(found, Mapping) else None
    names = ("unit", "column", "split", "format", "fold_case")
    return {name: found[name] for name in names if name in found} if isinstance(found, Mapping) else {}


def read_options(given: Mapping[str, Any]) -> tuple[TrainConfig, EncodeOptions]:
    """The options of a run by name, those of training and of reading the corpus together.

    `preset` names values for all options that are not given; without it they are those that are recommended, or those
    of the algorithm's authors.

    >>> config, encoding = read_options({"preset": "paper", "dim": 100, "fold_case": False})
    >>> config.dim, config.alpha, encoding.min_count, encoding.fold_case
    (100, 0.1, 20, False)
    >>> config, encoding = read_options({"algorithm": "mssg", "subsample": 0})
    >>> config.negatives, config.subsample, "the" in encoding.stop_words
    (1, 0, True)
    """
    check_names(given, ["preset", *options_of(TrainConfig, EncodeOptions), "tokenizer"], SYNONYMS)
    preset = given.get("preset")
    if preset is not None and preset not in list(PRESETS):
        raise InputError(f"preset is {preset!r}; it must be one of {', '.join(PRESETS)}")
    defaults = (
        PRESETS[preset] if preset else DEFAULTS.get(str(given.get("algorithm", "adagram")), RECOMMENDED)
    )
    values = {**defaults, **given}
    return TrainConfig(**_of(TrainConfig, values)), EncodeOptions(**_of(EncodeOptions, values))


def check_used(given: Mapping[str, Any], algorithm: str) -> None:
    """Refuse options that the algorithm does not use: they would do nothing."""
    for name in given:
        if algorithm not in USED_BY.get(name, (algorithm,)):
            raise InputError(
                f"{name} is {spelled(given[name])}, but {algorithm} does not use it, only {', '.join(USED_BY[name])}; "
                "leave it out"
            )


def _of(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are fields of a class."""
    return {field.name: values[field.name] for field in fields(cls) if field.name in values}
