"""Text bytes to word numbers in one sweep, exactly as the Python tokenizer would split them.

A chunk is what stands between bytes up to space. Chunks with a character that needs more than a table look-up
(composition, folding to two letters, invalid UTF-8, beyond the basic plane) are kept whole as "hard" words for
Python to split; normalisation and word rules never reach across a chunk's ends, so the result is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.jit import helper, jit, kernel
from adagram.kernels.text.utf8 import ASCII, append, decode
from adagram.kernels.text.words import HASH_START, Words, fill_slots, find_slot, hash_byte, hash_bytes

# Character classes.
OTHER, LETTER, NUMBER, DIGIT, MARK, JOINER, POINT, HARD = range(8)
TOO_LONG = 0  # the word number that stands for words of more than max_chars
LONG_CHUNK = 1 << 13  # bytes; longer chunks are hard, so that one chunk cannot fill the table
NEWLINE, SPACE, COMMA, FULL_STOP, DELETE = 10, 32, 44, 46, 127
_HARD_SALT = np.uint64(0x9E3779B97F4A7C15)


class CharTables(NamedTuple):
    """The tokenizer as tables over the basic plane."""

    classes: NDArray[np.uint8]  # (65536,)
    folded: NDArray[np.uint16]  # (65536,) what the character becomes
    numbers: bool
    max_chars: int


class Found(NamedTuple):
    """What has been found so far; the numbers of words, tokens and ends are in `sizes`."""

    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]
    hard: NDArray[np.uint8]
    sizes: NDArray[np.int64]  # (3,)


def scan_block(
    text: NDArray[np.uint8], tables: CharTables
) -> tuple[NDArray[np.int32], NDArray[np.int64], Words, NDArray[np.uint8]]:
    """Split `text`: (word number per token, ends of lines, words, which words are hard)."""
    size = len(text)
    words = _empty_words(size)
    tokens, ends = np.empty(size // 2 + 1, np.int32), np.empty(size // 2 + 1, np.int64)
    hard, sizes = np.zeros(size + 3, np.uint8), np.array([1, 0, 0])  # word 0 is TOO_LONG
    found, at = Found(tokens, ends, hard, sizes), 0
    while at < size:
        if 2 * (sizes[0] + LONG_CHUNK) > len(words.slots):
            words = _with_more_slots(words, sizes[0])
        at = scan_chunks(text, at, tables, words, found)
    n_words, n_tokens, n_ends = sizes.tolist()
    return tokens[:n_tokens].copy(), ends[:n_ends].copy(), _used(words, n_words), hard[:n_words].copy()


def _with_more_slots(words: Words, n_words: int) -> Words:
    slots = np.zeros(2 * len(words.slots), np.int32)
    fill_slots(slots, words.hashes, n_words)
    return Words(slots, words.hashes, words.offsets, words.pool, words.counts)


def _empty_words(size: int) -> Words:
    """Room for the words of `size` bytes of text; memory that is not used is not touched."""
    offsets = np.empty(size + 4, np.int64)
    hashes, counts = np.empty(size + 3, np.uint64), np.empty(size + 3, np.int64)
    offsets[:2] = 0
    hashes[TOO_LONG], counts[TOO_LONG] = 0, 0
    return Words(
        np.zeros(4 * LONG_CHUNK, np.int32), hashes, offsets, np.empty(3 * size + 8, np.uint8), counts
    )


def _used(words: Words, n_words: int) -> Words:
    return Words(
        words.slots[:0].copy(),
        words.hashes[:n_words].copy(),
        words.offsets[: n_words + 1].copy(),
        words.pool[: words.offsets[n_words]].copy(),
        words.counts[:n_words].copy(),
    )


@kernel
def scan_chunks(text, at, tables, words, found):
    """Chunk after chunk until the text ends or the table is full; where it stopped."""
    tokens = found.tokens
    n_words, n_tokens, n_ends = found.sizes
    last_end = found.ends[n_ends - 1] if n_ends else -1  # an end at 0 is that of the block before
    while at < len(text) and 2 * (n_words + LONG_CHUNK) <= len(words.slots):
        byte = text[at]
        if byte <= SPACE or byte == DELETE:
            if byte == NEWLINE and n_tokens > last_end:
                found.ends[n_ends] = last_end = n_tokens
                n_ends += 1
            at += 1
            continue
        start, n_before = at, n_tokens
        at, n_tokens, n_words = _scan_chunk(text, at, tables, words, n_words, tokens, n_tokens)
        if at < 0:
            for i in range(n_before, n_tokens):
                words.counts[tokens[i]] -= 1
            at = _chunk_end(text, start)
            word, n_words = _enter_hard(text, start, at, words, n_words)
            found.hard[word] = 1
            tokens[n_before] = word
            n_tokens = n_before + 1
    found.sizes[0], found.sizes[1], found.sizes[2] = n_words, n_tokens, n_ends
    return at


@helper
def _chunk_end(text, at):
    while at < len(text) and text[at] > SPACE and text[at] != DELETE:
        at += 1
    return at


@helper
def _scan_chunk(text, at, tables, words, n_words, tokens, n_tokens):
    """(place after the chunk or -1 if it is hard, number of tokens, number of words)"""
    classes, folded, numbers, max_chars = tables
    offsets, pool = words.offsets, words.pool
    stop, size = at + LONG_CHUNK, len(text)
    end = first = offsets[n_words]
    h, chars, has_letter, previous, inside, pending = HASH_START, 0, False, OTHER, True, np.int64(0)
    while inside:
        point, length, kind = np.int64(0), 0, OTHER
        inside = at < size and text[at] > SPACE and text[at] != DELETE
        if inside:
            if text[at] < ASCII:
                point, length = np.int64(text[at]), 1
            else:
                point, length = decode(text, at)
            kind = classes[point]
            if length == 0 or kind == HARD or at >= stop:
                at = -1
                break
            point = np.int64(folded[point])
        is_base = kind in (LETTER, NUMBER, DIGIT)
        if chars > 0 and not _goes_on(kind, is_base, pending, previous):
            if chars > max_chars:
                tokens[n_tokens] = TOO_LONG
                words.counts[TOO_LONG] += 1
                n_tokens += 1
            elif has_letter or numbers:
                word, n_words = _enter(words, n_words, h, first, end)
                tokens[n_tokens] = word
                n_tokens += 1
                first = offsets[n_words]
            end, h, chars, has_letter, pending = first, HASH_START, 0, False, np.int64(0)
        at += length
        previous = kind
        if is_base or (kind == MARK and chars > 0):
            if pending != 0:
                end, h = append(pool, end, h, pending)
                chars += 1
            end, h = append(pool, end, h, point)
            chars += 1
            has_letter = has_letter or kind == LETTER
            pending = np.int64(0)
            start = at
            at, end, h = _append_letters(text, at, classes, folded, pool, end, h)
            if at > start:
                chars += at - start
                has_letter, previous = True, LETTER
        elif chars > 0:
            pending = point
    return at, n_tokens, n_words


@helper
def _append_letters(text, at, classes, folded, pool, end, h):
    """The usual case, kept short: a run of ASCII letters inside a word."""
    while at < len(text) and text[at] < ASCII and classes[text[at]] == LETTER:
        letter = folded[text[at]]
        pool[end] = letter
        h = hash_byte(h, letter)
        end += 1
        at += 1
    return at, end, h


@helper
def _goes_on(kind, is_base, pending, previous):
    """Does a character of this kind continue the word before it, or wait to see whether the next one does?"""
    if pending in (FULL_STOP, COMMA):
        return kind == DIGIT
    if is_base:
        return True
    return pending == 0 and (kind in (MARK, JOINER) or (kind == POINT and previous == DIGIT))


@helper
def _enter(words, n_words, h, first, end):
    """Count the word at the end of the pool: (its number, number of words)."""
    slot = find_slot(words, h, words.pool, first, end)
    word = words.slots[slot] - 1
    if word < 0:
        word = n_words
        n_words += 1
        words.hashes[word], words.counts[word], words.offsets[n_words] = h, 0, end
        words.slots[slot] = n_words
    words.counts[word] += 1
    return word, n_words


@helper
def _enter_hard(text, start, stop, words, n_words):
    """Count a whole chunk; the salt keeps it apart from a word of the same bytes."""
    first = end = words.offsets[n_words]
    for i in range(start, stop):
        words.pool[end] = text[i]
        end += 1
    return _enter(words, n_words, hash_bytes(text, start, stop) ^ _HARD_SALT, first, end)


@jit
def hash_words(pool, offsets, hashes):
    for i in range(len(hashes)):
        hashes[i] = hash_bytes(pool, offsets[i], offsets[i + 1])


@jit
def expand(tokens, ends, first, parts):
    """Replace each token t by parts[first[t]:first[t + 1]]: the new tokens, and where the lines end among them."""
    total = 0
    for t in tokens:
        total += first[t + 1] - first[t]
    out, new_ends = np.empty(total, np.int32), np.empty(len(ends), np.int64)
    n = line = 0
    for i in range(len(tokens) + 1):
        while line < len(ends) and ends[line] == i:
            new_ends[line] = n
            line += 1
        if i < len(tokens):
            for j in range(first[tokens[i]], first[tokens[i] + 1]):
                out[n] = parts[j]
                n += 1
    return out, new_ends
