"""What an option is: a field of a frozen dataclass that knows which values it takes and how to explain itself.

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
    """The values an option takes."""

    type: ClassVar[Any]  # of one value on the command line

    @property
    def words(self) -> str:
        """How a message goes on after "it must be"."""
        ...

    def take(self, value: Any) -> Any:
        """The value as it is kept; ValueError if it is none of ours."""
        ...


@dataclass(frozen=True)
class Whole:
    least: int
    most: int
    type: ClassVar[Any] = int

    @property
    def words(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def take(self, value: Any) -> int:
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise ValueError
        number = int(value)
        if not self.least <= number <= self.most:
            raise ValueError
        return number


@dataclass(frozen=True)
class Number:
    least: float
    most: float
    is_above: bool = False  # `least` itself is too little
    type: ClassVar[Any] = float

    @property
    def words(self) -> str:
        if self.is_above:
            return f"a number above {spelled(self.least)}, at most {spelled(self.most)}"
        return f"a number from {spelled(self.least)} to {spelled(self.most)}"

    def take(self, value: Any) -> float:
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ValueError
        number = int(value) if isinstance(value, Integral) else float(value)
        if not self.least <= number <= self.most or (self.is_above and number == self.least):
            raise ValueError
        return number


@dataclass(frozen=True)
class OneOf:
    names: tuple[str, ...]
    type: ClassVar[Any] = str

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.names)}"

    def take(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise ValueError
        return value


@dataclass(frozen=True)
class Switch:
    flags: str = ""  # on the command line, where --name/--no-name does not say it
    words: ClassVar[str] = "True or False"
    type: ClassVar[Any] = bool

    def take(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


@dataclass(frozen=True)
class Text:
    words: ClassVar[str] = "a string of at least one character"
    type: ClassVar[Any] = str

    def take(self, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError
        return value


@dataclass(frozen=True)
class Regex:
    words: ClassVar[str] = "a regular expression"
    type: ClassVar[Any] = str

    def take(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(str(error)) from None
        return value


@dataclass(frozen=True)
class Encoding:
    words: ClassVar[str] = "the name of an encoding, such as cp1252, koi8-r or shift_jis"
    type: ClassVar[Any] = str

    def take(self, value: Any) -> str:
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
    words: ClassVar[str] = "the name of a file that exists"
    type: ClassVar[Any] = Path

    def take(self, value: Any) -> Path:
        if not isinstance(value, str | os.PathLike) or not os.path.exists(value) or os.path.isdir(value):
            raise ValueError
        return Path(value)


@dataclass(frozen=True)
class WordList:
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)  # lists that have a name
    type: ClassVar[Any] = Path

    @property
    def words(self) -> str:
        names = "".join(f"'{name}', " for name in self.known)
        return f"{names}the name of a file with words, or a list or set of words"

    def take(self, value: Any) -> frozenset[str]:
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
    """What a field carries beside its default."""

    kind: Kind
    help: str
    panel: str  # heading in the command line's help
    unset: str = ""  # what None, or no words, stand for
    hint: str = ""  # what else helps when the value is wrong


def option(
    default: Any, kind: Kind, help: str, panel: str = "Training", *, unset: str = "", hint: str = ""
) -> Any:
    """A field of a class of options."""
    return field(default=default, metadata={"option": Option(kind, help, panel, unset, hint)})


def options_of(*classes: type) -> dict[str, tuple[Field[Any], Option]]:
    """The options of some classes by name, in order; a name that two of them have is one option."""
    found: dict[str, tuple[Field[Any], Option]] = {}
    for own in (own for cls in classes for own in fields(cls) if "option" in own.metadata):
        found.setdefault(own.name, (own, own.metadata["option"]))
    return found


def check_options(options: Any) -> None:
    """Keep every value as its kind has it, or refuse it with the option's name; to be called by __post_init__."""
    for name, (own, about) in options_of(type(options)).items():
        value = getattr(options, name)
        if value is None and own.default is None:
            continue
        try:
            object.__setattr__(options, name, about.kind.take(value))
        except ValueError as error:
            reason = f" ({error})" if str(error) else ""
            hint = f"; {about.hint}" if about.hint else ""
            raise InputError(
                f"{name} is {spelled(value)}{reason}; it must be {about.kind.words}{hint}"
            ) from None


def check_names(given: Mapping[str, Any], known: Iterable[str], synonyms: Mapping[str, str]) -> None:
    """Refuse unknown names, with what was meant: a synonym's remark, the nearest name, or all of them."""
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
    """A value in a message, numbers as people write them.

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
