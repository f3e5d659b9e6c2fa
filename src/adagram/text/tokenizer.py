"""The default tokenizer: words of any script with spaces, the same for training text and for queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any
from unicodedata import category, is_normalized, normalize

from adagram.errors import InputError

Tokenizer = Callable[[str], list[str]]

MAX_CHARS = 100  # longer "words" are data that lost its spaces
# Joiners stay inside a word when a letter or digit stands on both sides: apostrophe, hyphen, Catalan l·l,
# Hebrew geresh and gershayim, zero-width (non-)joiner.
JOINERS = "'-\u00b7\u05f3\u05f4\u200c\u200d"
# Spellings of the apostrophe and the hyphen that should not make different words; the soft hyphen is nothing.
SAME = {0x2019: "'", 0x02BC: "'", 0x2010: "-", 0x2011: "-", 0x00AD: ""}
_SAME_PATTERN = re.compile("[\u2019\u02bc\u2010\u2011\u00ad]")
_TOKENIZED = re.compile("[^\x00-\x20\x7f-\x9f\u2028\u2029]+")


_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "bool | None": ((bool, type(None)), "true or false"),
    "int": ((int,), "a whole number"),
    "str": ((str,), "text"),
}


@dataclass(frozen=True)
class TokenizerConfig:
    """How text becomes words. `fold_case=None` folds raw text and leaves pretokenized text alone."""

    fold_case: bool | None = None  # lower-case, Unicode-aware
    numbers: bool = True  # keep words without any letter, such as 1984
    pretokenized: bool = False  # words are what stands between spaces
    max_chars: int = MAX_CHARS  # longer words are dropped
    phrase_joiner: str = ""  # set when phrases were joined: new_york has "_"

    def __post_init__(self) -> None:
        if self.fold_case is None:
            object.__setattr__(self, "fold_case", not self.pretokenized)
        if self.max_chars < 1:
            raise InputError(f"max_chars must be at least 1, not {self.max_chars}")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TokenizerConfig:
        unknown = set(values) - {f.name for f in fields(cls)}
        if unknown:
            raise InputError(f"unknown tokenizer setting {sorted(unknown)[0]!r}; update adagram to read this")
        for field in fields(cls):
            kinds, expected = _KINDS[str(field.type)]
            if field.name in values and type(values[field.name]) not in kinds:
                found = values[field.name]
                raise InputError(f"the tokenizer setting {field.name} is {found!r}; it must be {expected}")
        return cls(**values)


def make_tokenizer(config: TokenizerConfig | None = None, words: Container[str] = ()) -> Tokenizer:
    """A function from text to words; with `words` (a vocabulary) it also joins the phrases found there.

    >>> make_tokenizer()("Don’t STOP: 3.14 state-of-the-art ﬁn-de-siècle naïve 中文!")
    ["don't", 'stop', '3.14', 'state-of-the-art', 'ﬁn-de-siècle', 'naïve', '中文']
    >>> make_tokenizer(TokenizerConfig(pretokenized=True))("Don't stop , 3.14 !")
    ["Don't", 'stop', ',', '3.14', '!']
    >>> make_tokenizer(TokenizerConfig(phrase_joiner="_"), {"new_york"})("in New York")
    ['in', 'new_york']
    """
    config = config or TokenizerConfig()
    split = make_splitter(config)
    longest = config.max_chars

    def tokenize(text: str) -> list[str]:
        return [word for word in split(text) if len(word) <= longest]

    if not config.phrase_joiner:
        return tokenize
    return lambda text: join_known_phrases(tokenize(text), words, config.phrase_joiner)


def make_splitter(config: TokenizerConfig) -> Tokenizer:
    """The tokenizer before words of more than `max_chars` are dropped (the encoder counts those)."""
    fold = bool(config.fold_case)
    if config.pretokenized:
        return lambda text: _TOKENIZED.findall(clean(text, fold))

    def split(text: str) -> list[str]:
        text = clean(text, fold)
        if text.isascii():
            return _word_pattern(ascii_only=True).findall(text)
        if _SAME_PATTERN.search(text):
            text = normalize("NFC", text.translate(SAME))
        return _word_pattern(ascii_only=False).findall(text)

    if config.numbers:
        return split
    return lambda text: [word for word in split(text) if any(map(str.isalpha, word))]


def clean(text: str, fold_case: bool) -> str:
    """NFC, and lower-case if asked; lower() rather than casefold(), which respells ß and final ς."""
    if text.isascii():
        return text.lower() if fold_case else text
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    return normalize("NFC", text.lower()) if fold_case else text


def join_known_phrases(tokens: list[str], words: Container[str], joiner: str) -> list[str]:
    """Join neighbours whose joined form is one of `words`, from the left, as often as it goes."""
    joined: list[str] = []
    for token in tokens:
        if joined and (phrase := joined[-1] + joiner + token) in words:
            joined[-1] = phrase
        else:
            joined.append(token)
    return joined


@lru_cache(maxsize=2)
def _word_pattern(ascii_only: bool) -> re.Pattern[str]:
    """Letters, digits and marks; joiners inside; points and commas inside numbers."""
    base = r"[^\W_]"
    run = f"{base}+" if ascii_only else rf"{base}+(?:[{marks()}]+{base}*)*"
    joiners = re.escape(JOINERS)
    inner = rf"(?:[{joiners}](?={base})|(?<=\d)[.,](?=\d))"
    return re.compile(rf"{run}(?:{inner}{run})*", re.ASCII if ascii_only else re.UNICODE)


@lru_cache(maxsize=1)
def marks() -> str:
    """All combining marks (Unicode M*) as ranges of a regular-expression class; `re` has no \\p{M}."""
    found = [cp for cp in (*range(0x20000), *range(0xE0000, 0xE1000)) if category(chr(cp))[0] == "M"]
    ranges: list[list[int]] = []
    for cp in found:
        if ranges and ranges[-1][1] == cp - 1:
            ranges[-1][1] = cp
        else:
            ranges.append([cp, cp])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
