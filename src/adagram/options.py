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
from typing import Any, ClassVar

from adagram.errors import InputError


class Kind:
    """The values that an option accepts."""

    type: ClassVar[Any] = str  # of one value on the command line
    accepted: ClassVar[Any] = str  # in Python

    @property
    def description(self) -> str:
        """How an error message goes on after "it must be"."""
        raise NotImplementedError

    def validate(self, value: Any) -> Any:
        """Return the value as it is kept; raise ValueError if it is not valid."""
        if not isinstance(value, self.accepted) or (isinstance(value, bool) and self.type is not bool):
            raise ValueError
        return self.kept(value)

    def kept(self, value: Any) -> Any:
        return value


@dataclass(frozen=True)
class IntRange(Kind):
    min: int
    max: int
    type, accepted = int, Integral

    @property
    def description(self) -> str:
        return f"a whole number from {self.min} to {self.max}"

    def kept(self, value: Any) -> int:
        if not self.min <= int(value) <= self.max:
            raise ValueError
        return int(value)


@dataclass(frozen=True)
class FloatRange(Kind):
    min: float
    max: float
    is_open: bool = False  # excludes `min`
    type, accepted = float, Real

    @property
    def description(self) -> str:
        if self.is_open:
            return f"a number above {spelled(self.min)}, at most {spelled(self.max)}"
        return f"a number from {spelled(self.min)} to {spelled(self.max)}"

    def kept(self, value: Any) -> float:
        number = int(value) if isinstance(value, Integral) else float(value)
        if not self.min <= number <= self.max or (self.is_open and number == self.min):
            raise ValueError
        return number


@dataclass(frozen=True)
class OneOf(Kind):
    names: tuple[str, ...]

    @property
    def description(self) -> str:
        return f"one of {', '.join(self.names)}"

    def kept(self, value: str) -> str:
        if value not in self.names:
            raise ValueError
        return value


@dataclass(frozen=True)
class Flag(Kind):
    flags: str = ""  # on the command line, if not --name/--no-name
    type = accepted = bool
    description = "True or False"


class Text(Kind):
    description = "a string of at least one character"

    def kept(self, value: str) -> str:
        if not value:
            raise ValueError
        return value


class Regex(Kind):
    description = "a regular expression"

    def kept(self, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(str(error)) from None
        return value


class Encoding(Kind):
    description = "the name of an encoding, such as cp1252, koi8-r or shift_jis"

    def kept(self, value: str) -> str:
        try:
            codecs.getincrementaldecoder(value)
            b"a".decode(value)
        except UnicodeDecodeError:  # two bytes or more to a character
            pass
        except (LookupError, ValueError):  # LookupError also says: not an encoding of text
            raise ValueError from None
        return codecs.lookup(value).name


class File(Kind):
    type, accepted = Path, (str, os.PathLike)
    description = "the name of a file that exists"

    def kept(self, value: str | os.PathLike[str]) -> Path:
        if not os.path.exists(value) or os.path.isdir(value):
            raise ValueError
        return Path(value)


@dataclass(frozen=True)
class WordList(Kind):
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)  # lists that have a name
    type, accepted = Path, (os.PathLike, Iterable)

    @property
    def description(self) -> str:
        names = "".join(f"'{name}', " for name in self.known)
        return f"{names}the name of a file with words, or a list or set of words"

    def kept(self, value: Any) -> frozenset[str]:
        if isinstance(value, str | os.PathLike) and os.fspath(value) in self.known:
            return self.known[str(value)]
        if isinstance(value, str | os.PathLike):
            try:
                return frozenset(Path(value).read_text(encoding="utf-8").split())
            except OSError as error:
                raise ValueError(error.strerror or str(error)) from None
            except UnicodeDecodeError as error:
                raise ValueError(f"the file is not UTF-8 at byte {error.start}") from None
        taken = frozenset(value)
        if not all(isinstance(word, str) for word in taken):  # those of bytes are numbers
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


def option(default: Any, kind: Kind, help: str, panel: str = "Training", *, unset: str = "", hint: str = "") -> Any:
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
        if value is not None or own.default is not None:
            object.__setattr__(options, name, checked(value, name, about.kind, about.hint))


def checked(value: Any, name: str, kind: Kind, hint: str = "") -> Any:
    """Return `value` as `kind` keeps it, or refuse it with its name.

    >>> checked(2.5, "top", IntRange(0, 10**9))
    Traceback (most recent call last):
    adagram.errors.InputError: top is 2.5; it must be a whole number from 0 to 1000000000
    """
    try:
        return kind.validate(value)
    except ValueError as error:
        reason, hint = f" ({error})" if str(error) else "", f"; {hint}" if hint else ""
        raise InputError(f"{name} is {spelled(value)}{reason}; it must be {kind.description}{hint}") from None


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
    **dict.fromkeys(("gpu", "cuda", "device"), "training runs on the cores of the processor; threads says on how many"),
    "callbacks": "report=function is called with the progress",
}
