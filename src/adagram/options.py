"""Options: fields of frozen dataclasses with a kind (type and range), a help text and a check.

The same fields are the Python arguments, the command line's options and their help, and the keys of config.json.
"""

from __future__ import annotations

import codecs
import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Protocol

from adagram.errors import InputError


class Kind(Protocol):
    """The values that an option accepts."""

    type: ClassVar[Any]  # of one value on the command line

    @property
    def description(self) -> str:
        """How an error message goes on after "it must be"."""
        ...

    def validate(self, value: Any) -> Any:
        """Return the value as it is kept; raise ValueError if it is not valid."""
        ...


@dataclass(frozen=True)
class IntRange:
    min: int
    max: int
    type: ClassVar[Any] = int

    @property
    def description(self) -> str:
        return f"a whole number from {self.min} to {self.max}"

    def validate(self, value: Any) -> int:
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise ValueError
        number = int(value)
        if not self.min <= number <= self.max:
            raise ValueError
        return number


@dataclass(frozen=True)
class FloatRange:
    min: float
    max: float
    is_open: bool = False  # excludes `min`
    type: ClassVar[Any] = float

    @property
    def description(self) -> str:
        if self.is_open:
            return f"a number above {spelled(self.min)}, at most {spelled(self.max)}"
        return f"a number from {spelled(self.min)} to {spelled(self.max)}"

    def validate(self, value: Any) -> float:
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ValueError
        number = int(value) if isinstance(value, Integral) else float(value)
        if not self.min <= number <= self.max or (self.is_open and number == self.min):
            raise ValueError
        return number


@dataclass(frozen=True)
class OneOf:
    names: tuple[str, ...]
    type: ClassVar[Any] = str

    @property
    def description(self) -> str:
        return f"one of {', '.join(self.names)}"

    def validate(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise ValueError
        return value


@dataclass(frozen=True)
class Flag:
    flags: str = ""  # on the command line, if not --name/--no-name
    description: ClassVar[str] = "True or False"
    type: ClassVar[Any] = bool

    def validate(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


@dataclass(frozen=True)
class Text:
    description: ClassVar[str] = "a string of at least one character"
    type: ClassVar[Any] = str

    def validate(self, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError
        return value


@dataclass(frozen=True)
class Regex:
    description: ClassVar[str] = "a regular expression"
    type: ClassVar[Any] = str

    def validate(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(str(error)) from None
        return value


@dataclass(frozen=True)
class Encoding:
    description: ClassVar[str] = "the name of an encoding, such as cp1252, koi8-r or shift_jis"
    type: ClassVar[Any] = str

    def validate(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        try:
            codecs.getincrementaldecoder(value)
            b"a".decode(value)
        except UnicodeDecodeError:  # two bytes or more to a character
            pass
        except (LookupError, ValueError):  # LookupError also says: not an encoding of text
            raise ValueError from None
        return codecs.lookup(value).name


@dataclass(frozen=True)
class File:
    description: ClassVar[str] = "the name of a file that exists"
    type: ClassVar[Any] = Path

    def validate(self, value: Any) -> Path:
        if not isinstance(value, str | os.PathLike) or not os.path.exists(value) or os.path.isdir(value):
            raise ValueError
        return Path(value)


@dataclass(frozen=True)
class WordList:
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)  # lists that have a name
    type: ClassVar[Any] = Path

    @property
    def description(self) -> str:
        names = "".join(f"'{name}', " for name in self.known)
        return f"{names}the name of a file with words, or a list or set of words"

    def validate(self, value: Any) -> frozenset[str]:
        if isinstance(value, str | os.PathLike) and os.fspath(value) in self.known:
            return self.known[str(value)]
        if isinstance(value, str | os.PathLike):
            try:
                return frozenset(Path(value).read_text(encoding="utf-8").split())
            except OSError as error:
                raise ValueError(error.strerror or str(error)) from None
            except UnicodeDecodeError as error:
                raise ValueError(f"the file is not UTF-8 at byte {error.start}") from None
        if not isinstance(value, Iterable) or isinstance(value, bytes):
            raise ValueError
        taken = frozenset(value)
        if not all(isinstance(word, str) for word in taken):
            raise ValueError
        return taken


@dataclass(frozen=True)
class Option:
    """What a field has beside its default."""

    kind: Kind
    help: str
    panel: str  # heading in the command line's help
    unset: str = ""  # what None, or an empty set, stands for
    hint: str = ""  # added to the error message


def option(
    default: Any, kind: Kind, help: str, panel: str = "Training", *, unset: str = "", hint: str = ""
) -> Any:
    """Return a dataclass field that is an option."""
    return field(default=default, metadata={"option": Option(kind, help, panel, unset, hint)})


def options_of(*classes: type) -> dict[str, tuple[Field[Any], Option]]:
    """Return the options of some classes by name, in order; a name that two of them have is one option."""
    found: dict[str, tuple[Field[Any], Option]] = {}
    for own in (own for cls in classes for own in fields(cls) if "option" in own.metadata):
        found.setdefault(own.name, (own, own.metadata["option"]))
    return found


def check_options(options: Any) -> None:
    """Validate and normalize every option; call it in __post_init__."""
    for name, (own, about) in options_of(type(options)).items():
        value = getattr(options, name)
        if value is None and own.default is None:
            continue
        try:
            object.__setattr__(options, name, about.kind.validate(value))
        except ValueError as error:
            reason = f" ({error})" if str(error) else ""
            hint = f"; {about.hint}" if about.hint else ""
            raise InputError(
                f"{name} is {spelled(value)}{reason}; it must be {about.kind.description}{hint}"
            ) from None


def check_names(given: Mapping[str, Any], known: Iterable[str], synonyms: Mapping[str, str]) -> None:
    """Refuse unknown names, with a synonym, the nearest name, or all names."""
    names = list(known)
    for name in given:
        if name in names:
            continue
        near = difflib.get_close_matches(name, names, n=1)
        meant = synonyms.get(name)
        if meant is None:
            meant = f"did you mean {near[0]}?" if near else f"the options are {', '.join(names)}"
        elif meant in names:
            meant = f"here it is called {meant}"
        raise InputError(f"unknown option {name!r}; {meant}")


def spelled(value: Any) -> str:
    """Return a value for a message, numbers as people write them.

    >>> spelled(1e9), spelled(0.05), spelled(20), spelled("paper")
    ('1e9', '0.05', '20', "'paper'")
    """
    if isinstance(value, float):
        short = f"{value:g}"
        return short.replace("e+0", "e").replace("e+", "e") if float(short) == value else repr(value)
    text = repr(os.fspath(value) if isinstance(value, os.PathLike) else value)
    if "\n" in text:  # a table or an array
        text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."


# Names of our options in other programs, or a remark if there is no such option.
SYNONYMS = {
    **dict.fromkeys(("size", "vector_size", "dimension", "dimensions", "n_dims", "embedding_size"), "dim"),
    **dict.fromkeys(("workers", "n_jobs", "num_threads", "processes"), "threads"),
    **dict.fromkeys(("iter", "iterations", "n_iter", "passes"), "epochs"),
    **dict.fromkeys(("learning_rate", "start_alpha", "eta"), "lr"),
    **dict.fromkeys(("random_state", "random_seed", "rng"), "seed"),
    **dict.fromkeys(("prototypes", "num_senses", "n_senses", "T"), "max_senses"),
    **dict.fromkeys(("lower", "lowercase", "lower_case"), "fold_case"),
    **dict.fromkeys(("max_final_vocab", "vocab_size", "max_vocab"), "max_words"),
    **dict.fromkeys(("text_column", "field"), "column"),
    "sample": "subsample",
    "negative": "negatives",
    "context": "window",
    "max_vocab_size": "max_types",
    "model": "algorithm",
    "keep_case": "fold_case",
    "sg": "algorithm says what is trained: 'skipgram' and 'skipgram-ns' have one sense per word, 'adagram' several",
    "hs": "algorithm says so: 'adagram' and 'skipgram' have the tree of hierarchical softmax, 'skipgram-ns' has not",
    "cbow": "only skip-gram is trained; algorithm says in which form",
    "min_alpha": "the learning rate always falls to zero; lr is where it starts",
    "sentences": "the corpus is the first argument: train(sentences, dim=100)",
    "corpus_file": "the corpus is the first argument: train('corpus.txt', dim=100)",
    **dict.fromkeys(
        ("gpu", "cuda", "device"), "training runs on the cores of the processor; threads says on how many"
    ),
    "callbacks": "report=function is called with the progress",
}
