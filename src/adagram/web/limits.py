"""What the explorer accepts; anything larger is refused before work is done."""

from __future__ import annotations

MAX_WORD = 200  # characters of a word or sense
MAX_TEXT = 20_000  # characters of a text or context
MAX_BODY = 100_000  # bytes of a request body
MAX_TOP = 100  # neighbours, completions or example lines
EXAMPLE_SAMPLE = 2_000  # occurrences of a word that are disambiguated to find the clearest
CACHED_ANSWERS = 4_096  # answers about words that are kept, the least recently asked for go first
