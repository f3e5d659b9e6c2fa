"""What depends on a language: equivalent spellings, clitics, lemmas and stop words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from adagram.errors import InputError, need

MAX_LEMMAS = 1_000_000  # words whose lemma is cached

_ARABIC_VOWELS = dict.fromkeys([*range(0x0610, 0x061B), *range(0x064B, 0x0653), 0x0670], "")
_HEBREW_POINTS = dict.fromkeys([*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7], "")
_FULL_WIDTH = {wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}
_STRESS = 0x0301  # over a vowel in dictionaries and headwords


@dataclass(frozen=True)
class Language:
    same: Mapping[int, str] = field(default_factory=dict)  # spellings that do not make different words
    lower: Mapping[int, str] = field(default_factory=dict)  # capital letters that Unicode folds otherwise
    clitics: re.Pattern[str] | None = None  # matches a whole word; its groups are the parts


def _elision(words: str) -> re.Pattern[str]:
    """Match one of the short words before an apostrophe, and the word after it."""
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


@lru_cache(maxsize=4)
def make_lemmatizer(language: str, fold_case: bool) -> Callable[[str], str]:
    """Return a function from a word to its lemma (rivers to river), lower-case if asked; unknown words stay.

    >>> [make_lemmatizer("en", True)(word) for word in ("rivers", "ran", "womp")]
    ['river', 'run', 'womp']
    """
    simplemma = need("simplemma", "lemmas", f"lemmas={language}")
    factory = need("simplemma.strategies.dictionaries.dictionary_factory", "lemmas", f"lemmas={language}")
    known = sorted(factory.SUPPORTED_LANGUAGES)
    if language not in known:
        raise InputError(f"lemmas is {language!r}; it must be one of {', '.join(known)}")

    @lru_cache(maxsize=MAX_LEMMAS)
    def lemma(word: str) -> str:
        found = str(simplemma.lemmatize(word, lang=language))
        if any(map(str.isspace, found)) or not found:
            return word
        return found.lower() if fold_case else found

    return lemma


# Articles, pronouns, prepositions, conjunctions, auxiliary verbs and a few common adverbs.
_STOP_WORDS = """
a an the this that these those such same other another each every all both either neither some any no none
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves who whom whose which what whoever whatever one ones
in on at by for from to of off out up down over under above below into onto with without within through during
before after since until till between among against about around along across behind beyond near per via upon
toward towards despite except like unlike
and or but nor so yet if then else than as because while though although unless whether where when why how
am is are was were be been being do does did doing done have has had having can could may might must shall should
will would ought
not also only just even still too very much many more most less least few little several own again further once
here there now ever never always often however thus therefore hence already rather quite almost
s t d ll re ve m don isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn
isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't wouldn't can't cannot couldn't
shouldn't i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're
we've we'd we'll they're they've they'd they'll that's there's who's what's let's
"""
ENGLISH = frozenset(_STOP_WORDS.split())
