"""Phrase joining, against a plain Python version of word2phrase."""

import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.corpus import encoded, phrases
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer

Lines = list[list[str]]


def joined_plainly(lines: Lines, options: EncodeOptions) -> Lines:
    counts = Counter(word for line in lines for word in line)
    pairs = Counter(pair for line in lines for pair in pairwise(line))
    total = sum(counts.values())

    def is_phrase(a: str, b: str) -> bool:
        if min(counts[a], counts[b], pairs[a, b]) < options.phrase_min_count:
            return False
        return (pairs[a, b] - options.phrase_min_count) * total / counts[a] / counts[b] > options.phrase_threshold

    result = []
    for line in lines:
        out: list[str] = []
        at = 0
        while at < len(line):
            if at + 1 < len(line) and is_phrase(line[at], line[at + 1]):
                out.append(f"{line[at]}_{line[at + 1]}")
                at += 2
            else:
                out.append(line[at])
                at += 1
        result.append(out)
    return result


def lines_of(corpus: EncodedCorpus) -> Lines:
    words = [corpus.vocabulary.words[t] for t in corpus.tokens.tolist()]
    return [words[a:b] for a, b in pairwise([0, *corpus.ends.tolist()])]


def encode_lines(lines: Lines, options: EncodeOptions) -> EncodedCorpus:
    with tempfile.TemporaryDirectory() as folder:
        return encode(iter(lines), Path(folder, "out"), options)


def phrase_options(passes: int, min_count: int, threshold: float) -> EncodeOptions:
    return EncodeOptions(min_count=1, phrases=passes, phrase_min_count=min_count, phrase_threshold=threshold)


words = st.sampled_from(["a", "b", "c", "a_b", "d"])


@given(
    st.lists(st.lists(words, min_size=1), min_size=1, max_size=30),
    st.integers(1, 2),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5, 1.5]),
    st.integers(1, 7),
)
def test_joining_is_word2phrase(lines: Lines, passes: int, min_count: int, threshold: float, chunk: int) -> None:
    options = phrase_options(passes, min_count, threshold)
    expected = lines
    for _ in range(passes):
        expected = joined_plainly(expected, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoded, "BATCH_TOKENS", chunk)  # sentences and phrases lie across batches
        corpus = encode_lines(lines, options)
    assert lines_of(corpus) == expected
    counts = Counter(word for line in expected for word in line)
    assert dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True)) == counts


def test_planted_phrases_are_found_and_queries_join_them_too() -> None:
    lines = [[f"w{i % 50}", "new", "york", f"w{i * 7 % 50}"] for i in range(400)]
    lines += [["york", f"w{i % 50}", "new"] for i in range(40)]
    corpus = encode_lines(lines, phrase_options(1, 5, 2.0))
    assert [word for word in corpus.vocabulary.words if "_" in word] == ["new_york"]
    assert corpus.meta["report"]["phrases"] == 400
    assert corpus.meta["report"]["coverage"] == 1.0
    tokenize = make_tokenizer(TokenizerConfig.from_dict(corpus.meta["tokenizer"]), corpus.vocabulary)
    assert tokenize("w1 new york w2") == ["w1", "new_york", "w2"]


def test_many_pairs_are_counted_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "MAX_PAIRS", 1 << 15)
    lines = [[f"x{i % 401}", f"y{i % 397}"] for i in range(60_000)] + [["new", "york"]] * 3000
    corpus = encode_lines(lines, phrase_options(1, 20, 5.0))
    assert "new_york" in corpus.vocabulary
