"""Words to lemmas (rivers → river), by simplemma's dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from adagram.errors import InputError, need

EXTRA = "lemmas"
REMEMBERED = 1_000_000  # words: a lemma is looked up once per type, not per token


@lru_cache(maxsize=4)
def make_lemmatizer(language: str, fold_case: bool) -> Callable[[str], str]:
    """A function from a word to its lemma, lower-case if asked; a word that no dictionary has stays as it is.

    >>> [make_lemmatizer("en", True)(word) for word in ("rivers", "ran", "womp")]
    ['river', 'run', 'womp']
    """
    simplemma = need("simplemma", EXTRA, f"lemmas={language}")
    factory = need("simplemma.strategies.dictionaries.dictionary_factory", EXTRA, f"lemmas={language}")
    known = sorted(factory.SUPPORTED_LANGUAGES)
    if language not in known:
        raise InputError(f"lemmas is {language!r}; it must be one of {', '.join(known)}")

    @lru_cache(maxsize=REMEMBERED)
    def lemma(word: str) -> str:
        found = str(simplemma.lemmatize(word, lang=language))
        if any(map(str.isspace, found)) or not found:
            return word
        return found.lower() if fold_case else found

    return lemma
