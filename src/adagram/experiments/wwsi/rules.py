"""The rules of the data set: every list and threshold, read from TOML over the defaults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from reprlib import repr as brief  # of any depth and length
from typing import Any

from adagram.corpus.tokenize import TokenizerConfig
from adagram.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_AT_LEAST_ONE = ("min_count", "min_senses", "min_contexts", "window")
Names = tuple[str, ...]


@dataclass(frozen=True)
class SenseRules:
    """What makes a word, a sense and a context; names of pages and categories are in `plain_name` form."""

    min_count: int
    min_senses: int
    min_contexts: int
    window: int
    disambiguation_templates: Names
    disambiguation_categories: Names
    disambiguation_magic_words: Names
    disambiguation_suffixes: Names
    excluded_word_categories: Names
    excluded_word_category_substrings: Names
    primary_topic: bool
    excluded_title_substrings: Names
    excluded_sense_category_substrings: Names
    implied_categories: Mapping[str, str]
    implied_by_parameter: Mapping[str, str]
    tokenizer: TokenizerConfig


def plain_name(name: str) -> str:
    """Normalise a name for comparison: lower-case, spaces for underscores.

    >>> plain_name("Place_name  disambiguation_pages ")
    'place name disambiguation pages'
    """
    return " ".join(name.replace("_", " ").split()).lower()


def default_config() -> str:
    """Return the commented TOML file of all defaults."""
    return resources.files("adagram.experiments.wwsi").joinpath("defaults.toml").read_text(encoding="utf-8")


def load_rules(path: str | Path | None = None, **overrides: int | None) -> SenseRules:
    """Return the defaults, changed by the TOML file at `path` and then by `overrides` that are not None."""
    values = tomllib.loads(default_config())
    source = "wwsi"
    if path is not None:
        source = str(path)
        values.update(_read(Path(path), known=set(values)))
    values.update({key: value for key, value in overrides.items() if value is not None})
    return _rules(values, source)


def _read(path: Path, known: set[str]) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, deep nesting
        raise InputError(f"{path} is not a TOML file: {error}") from error
    for key in values:
        if key not in known:
            raise InputError(f"{path} has the unknown key {key!r}; see adagram wwsi --print-config")
    return values


def _rules(values: Mapping[str, Any], source: str) -> SenseRules:
    typed: dict[str, Any] = {}
    for field in fields(SenseRules):
        value = values[field.name]
        kind, expected = _KINDS[str(field.type)]
        is_valid = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if not is_valid or (field.name != "tokenizer" and not all(isinstance(item, str) for item in items)):
            raise InputError(f"{source}: {field.name} must be {expected}, not {brief(value)}")
        typed[field.name] = value
    for name in _AT_LEAST_ONE:
        if typed[name] < 1:
            raise InputError(f"{source}: {name} must be at least 1, not {typed[name]}")
    for name, value in typed.items():
        if isinstance(value, list):
            typed[name] = tuple(value) if "magic" in name else tuple(_plain_part(item) for item in value)
        elif isinstance(value, dict) and name != "tokenizer":
            typed[name] = {plain_name(key): plain_name(item) for key, item in value.items()}
    try:
        typed["tokenizer"] = TokenizerConfig.from_dict(typed["tokenizer"])
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    return SenseRules(**typed)


def _plain_part(text: str) -> str:
    """Like `plain_name`, but keeps the space at an end: "tv_" is not in "utvida"."""
    return text.replace("_", " ").lower()


_KINDS: dict[str, tuple[type, str]] = {
    "int": (int, "a whole number"),
    "bool": (bool, "true or false"),
    "Names": (list, "a list of strings"),
    "Mapping[str, str]": (dict, "a table of strings"),
    "TokenizerConfig": (dict, "a table"),
}
