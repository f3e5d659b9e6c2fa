"""The rules of WWSI: lists and thresholds from TOML, and the pages and titles that they mark."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from reprlib import repr as brief  # of any depth and length
from typing import Any

from adagram.corpus.mediawiki import CATEGORY_NAMESPACES, drop_comments
from adagram.corpus.tokenize import Tokenizer, TokenizerConfig, clean
from adagram.errors import InputError
from adagram.files.json import check_shape

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


def first_part(names: Iterable[str], parts: Names) -> str | None:
    """Return the first of the parts that is in the first name that has one."""
    return next((part for name in names for part in parts if part in name), None)


def default_config() -> str:
    """Return the commented TOML file of all defaults."""
    return resources.files("adagram.experiments.wwsi").joinpath("defaults.toml").read_text(encoding="utf-8")


def load_rules(path: str | Path | None = None, **overrides: int | None) -> SenseRules:
    """Return the defaults, changed by the TOML file at `path` and then by `overrides` that are not None."""
    values = tomllib.loads(default_config())
    if path is not None:
        values |= _read(Path(path), known=set(values))
    values |= {key: value for key, value in overrides.items() if value is not None}
    return _rules(values, str(path or "wwsi"))


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
        name, value = field.name, values[field.name]
        shape, expected = _SHAPES[str(field.type)]
        try:
            check_shape(value, shape)
        except (ValueError, RecursionError):
            raise InputError(f"{source}: {name} must be {expected}, not {brief(value)}") from None
        if field.type == "int" and value < 1:
            raise InputError(f"{source}: {name} must be at least 1, not {value}")
        if field.type == "Names" and "magic" not in name:
            # As in `plain_name`, but with a space at an end: "tv_" is not in "utvida".
            value = [item.replace("_", " ").lower() for item in value]
        if field.type == "Mapping[str, str]":
            value = {plain_name(key): plain_name(item) for key, item in value.items()}
        typed[name] = tuple(value) if isinstance(value, list) else value
    try:
        typed["tokenizer"] = TokenizerConfig.from_dict(typed["tokenizer"])
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    return SenseRules(**typed)


_SHAPES: dict[str, tuple[Any, str]] = {
    "int": (int, "a whole number"),
    "bool": (bool, "true or false"),
    "Names": ([str], "a list of strings"),
    "Mapping[str, str]": ({"*": str}, "a table of strings"),
    "TokenizerConfig": (dict, "a table"),
}


_CATEGORY_WORDS = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(CATEGORY_NAMESPACES))
_CATEGORY = re.compile(rf"\[\[\s*(?:{_CATEGORY_WORDS})\s*:([^\[\]|{{}}\n]{{1,255}})", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{([^{}|<>\[\]]{1,100})(?:\|([^{}]{0,1000}))?")
_NOWIKI = re.compile(r"<nowiki>[^<]*</nowiki>", re.IGNORECASE)


def normal_title(title: str) -> str:
    """Normalise a title as MediaWiki does: spaces for underscores, first letter upper-case.

    >>> normal_title("mouse_(computing) ")
    'Mouse (computing)'
    """
    title = " ".join(title.replace("_", " ").split())
    return title[:1].upper() + title[1:]


def read_title(title: str, tokenize: Tokenizer, fold_case: bool) -> tuple[str, str | None]:
    """Return the word of a title ("" if its name is not a single word) and the qualifier in brackets, if any.

    >>> from adagram.corpus.tokenize import make_tokenizer
    >>> tokenize = make_tokenizer(TokenizerConfig())
    >>> [read_title(title, tokenize, True) for title in ("Mouse (computing)", "Mouse", "Ice cream (food)")]
    [('mouse', 'computing'), ('mouse', None), ('', 'food')]
    """
    name, bracket, qualifier = title.partition(" (")
    has_qualifier = bool(bracket) and qualifier.endswith(")")
    name = name if has_qualifier else title
    tokens = [] if " " in name else tokenize(name)
    # As long as the name: "C++" is not the word "c".
    is_word = len(tokens) == 1 and len(tokens[0]) == len(clean(name, fold_case))
    return tokens[0] if is_word else "", qualifier[:-1] if has_qualifier else None


def categories(wikitext: str) -> list[str]:
    """Return the categories of a page in `plain_name` form, without those in comments."""
    return [plain_name(name) for name in _CATEGORY.findall(_visible(wikitext))]


def marked_categories(wikitext: str, rules: SenseRules) -> list[str] | None:
    """Return the categories of a disambiguation page, explicit or implied by its templates; None for other pages.

    Templates, categories and magic words mark such a page.
    """
    text = _visible(wikitext)
    found = categories(text)
    is_marked = first_part(found, rules.disambiguation_categories) is not None
    is_marked = is_marked or any(word in text for word in rules.disambiguation_magic_words)
    for template, parameters in _TEMPLATE.findall(text):
        name = plain_name(template)
        if name not in rules.implied_categories and name not in rules.disambiguation_templates:
            continue
        is_marked = True
        implied = [rules.implied_categories.get(name)]
        implied += [rules.implied_by_parameter.get(plain_name(parameter)) for parameter in parameters.split("|")]
        found += [category for category in implied if category is not None]
    return list(dict.fromkeys(found)) if is_marked else None


def _visible(wikitext: str) -> str:
    text = drop_comments(wikitext) if "<!--" in wikitext else wikitext
    return _NOWIKI.sub("", text) if "<nowiki>" in text else text
