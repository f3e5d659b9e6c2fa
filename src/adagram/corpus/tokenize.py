"""The tokenizer: words of any script, the same for training text and for queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.util import find_spec
from typing import Any
from unicodedata import category, is_normalized, normalize

from adagram.corpus.languages import LANGUAGES, NO_LANGUAGE, Language, make_lemmatizer
from adagram.errors import InputError, need
from adagram.files.json import check_shape

Tokenizer = Callable[[str], list[str]]

MAX_CHARS = 100  # longer "words" are data that lost its spaces
# Joiners stay inside a word when a letter or digit stands on both sides: apostrophe, hyphen, Catalan l·l,
# Hebrew geresh and gershayim, zero-width (non-)joiner.
JOINERS = "'-\u00b7\u05f3\u05f4\u200c\u200d"
# Spellings of the apostrophe and the hyphen that should not make different words; the soft hyphen and the Arabic
# kashida, which stretches a word, are nothing.
SAME = {0x2019: "'", 0x02BC: "'", 0x2010: "-", 0x2011: "-", 0x00AD: "", 0x0640: ""}
_SAME_PATTERN = re.compile("[\u2019\u02bc\u2010\u2011\u00ad\u0640]")
# What is written together; words and normalisation never reach beyond it.
CHUNK = re.compile("[^\x00-\x20\x7f-\x9f\u2028\u2029]+")
CUTS_RUNS = 'icu4py cuts them into words. Run: pip install "adagram[languages]"'
# Thai, Lao, Burmese, Khmer, kana and Chinese characters, with the marks of these scripts.
_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
UNSPACED = re.compile(f"[{_LETTERS}]")
_RUN = re.compile(f"([{_LETTERS}]+)")
_OUTSIDE = "'-\u00b7\u05f3\u05f4\u200c\u200d.,"  # what may remain beside a run of letters


_SHAPE = {
    **dict.fromkeys(("numbers?", "pretokenized?", "cut_unspaced?"), bool),
    **dict.fromkeys(("phrase_joiner?", "language?", "lemmas?"), str),
    "fold_case?": (bool, None),
    "max_chars?": range(1, 1 << 60),
}


@dataclass(frozen=True)
class TokenizerConfig:
    """How text becomes words. `fold_case=None` folds raw text and leaves pretokenized text alone."""

    fold_case: bool | None = None  # lower-case, Unicode-aware
    numbers: bool = True  # keep words without any letter, such as 1984
    pretokenized: bool = False  # words are what stands between spaces
    max_chars: int = MAX_CHARS  # longer words are dropped
    phrase_joiner: str = ""  # set when phrases were joined: new_york has "_"
    language: str = ""  # code in `LANGUAGES`: equivalent spellings and clitics
    lemmas: str = ""  # the language in which words become lemmas
    cut_unspaced: bool = False  # cut scripts without spaces into words, by ICU's dictionaries

    def __post_init__(self) -> None:
        if self.fold_case is None:
            object.__setattr__(self, "fold_case", not self.pretokenized)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TokenizerConfig:
        if unknown := set(values) - {field.name for field in fields(cls)}:
            raise InputError(f"unknown tokenizer setting {min(unknown)!r}; update adagram to read this")
        try:
            check_shape(values, _SHAPE)
        except ValueError as error:
            raise InputError(f"in the tokenizer settings {error}") from None
        return cls(**values)


def make_tokenizer(config: TokenizerConfig | None = None, words: Container[str] = ()) -> Tokenizer:
    """Return a function from text to words; with `words` (a vocabulary) it also joins the phrases found there.

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
    """Return the tokenizer without the limit of `max_chars` (the encoder counts words that are too long)."""
    steps = list(_steps(config))

    def split(text: str) -> list[str]:
        words = _find_words(normal_text(text, config), config)
        for step in steps:
            words = step(words)
        return words

    return split


def _find_words(text: str, config: TokenizerConfig) -> list[str]:
    """Return the words of a normal text; clitics and lemmas come later."""
    if config.pretokenized:
        return CHUNK.findall(text)
    words: list[str] = _word_pattern(text.isascii()).findall(text)
    if text.isascii() or not (config.cut_unspaced and UNSPACED.search(text)):
        return words
    cut = make_cutter()
    return [part for word in words for part in (cut(word) if UNSPACED.search(word) else (word,))]


def normal_text(text: str, config: TokenizerConfig) -> str:
    """Normalise a text before its words are found."""
    text = clean(text, bool(config.fold_case), LANGUAGES.get(config.language, NO_LANGUAGE))
    if not (config.pretokenized or text.isascii()) and _SAME_PATTERN.search(text):
        text = normalize("NFC", text.translate(SAME))
    return text


def _steps(config: TokenizerConfig) -> Iterator[Callable[[list[str]], list[str]]]:
    """Yield what is done to the words that were found, each word by itself."""
    clitics = LANGUAGES.get(config.language, NO_LANGUAGE).clitics
    if clitics and not config.pretokenized:
        yield lambda words: [part for word in words for part in _parts(word, clitics)]
    if config.lemmas:
        lemma = make_lemmatizer(config.lemmas, bool(config.fold_case))
        yield lambda words: [*map(lemma, words)]
    if not (config.numbers or config.pretokenized):
        yield lambda words: [word for word in words if any(map(str.isalpha, word))]


def _parts(word: str, clitics: re.Pattern[str]) -> Sequence[str]:
    match = clitics.fullmatch(word)
    return match.groups() if match else (word,)


def clean(text: str, fold_case: bool, language: Language = NO_LANGUAGE) -> str:
    """Compose to NFC, and lower-case if asked; not by casefold(), which respells ß and final ς."""
    if fold_case and language.lower:
        text = normalize("NFC", text).translate(language.lower)
    if text.isascii():
        return text.lower() if fold_case else text
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    if language.same:
        text = normalize("NFC", text.translate(language.same))
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
    """Match letters, digits and marks; joiners inside words; points and commas inside numbers."""
    base = r"[^\W_]"
    run = f"{base}+" if ascii_only else rf"{base}+(?:[{marks()}]+{base}*)*"
    joiners = re.escape(JOINERS)
    inner = rf"(?:[{joiners}](?={base})|(?<=\d)[.,](?=\d))"
    return re.compile(rf"{run}(?:{inner}{run})*", re.ASCII if ascii_only else re.UNICODE)


@lru_cache(maxsize=1)
def marks() -> str:
    """Return all combining marks (Unicode M*) as ranges of a regular-expression class; `re` has no \\p{M}."""
    found = [cp for cp in (*range(0x20000), *range(0xE0000, 0xE1000)) if category(chr(cp))[0] == "M"]
    ranges: list[list[int]] = []
    for cp in found:
        if ranges and ranges[-1][1] == cp - 1:
            ranges[-1][1] = cp
        else:
            ranges.append([cp, cp])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def can_cut() -> bool:
    """Return whether the library that cuts scripts without spaces is installed."""
    return find_spec("icu4py") is not None


@lru_cache(maxsize=1)
def make_cutter() -> Callable[[str], list[str]]:
    """Return a function that cuts scripts without spaces into words, by ICU's dictionaries.

    >>> make_cutter()("iphone手机银行")
    ['iphone', '手机', '银行']
    """
    breakers = need("icu4py.breakers", "languages", "text in a script without spaces between words")

    def cut(word: str) -> list[str]:
        words: list[str] = []
        for i, part in enumerate(_RUN.split(word)):
            # ICU finds the dictionary by the script; the language makes no difference.
            words += breakers.WordBreaker(part, "ja") if i % 2 else [part.strip(_OUTSIDE)]
        return [word for word in words if word]

    return cut
