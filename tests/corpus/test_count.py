"""Splitting blocks finds the words of the tokenizer; which words stay, and the sentences when nothing is left."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adagram.corpus import count
from adagram.corpus.count import Scan, Scanner
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.tokenize import TokenizerConfig, make_splitter
from adagram.errors import InputError

CONFIGS = [
    TokenizerConfig(),
    TokenizerConfig(fold_case=False),
    TokenizerConfig(numbers=False),
    TokenizerConfig(max_chars=5),
    TokenizerConfig(pretokenized=True),
    TokenizerConfig(pretokenized=True, fold_case=True, numbers=False),
    TokenizerConfig(cut_unspaced=True, language="zh"),
    TokenizerConfig(language="tr", lemmas="tr"),
    TokenizerConfig(language="ar", fold_case=False),
    TokenizerConfig(language="ru", numbers=False),
    TokenizerConfig(pretokenized=True, language="hi", lemmas="hi"),
]
SCANNERS = [Scanner(config) for config in CONFIGS]
# Characters at which rules meet: cases, marks, joiners, digits, spaces, several planes, composition.
TRICKY = (
    "aZé\u0301ßΣσςİıǅ'’-‑.,·_0९½Ⅷ²\u200d\u200c\u00ad \n\t\x00\x7f\x85\u00a0"
    "IİوالجزءـёЁ国ก็ＡＢ．１"
    "\u2028\u093e\u094d한ᄒ\u1161\u11ab𝔄😀中ﬁ\ufeffКй\u0306ɐȺ"
)


def lines_of(scan: Scan) -> list[list[str]]:
    words = [scan.words[t] for t in scan.tokens.tolist()]
    ends = [0, *scan.ends.tolist(), len(words)]
    return [words[a:b] for a, b in itertools.pairwise(ends) if b > a]


def expected_lines(text: bytes, config: TokenizerConfig) -> list[list[str]]:
    split = make_splitter(config)
    lines = [split(line.decode("utf-8", "replace")) for line in text.split(b"\n")]
    return [[w if len(w) <= config.max_chars else "" for w in line] for line in lines if line]


def check(text: bytes, which: slice = slice(None)) -> None:
    for scanner, config in zip(SCANNERS[which], CONFIGS[which], strict=True):
        scan = scanner.scan(text)
        assert lines_of(scan) == expected_lines(text, config)
        counts = [0] * len(scan.counts)
        for token in scan.tokens.tolist():
            counts[token] += 1
        assert scan.counts.tolist() == counts


@given(st.text(alphabet=st.one_of(st.sampled_from(TRICKY), st.characters())))
@example("a-\u0301b a--b 1.a 1.2.3 1,. x.1 '' -a- a'-b é.É")
@example("w" * 9000 + " " + "a." * 9000)
def test_text(text: str) -> None:
    check(text.encode("utf-8", "surrogatepass"))


@given(st.binary())
@example(b"\xc3 \xe4\xb8 \xed\xa0\x80 \xf0\x9f\x98\x80x \xc0\xaf \xef\xbf\xbd\xff")
def test_any_bytes(data: bytes) -> None:
    check(data)


def test_a_cache_that_is_full_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "MAX_CACHED", 100)
    words = [f"{i * 2654435761 % 1000003:x}" for i in range(1000)]
    for _ in range(2):
        check(" ".join(words + words[::-1]).encode())


@pytest.mark.slow
def test_every_character_of_the_basic_plane_between_others() -> None:
    for start in range(0, 0x10000, 0x1000):
        chars = [chr(p) for p in range(start, start + 0x1000) if not 0xD800 <= p < 0xE000]
        check(" ".join(f"{c} A{c}a 1{c}1 Σ{c} e{c}\u0301" for c in chars).encode(), which=slice(0, 6, 4))


TOKENS = [["a"] * 5 + ["b"] * 4 + ["c1"] * 3 + ["d"] * 3 + ["e"]]


def words(tmp_path: Path, **options: Any) -> list[str]:
    return encoded(tmp_path, **options).vocabulary.words


def encoded(tmp_path: Path, **options: Any) -> EncodedCorpus:
    return encode(TOKENS, tmp_path / "out", EncodeOptions(**{"min_count": 1, **options}))


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["a", "b", "c1", "d", "e"]),
        ({"min_count": 3}, ["a", "b", "c1", "d"]),
        ({"max_words": 3}, ["a", "b", "c1"]),
        ({"remove_top": 2}, ["c1", "d", "e"]),
        ({"stop_words": frozenset({"b", "zzz"})}, ["a", "c1", "d", "e"]),
        ({"pattern": "[a-d]"}, ["a", "b", "d"]),
        ({"min_count": 2, "remove_top": 1, "pattern": "[a-z]", "max_words": 1}, ["b"]),
    ],
)
def test_filters(options: dict[str, Any], kept: list[str], tmp_path: Path) -> None:
    corpus = encoded(tmp_path, **options)
    report = corpus.meta["report"]
    assert corpus.vocabulary.words == kept
    gone = report["removed"].values()
    assert sum(part["types"] for part in gone) == 5 - len(kept)
    assert sum(part["tokens"] for part in gone) == 16 - len(corpus.tokens)


def test_a_word_count_file_decides_words_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("d\t70\nb 90\nabsent\t80\nrare\t2\n", encoding="utf-8")
    corpus = encoded(tmp_path, vocabulary=path, min_count=3)
    assert corpus.vocabulary.words == ["b", "absent", "d"]
    assert corpus.vocabulary.counts.tolist() == [90, 80, 70]
    assert corpus.tokens.tolist() == [0] * 4 + [2] * 3
    assert corpus.meta["report"]["removed"] == {"vocabulary": {"types": 3, "tokens": 9}}


@pytest.mark.parametrize("content", ["", "word\n", "word many\n", "nothing\t5\n", "\xff\n"])
def test_bad_word_count_files_are_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=r"counts\.txt"):
        encoded(tmp_path, vocabulary=path)


def test_nothing_left_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a', occurs 5 times; lower --min-count"):
        encoded(tmp_path, min_count=6)
    with pytest.raises(InputError, match="pattern"):
        encoded(tmp_path, pattern="x+")
