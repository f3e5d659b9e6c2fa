"""Read regular files only, and JSON of a known shape only."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from adagram.errors import InputError

_MAX = sys.float_info.max  # whole numbers in JSON can exceed it
_KINDS: dict[Any, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((int, float), "a finite number"),
    bool: ((bool,), "true or false"),
    str: ((str,), "text"),
    list: ((list,), "a list"),
    dict: ((dict,), "an object"),
    None: ((type(None),), "null"),
}


class Between(NamedTuple):
    """The shape of a number from `low` to `high`."""

    low: float
    high: float


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading. A pipe or a device is an OSError: it might block, or never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def read_file(path: Path) -> bytes:
    """Return the content of a regular file."""
    with open_file(path) as file:
        return file.read()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise InputError, with the name of the file, if it cannot be read (OSError) or is damaged (ValueError)."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from None


def read_json(path: Path, shape: dict[str, Any], whose: str) -> dict[str, Any]:
    """Read a JSON file of `whose` folder ("a model"); InputError if it is missing, unreadable or of another shape."""
    with reading(path):
        try:
            found: dict[str, Any] = parse_json(read_file(path), shape)
        except FileNotFoundError:
            raise InputError(f"{path.parent} is not {whose}: it has no {path.name}") from None
    return found


def parse_json(text: str | bytes, shape: Any) -> Any:
    """Parse JSON and check its shape; ValueError says what is wrong."""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair, which is not text") from None
    check_shape(value, shape)
    return value


def check_shape(value: Any, shape: Any, name: str = "it") -> None:
    """Raise ValueError if a value is not of a shape.

    A shape is a type, None, a `range` of whole numbers, `Between`, a list `[shape]` of any length, a tuple of
    alternatives, or an object `{"key": shape, "optional key?": shape, "*": shape of all other keys}`.

    >>> check_shape({"n": 3, "names": ["a"]}, {"n": range(10), "names": [str], "date?": (str, None)})
    >>> check_shape({"n": 30}, {"n": range(10)})
    Traceback (most recent call last):
    ValueError: n is 30, expected a whole number from 0 to 9
    """
    if isinstance(shape, Between):
        check_shape(value, float, name)
        _expect(shape.low <= value <= shape.high, value, f"a number from {shape.low:g} to {shape.high:g}", name)
    elif isinstance(shape, range):
        is_valid = type(value) is int and value in shape
        _expect(is_valid, value, f"a whole number from {shape[0]} to {shape[-1]}", name)
    elif isinstance(shape, tuple):
        *others, last = reversed(shape)  # the first alternative gives the error message
        for part in others:
            with suppress(ValueError):
                check_shape(value, part, name)
                return
        check_shape(value, last, name)
    elif isinstance(shape, list):
        check_shape(value, list, name)
        for part in value:
            check_shape(part, shape[0], f"a part of {name}")
    elif isinstance(shape, dict):
        check_shape(value, dict, name)
        for key, part in shape.items():
            plain = key.removesuffix("?")
            if plain in value:
                check_shape(value[plain], part, plain)
            elif plain == key != "*":
                raise ValueError(f"{name} lacks {key}")
        if "*" in shape:
            for key in value.keys() - {key.removesuffix("?") for key in shape}:
                check_shape(value[key], shape["*"], key)
    else:
        kinds, expected = _KINDS[shape]
        _expect(type(value) in kinds and (shape is not float or abs(value) <= _MAX), value, expected, name)


def _expect(is_valid: bool, value: Any, expected: str, name: str) -> None:
    if not is_valid:
        raise ValueError(f"{name} is {repr(value)[:40]}, expected {expected}")
