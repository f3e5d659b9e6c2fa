"""Every option of a run, with its default, and what each algorithm uses and can do.

Python argument, command-line option and config.json key have the same name. None means automatic: the value follows
from the algorithm when a TrainConfig is made, or from the length of the text when it is resolved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict

from adagram.corpus.options import THREADS, EncodeOptions
from adagram.corpus.tokenize import Tokenizer
from adagram.errors import InputError
from adagram.options import (
    SYNONYMS,
    Flag,
    FloatRange,
    IntRange,
    OneOf,
    check_names,
    check_options,
    option,
    options_of,
    spelled,
)


@dataclass(frozen=True)
class Algorithm:
    """What an algorithm uses and can do."""

    system: str  # module and class under adagram.systems
    options: tuple[str, ...] = ()  # those that not all algorithms use
    defaults: Mapping[str, Any] = field(default_factory=dict)  # other than those of AdaGram
    objective: str = "bound"  # name of the training figure: with negative sampling it is not a bound
    can_continue: bool = False  # a model folder holds all that training needs
    merges_senses: bool = False  # can merge duplicate senses after training


# The settings of Neelakantan et al. (2014).
_NEELAKANTAN: dict[str, Any] = {
    "lr": 0.1,
    "subsample": 1e-3,
    "negatives": 1,
    "shrink_windows": True,
    "respect_boundaries": True,
    "lanes": None,
    "stop_words": "english",
}
# A new algorithm is a module and its kernel in adagram/systems, and a line here.
ALGORITHMS = {
    "adagram": Algorithm(
        "adagram.AdaGram", ("alpha", "initial_count", "max_senses", "row_limit"), can_continue=True, merges_senses=True
    ),
    "skipgram": Algorithm("skipgram.SkipGram", ("row_limit",), can_continue=True),
    "skipgram-ns": Algorithm("skipgram.SkipGramNS", ("negatives",), objective="objective", can_continue=True),
    "mpsg": Algorithm("mpsg.MPSG", ("senses", "row_limit"), can_continue=True),
    "mssg": Algorithm("mssg.MSSG", ("senses", "multi_sense_words", "negatives", "adagrad"), _NEELAKANTAN, "objective"),
    "np-mssg": Algorithm(
        "mssg.NPMSSG",
        ("max_senses", "multi_sense_words", "new_sense_below", "negatives", "adagrad"),
        _NEELAKANTAN,
        "objective",
    ),
}
# Defaults of options that are None because some algorithms have others.
_COMMON: dict[str, Any] = {"lr": 0.025, "negatives": 5, "shrink_windows": False}
EPOCHS = ((5_000_000, 10), (200_000_000, 4), (1_000_000_000, 2))  # for texts of at most so many words; else 1
LANES = 16  # if their number is automatic
SHORT = 250_000  # words; a text with fewer has one lane and no row limit

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "algorithm": "adagram",
        "dim": 300,
        "window": 5,
        "alpha": 0.1,
        "max_senses": 30,
        "epochs": 1,
        "lr": 0.025,
        "subsample": 0.0,
        "row_limit": 0.0,
        "shrink_windows": False,
        "respect_boundaries": False,
        "shuffle": False,
        "initial_count": None,
        "memory": None,
        "merge_senses": False,
        "senses": 3,
        "multi_sense_words": 30_000,
        "new_sense_below": -0.5,
        "negatives": 5,
        "lanes": 1,
        "adagrad": 0.025,
        "phrases": 0,
        "min_count": 20,
        "max_words": None,
        "remove_top": 0,
    }
}

RETIRED = ("step",)  # options that config.json of older models has

_OTHER = "Other algorithms"


def values_for(n_tokens: int, n_words: int = 10_000) -> dict[str, Any]:
    """Return the options that follow from the length of a text and the size of its vocabulary if they are None.

    >>> values_for(2_000_000)
    {'alpha': 0.3, 'epochs': 10, 'subsample': 0.0001, 'row_limit': 0.03, 'lanes': 16}
    >>> values_for(10_000, n_words=50)
    {'alpha': 0.1, 'epochs': 10, 'subsample': 0.02, 'row_limit': 0.0, 'lanes': 1}
    """
    is_short = n_tokens < SHORT
    return {
        # Without a row limit noise creates senses too; in a long text more contexts fit no sense by chance.
        "alpha": 0.3 if SHORT <= n_tokens <= 50_000_000 else 0.1,
        "epochs": next((epochs for limit, epochs in EPOCHS if n_tokens <= limit), 1),
        # Keep words that occur a hundred times or as often as the mean word: in toy text all words are frequent.
        "subsample": max(1e-4, min(1.0, 100 / max(n_tokens, 1)), 1 / max(n_words, 1)),
        "row_limit": 0.0 if is_short else 0.03,  # in a short text every row has to learn fast
        "lanes": 1 if is_short else LANES,  # a short text is trained in sequence
    }


BY_LENGTH: dict[str, Any] = dict.fromkeys(values_for(0))


@dataclass(frozen=True)
class TrainConfig:
    """Options of training; the help texts are those of the command line.

    None means automatic. Defaults that depend on the algorithm are filled in at once, those that depend on the length
    of the text by `resolve`, which every run calls before it trains; config.json holds the resolved values.

    >>> TrainConfig().window, TrainConfig(algorithm="mssg").lr
    (10, 0.1)
    >>> TrainConfig().epochs is None, TrainConfig().resolve(n_tokens=2_000_000).epochs
    (True, 10)
    """

    algorithm: str = option("adagram", OneOf(tuple(ALGORITHMS)), f"One of {', '.join(ALGORITHMS)}.")
    dim: int = option(100, IntRange(1, 10_000), "D, length of the vectors.")
    window: int = option(10, IntRange(1, 1_000), "C/2, context words on each side.")
    alpha: float = option(
        None,
        FloatRange(0, 1e6, is_open=True),
        "Semantic resolution: larger values give more senses.",
        unset=f"0.3; 0.1 below {SHORT:,} words and above 50 M",
    )
    max_senses: int = option(30, IntRange(1, 1_000), "T, maximum number of senses of a word.")
    epochs: int = option(
        None,
        IntRange(1, 10_000),
        "Passes over the corpus.",
        unset="10 up to 5 M words, 4 up to 200 M, 2 up to 1 G, else 1",
    )
    lr: float = option(
        None,
        FloatRange(0, 1, is_open=True),
        "Initial learning rate; it falls to zero.",
        unset="0.025; mssg, np-mssg: 0.1",
    )
    subsample: float = option(
        None,
        FloatRange(0, 1),
        "Drop frequent words at random, as word2vec does; 0 keeps all.",
        unset="1e-4, or 100 / words or 1 / different words if one is more; mssg, np-mssg: 1e-3",
        hint="0 is off, 1e-4 is usual",
    )
    row_limit: float = option(
        None,
        FloatRange(0, 1e6),
        "Slow down output vectors that a token updates more often than this, on average; 0 is off.",
        unset=f"0.03; 0 below {SHORT:,} words",
        hint="0 is the paper's, 0.03 is usual",
    )
    shrink_windows: bool = option(
        None, Flag(), "Draw a window of 1..window for each token, as word2vec does.", unset="off; mssg, np-mssg: on"
    )
    respect_boundaries: bool = option(
        True, Flag(), "Keep windows inside lines (sentences, documents); the paper does not."
    )
    shuffle: bool = option(
        False, Flag(), "Train in random order, for text that is sorted by date; on by default with --continue."
    )
    initial_count: float = option(
        None, FloatRange(0, 1e15, is_open=True), "Count of the first sense at the start.", unset="the word's own count"
    )
    merge_senses: bool = option(
        None,
        Flag(),
        "At the end, merge senses of a word that have the same meaning; not with --ray or --continue.",
        unset="on; only adagram has it",
    )
    memory: float = option(
        None,
        FloatRange(0, 1e15, is_open=True),
        "With --continue: weigh what the model has learned as a text of so many words.",
        unset="as many as it was",
    )
    lanes: int = option(
        None,
        IntRange(1, 1_024),
        "Pieces of text that are trained in parallel, on any number of threads; 1 is the paper's sequence.",
        unset=f"{LANES}; 1 below {SHORT:,} words",
    )
    threads: int | None = option(None, THREADS, "Threads; they change the time, not the model.", unset="all cores")
    deterministic: bool = option(
        False, Flag(), "Train the lanes one after another on one thread: the same model, bit for bit."
    )
    seed: int = option(1, IntRange(0, 2**63 - 1), "Seed of all random numbers.")
    senses: int = option(3, IntRange(1, 1_000), "mpsg, mssg: K, number of senses of every word.", _OTHER)
    multi_sense_words: int = option(
        30_000, IntRange(0, 2**31), "mssg, np-mssg: how many frequent words get several senses.", _OTHER
    )
    new_sense_below: float = option(-0.5, FloatRange(-1, 1), "np-mssg: add a sense if no cosine is above this.", _OTHER)
    negatives: int = option(
        None,
        IntRange(1, 1_000),
        "skipgram-ns, mssg, np-mssg: noise words per context word.",
        _OTHER,
        unset="5; mssg, np-mssg: 1",
    )
    adagrad: float = option(
        0.025, FloatRange(0, 1e3), "mssg, np-mssg: δ of AdaGrad, with a constant lr; 0 is plain SGD.", _OTHER
    )

    def __post_init__(self) -> None:
        check_options(self)
        about = ALGORITHMS[self.algorithm]
        automatic = {**_COMMON, "merge_senses": about.merges_senses, **about.defaults}
        for name in options_of(TrainConfig):
            if getattr(self, name) is None and name in automatic:
                object.__setattr__(self, name, automatic[name])
        if self.merge_senses and not about.merges_senses:
            raise InputError(f"merge_senses is for adagram; leave it out for {self.algorithm}")

    def resolve(self, n_tokens: int, n_words: int = 10_000) -> TrainConfig:
        """Replace None by values for a text of this length and vocabulary."""
        values = values_for(n_tokens, n_words).items()
        return replace(self, **{name: value for name, value in values if getattr(self, name) is None})

    @property
    def n_threads(self) -> int:
        return 1 if self.deterministic else self.threads or os.cpu_count() or 1

    def uses(self, name: str) -> bool:
        """Return whether the algorithm uses an option.

        >>> TrainConfig(algorithm="skipgram").uses("alpha"), TrainConfig(algorithm="skipgram").uses("dim")
        (False, True)
        """
        return name not in unused_options(self.algorithm)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        """Return the config of a config.json, which holds resolved values; options that it lacks are the paper's."""
        values = {name: value for name, value in values.items() if name not in RETIRED}
        check_names(values, options_of(cls), SYNONYMS)
        config = cls.from_preset("paper", **values)
        for name in BY_LENGTH:
            if getattr(config, name) is None:
                raise InputError(f"{name} is None; it must be {options_of(cls)[name][1].kind.description}")
        return config

    @classmethod
    def from_preset(cls, name: str, **given: Any) -> TrainConfig:
        """Return the values of a preset, except for those given."""
        return cls(**_of(cls, PRESETS[name]) | given)


class TrainOptions(TypedDict, total=False):
    """The options of `adagram.train` by name, for editors and type checkers."""

    preset: str | None
    algorithm: str
    dim: int
    window: int
    alpha: float | None
    max_senses: int
    epochs: int | None
    lr: float | None
    subsample: float | None
    row_limit: float | None
    shrink_windows: bool | None
    respect_boundaries: bool
    shuffle: bool
    initial_count: float | None
    merge_senses: bool | None
    memory: float | None
    lanes: int | None
    threads: int | None
    deterministic: bool
    seed: int
    senses: int
    multi_sense_words: int
    new_sense_below: float
    negatives: int | None
    adagrad: float
    format: str | None
    encoding: str | None
    column: str
    split: str | None
    unit: str
    pretokenized: bool
    fold_case: bool | None
    numbers: bool
    language: str | None
    lemmas: str | None
    max_chars: int
    skip_bad: bool
    phrases: int
    phrase_min_count: int
    phrase_threshold: float
    min_count: int | None
    max_words: int | None
    remove_top: int
    stop_words: str | Path | Iterable[str]
    pattern: str | None
    vocabulary: str | Path | None
    max_types: int
    tokenizer: Tokenizer | None


def unused_options(algorithm: str) -> set[str]:
    """Return the options of training that an algorithm does not use."""
    special = {name for about in ALGORITHMS.values() for name in about.options}
    return special - set(ALGORITHMS[algorithm].options)


def settings_used(config: TrainConfig) -> dict[str, Any]:
    """Return the settings that the algorithm uses."""
    return {name: value for name, value in config.to_dict().items() if config.uses(name)}


def objective_name(config: TrainConfig) -> str:
    """Return the name of the training figure: with negative sampling it is not a bound of a likelihood."""
    return ALGORITHMS[config.algorithm].objective


def read_options(given: Mapping[str, Any], config: TrainConfig | None = None) -> tuple[TrainConfig, EncodeOptions]:
    """Return the options of a run: those of training, which `config` holds if it is given, and of reading the corpus.

    `preset` names values for all options that are not given; the other defaults are those of the algorithm.

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
    if config is not None:
        _check_config(config, given)
        given = {"threads": config.threads, **given}
    else:
        config = TrainConfig(**_of(TrainConfig, {**PRESETS.get(preset or "", {}), **given}))
    defaults = PRESETS[preset] if preset else ALGORITHMS[config.algorithm].defaults
    return config, EncodeOptions(**_of(EncodeOptions, {**defaults, **given}))


def _check_config(config: Any, given: Mapping[str, Any]) -> None:
    if not isinstance(config, TrainConfig):
        raise InputError(f"config is {spelled(config)}; it must be a TrainConfig")
    for name in given:
        if name == "preset" or name in options_of(TrainConfig):
            raise InputError(f"{name} is {spelled(given[name])}, but there is a config too; give {name} in it")


def check_used(given: Mapping[str, Any], algorithm: str) -> None:
    """Refuse options that the algorithm does not use."""
    for name in sorted(unused_options(algorithm) & set(given)):
        users = [each for each, about in ALGORITHMS.items() if name in about.options]
        raise InputError(
            f"{name} is {spelled(given[name])}, but {algorithm} does not use it, only {', '.join(users)}; leave it out"
        )


def _of(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that are fields of a class."""
    return {field.name: values[field.name] for field in fields(cls) if field.name in values}
