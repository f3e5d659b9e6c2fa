"""What the tokenizer does for one language only: spellings that its readers take for the same, and clitics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_ARABIC_VOWELS = dict.fromkeys([*range(0x0610, 0x061B), *range(0x064B, 0x0653), 0x0670], "")
_HEBREW_POINTS = dict.fromkeys([*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7], "")
_FULL_WIDTH = {wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}
_STRESS = 0x0301  # over a vowel in dictionaries and headwords


@dataclass(frozen=True)
class Language:
    same: Mapping[int, str] = field(default_factory=dict)  # spellings that do not make different words
    lower: Mapping[int, str] = field(default_factory=dict)  # capital letters that Unicode folds otherwise
    clitics: re.Pattern[str] | None = None  # its groups are the parts of a word, whole


def _elision(words: str) -> re.Pattern[str]:
    """Short words before an apostrophe, written on to the next one."""
    return re.compile(rf"((?:{'|'.join(words.split())})')(\w.*)", re.IGNORECASE)


_TURKIC = {ord("I"): "ı", ord("İ"): "i"}
_SUFFIX = re.compile(r"([^']+)('[^']+)")  # İstanbul'da: what inflects a name stands after the apostrophe
# "and", "then" and "with" before the article; not in words and names that begin with the same letters.
_PROCLITIC = re.compile(r"([وفب])((?<!و(?=الد))(?<!ب(?=الغ|التيم|الست|اليرمو))(?<!ف(?=النس|النت))ال\w{3,})")
_FRENCH = "c d j l m n s t qu jusqu lorsqu puisqu quoiqu"
_ITALIAN = "l un d c s m t v n gl quest quell dell all dall nell sull coll degl agl dagl negl sugl anch tutt bell com"

LANGUAGES: dict[str, Language] = {
    "ar": Language(_ARABIC_VOWELS, clitics=_PROCLITIC),
    "az": Language(lower=_TURKIC, clitics=_SUFFIX),
    "ca": Language(clitics=_elision("d l m n s t")),
    "fa": Language({**_ARABIC_VOWELS, ord("ي"): "ی", ord("ك"): "ک"}),
    "fr": Language(clitics=_elision(_FRENCH)),
    "he": Language(_HEBREW_POINTS),
    "hi": Language({0x200C: "", 0x200D: ""}),
    "it": Language(clitics=_elision(_ITALIAN)),
    "ja": Language(_FULL_WIDTH),
    "ru": Language({_STRESS: "", ord("ё"): "е", ord("Ё"): "Е"}),
    "tr": Language(lower=_TURKIC, clitics=_SUFFIX),
    "uk": Language({_STRESS: ""}),
    "zh": Language(_FULL_WIDTH),
}
NO_LANGUAGE = Language()


def language_of(code: str) -> Language:
    return LANGUAGES.get(code, NO_LANGUAGE)
