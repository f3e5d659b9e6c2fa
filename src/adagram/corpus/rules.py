"""The tokenizer's rules as tables for the scanning kernel."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, combining, decomposition, normalize

import numpy as np

from adagram.kernels.scan import DIGIT, HARD, JOINER, LETTER, MARK, NUMBER, OTHER, POINT, Rules
from adagram.text.tokenizer import JOINERS, SAME, TokenizerConfig, clean

PLANE = 0x10000  # the basic plane; characters beyond it are hard
_CAPITAL_SIGMA = "Σ"  # lower-cased by its place in the word
_HANGUL_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))  # compose with what stands before them


@lru_cache(maxsize=4)
def make_rules(config: TokenizerConfig) -> Rules:
    """Tables over the basic plane that say what `make_tokenizer(config)` does with each character."""
    classes = np.full(PLANE, HARD, np.uint8)
    folded = np.zeros(PLANE, np.uint16)
    moving = _moving_characters()
    fold = bool(config.fold_case)
    for point in range(PLANE):
        char = chr(point)
        if char in moving or 0xD800 <= point < 0xE000 or (fold and char == _CAPITAL_SIGMA):
            continue
        result = clean(char, fold)
        if not config.pretokenized:
            result = result.translate(SAME)
        if len(result) == 1 and ord(result) < PLANE and result not in moving:
            classes[point] = _tokenized_class(result) if config.pretokenized else _class(result)
            folded[point] = ord(result)
    return Rules(classes, folded, config.numbers or config.pretokenized, config.max_chars)


def _class(char: str) -> int:
    if char.isalpha():
        return LETTER
    if char.isdecimal():
        return DIGIT
    if char.isalnum():
        return NUMBER
    if char in JOINERS:
        return JOINER
    if char in ".,":
        return POINT
    return MARK if category(char)[0] == "M" else OTHER


def _tokenized_class(char: str) -> int:
    """Between spaces everything is part of a word, except control characters and line separators."""
    return OTHER if category(char) in ("Cc", "Zl", "Zp") or char == " " else LETTER


@lru_cache(maxsize=1)
def _moving_characters() -> frozenset[str]:
    """Characters that canonical composition may change, reorder or join to the one before."""
    moving = {chr(point) for point in _HANGUL_JAMO}
    for char in map(chr, range(0x20000)):
        parts = decomposition(char)
        if parts and not parts.startswith("<"):
            moving.update(chr(int(part, 16)) for part in parts.split()[1:])
            if normalize("NFC", char) != char:
                moving.add(char)
        if combining(char):
            moving.add(char)
    return frozenset(moving)
