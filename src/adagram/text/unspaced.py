"""Scripts that are written without spaces, cut into words by ICU's dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec

from adagram.errors import need

EXTRA = "languages"
CUTS_RUNS = f'icu4py cuts them into words. Run: pip install "adagram[{EXTRA}]"'
# Thai, Lao, Burmese, Khmer, kana and Chinese characters, with the marks of these scripts.
_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
UNSPACED = re.compile(f"[{_LETTERS}]")
_RUN = re.compile(f"([{_LETTERS}]+)")
_OUTSIDE = "'-\u00b7\u05f3\u05f4\u200c\u200d.,"  # left over where a run of letters was taken out


def can_cut() -> bool:
    """Whether the library is installed."""
    return find_spec("icu4py") is not None


@lru_cache(maxsize=1)
def make_cutter() -> Callable[[str], list[str]]:
    """A function from a word in which such scripts occur to the words in it; an error without the library.

    >>> make_cutter()("iphone手机银行")
    ['iphone', '手机', '银行']
    """
    breakers = need("icu4py.breakers", EXTRA, "text in a script without spaces between words")

    def cut(word: str) -> list[str]:
        words: list[str] = []
        for i, part in enumerate(_RUN.split(word)):
            # ICU finds the dictionary by the script; the language makes no difference.
            words += breakers.WordBreaker(part, "ja") if i % 2 else [part.strip(_OUTSIDE)]
        return [word for word in words if word]

    return cut
