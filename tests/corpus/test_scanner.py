"""Splitting blocks chunk by chunk finds the words that the tokenizer finds in whole lines."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adagram.corpus import count
from adagram.corpus.count import Scan, Scanner
from adagram.corpus.tokenize import TokenizerConfig, make_splitter

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
    words = [scan.words.words[t] for t in scan.tokens.tolist()]
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
        counts = [0] * len(scan.words.counts)
        for token in scan.tokens.tolist():
            counts[token] += 1
        assert scan.words.counts.tolist() == counts


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.one_of(st.sampled_from(TRICKY), st.characters())))
@example("a-\u0301b a--b 1.a 1.2.3 1,. x.1 '' -a- a'-b é.É")
@example("w" * 9000 + " " + "a." * 9000)
def test_text(text: str) -> None:
    check(text.encode("utf-8", "surrogatepass"))


@settings(deadline=None, max_examples=200)
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
