"""Text to an encoded corpus, in Python and on the command line."""

from __future__ import annotations

import errno
import itertools
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.cli import main
from adagram.corpus import documents, readers
from adagram.corpus.documents import cut_blocks
from adagram.corpus.encoded import EncodedCorpus, Spool
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.tokenize import make_tokenizer
from adagram.errors import InputError

ALL = EncodeOptions(min_count=1)
BLOCK = 1 << 18  # bytes


def sentences(corpus: EncodedCorpus) -> list[list[str]]:
    words = [corpus.vocabulary.words[t] for t in corpus.tokens.tolist()]
    starts = [0, *corpus.ends.tolist()]
    assert starts[-1] == len(words)
    return [words[a:b] for a, b in itertools.pairwise(starts)]


def expected(lines: list[list[str]], min_count: int) -> tuple[list[tuple[str, int]], list[list[str]]]:
    counts = Counter(word for line in lines for word in line)
    vocabulary = sorted(((w, n) for w, n in counts.items() if n >= min_count), key=lambda wn: (-wn[1], wn[0]))
    kept = [[word for word in line if counts[word] >= min_count] for line in lines]
    return vocabulary, [line for line in kept if line]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(st.lists(st.text(alphabet="aAbBéÉ .,'\n日-1")), st.integers(1, 3))
def test_encoding_is_tokenizing_counting_and_looking_up(texts: list[str], min_count: int) -> None:
    tokenize = make_tokenizer(EncodeOptions().tokenizer_config)
    lines = [tokenize(line) for text in texts for line in text.split("\n")]
    vocabulary, kept = expected(lines, min_count)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "text.txt")
        path.write_text("\n".join(texts), encoding="utf-8", newline="")
        if not vocabulary:
            with pytest.raises(InputError):
                encode(path, Path(name, "out"), EncodeOptions(min_count=min_count))
            assert [p.name for p in Path(name).iterdir()] == ["text.txt"]
            return
        corpus = encode(path, Path(name, "out"), EncodeOptions(min_count=min_count))
        assert list(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True)) == vocabulary
        assert sentences(corpus) == kept
        report = corpus.meta["report"]
        assert report["tokens"] == sum(map(len, lines))
        assert report["coverage"] == pytest.approx(len(corpus.tokens) / sum(map(len, lines)))
        del corpus  # the map must be closed before the folder goes


@pytest.fixture(scope="module")
def large_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two blocks with words that are new in each."""
    path = tmp_path_factory.mktemp("text") / "large.txt"
    rng = np.random.default_rng(1)
    words = [f"wörd{i}" if i % 7 == 0 else f"Word{i:x}." for i in range(30_000)]
    ranks = (len(words) * rng.random(2 * BLOCK // 8) ** 4).astype(int)
    lines = [" ".join(words[r] for r in line) for line in np.array_split(ranks, 700)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (documents, readers):
        monkeypatch.setattr(module, "BLOCK", BLOCK)


@pytest.mark.usefixtures("small_blocks")
def test_threads_do_not_change_the_result(large_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adagram.corpus.encoder.MIN_BLOCKS", 1)
    for threads in (1, 3):
        encode(large_text, tmp_path / str(threads), EncodeOptions(min_count=2, threads=threads))
    assert folder_bytes(tmp_path / "1") == folder_bytes(tmp_path / "3")


@pytest.mark.usefixtures("small_blocks")
def test_progress_ends_at_the_size_of_the_file_and_one_endless_line_has_the_same_tokens(
    large_text: Path, tmp_path: Path
) -> None:
    seen: dict[str, tuple[int, int | None]] = {}
    lines = encode(large_text, tmp_path / "lines", progress=lambda p: seen.update({p.stage: (p.done, p.total)}))
    size = large_text.stat().st_size
    assert seen["reading"] == (size, size)
    assert seen["encoding"][0] == seen["encoding"][1]
    endless = tmp_path / "endless.txt"
    endless.write_bytes(large_text.read_bytes().replace(b"\n", b" "))
    one = encode(endless, tmp_path / "one")
    assert one.fingerprint == lines.fingerprint
    assert one.ends.tolist() == [len(one.tokens)]


@pytest.mark.usefixtures("small_blocks")
def test_forgetting_rare_words_bounds_memory_and_is_said(large_text: Path, tmp_path: Path) -> None:
    exact = encode(large_text, tmp_path / "exact", ALL)
    bounded = encode(large_text, tmp_path / "bounded", EncodeOptions(min_count=1, max_types=2000))
    assert not exact.meta["report"]["counts_are_lower_bounds"]
    assert bounded.meta["report"]["counts_are_lower_bounds"]
    assert bounded.meta["report"]["tokens"] == exact.meta["report"]["tokens"]
    known = exact.vocabulary
    for word, n in zip(bounded.vocabulary.words, bounded.vocabulary.counts.tolist(), strict=True):
        assert n <= known.counts[known.id(word)]
    assert bounded.vocabulary.words[:20] == known.words[:20]
    assert np.bincount(bounded.tokens).tolist() == bounded.vocabulary.counts.tolist()


def test_any_number_of_words_is_counted(tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(70_000)]
    (tmp_path / "text.txt").write_text(" ".join([*words, *words[:9]]), encoding="utf-8")
    vocabulary = encode(tmp_path / "text.txt", tmp_path / "out", ALL).vocabulary
    assert set(vocabulary.words) == set(words)
    assert set(vocabulary.words[:9]) == set(words[:9])
    assert vocabulary.counts.tolist() == [2] * 9 + [1] * (len(words) - 9)


@given(st.binary(), st.integers(1, 50))
def test_blocks_hold_all_bytes_and_break_no_word(data: bytes, size: int) -> None:
    blocks = list(cut_blocks([data] if data else [], size))
    assert b"".join(blocks) == (data if data.endswith(b"\n") or not data else data + b"\n")
    assert all(block.endswith(b"\n") for block in blocks)


def test_a_one_shot_generator_of_token_lists(tmp_path: Path) -> None:
    def generate() -> Iterator[list[str]]:
        yield ["The", "cat", ""]
        yield []
        yield ["New York", "cat\n", "The"]

    corpus = encode(generate(), tmp_path / "out", ALL)
    assert sentences(corpus) == [["The", "cat"], ["New_York", "cat_", "The"]]
    assert corpus.meta["tokenizer"]["pretokenized"]
    assert not corpus.meta["tokenizer"]["fold_case"]
    assert corpus.meta["report"]["skipped"] == {"empty tokens": 1, "spaces inside tokens, now _": 2}


@pytest.mark.parametrize("bad", [[["a", 1]], [3], [["a"], "b"]])
def test_items_that_are_no_token_lists_are_named(bad: list[object], tmp_path: Path) -> None:
    with pytest.raises(InputError):
        encode(iter(bad), tmp_path / "out", ALL)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_tokenizer_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a|b|a\nc|a c", encoding="utf-8")
    corpus = encode(path, tmp_path / "out", EncodeOptions(tokenizer=lambda text: text.split("|"), min_count=1))
    assert sentences(corpus) == [["a", "b", "a"], ["c", "a_c"]]


def test_pretokenized_text_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The_DT cat's , .\n", encoding="utf-8")
    options = EncodeOptions(pretokenized=True, min_count=1)
    assert sentences(encode(path, tmp_path / "out", options)) == [["The_DT", "cat's", ",", "."]]


def test_long_words_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a " + "x" * 3_000_000 + " b\n" + "é" * 101, encoding="utf-8")
    report = encode(path, tmp_path / "out", ALL).meta["report"]
    assert (report["tokens"], report["skipped"]) == (2, {"words that are too long": 2})


def test_the_fingerprint_follows_words_and_tokens(tmp_path: Path) -> None:
    prints = [
        encode([text.split()], tmp_path / str(i), ALL).fingerprint  # type: ignore[list-item]
        for i, text in enumerate(["a b a b", "a b a b", "a b b a", "a c a c", "a b a b a"])
    ]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 4


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_an_interrupted_run_leaves_nothing(failure: type[BaseException], tmp_path: Path) -> None:
    def generate() -> Iterator[list[str]]:
        yield ["a"] * 100
        raise failure

    with pytest.raises(failure):
        encode(generate(), tmp_path / "out", ALL)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Spool, tokens: object, ends: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Spool, "write", full)
    with pytest.raises(OSError, match="No space"):
        encode([["a"]], tmp_path / "out", ALL)
    assert not list(tmp_path.iterdir())


def test_a_failed_run_keeps_the_older_corpus_and_a_good_one_replaces_it(tmp_path: Path) -> None:
    first = encode([["a", "b"]], tmp_path / "out", ALL).fingerprint
    with pytest.raises(InputError):
        encode([["a"]], tmp_path / "out", EncodeOptions(min_count=5), overwrite=True)
    assert EncodedCorpus.open(tmp_path / "out").fingerprint == first
    second = encode([["c", "d"]], tmp_path / "out", ALL, overwrite=True).fingerprint
    assert EncodedCorpus.open(tmp_path / "out").fingerprint == second != first
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_other_folders_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("…", encoding="utf-8")
    with pytest.raises(InputError, match="precious is a folder with other files"):
        encode([["a"]], tmp_path / "precious", ALL)
    assert (tmp_path / "precious" / "thesis.tex").exists()


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["encode", *map(str, arguments)])
    output = capsys.readouterr()
    return int(stopped.value.code or 0), output.out, output.err


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("The cat sat. The CAT ran!\nIn 1984 the dog slept.\n", encoding="utf-8")
    return path


def test_the_report_is_printed(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, text, "--output", tmp_path / "out", "--min-count", 2)
    rows = dict(line.split("\t") for line in out.splitlines())
    assert (code, err) == (0, "")
    assert rows["tokens read"] == "11"
    assert rows["types kept"] == "2"
    assert rows["removed by min_count"] == "6 types, 6 tokens"
    assert EncodedCorpus.open(tmp_path / "out").vocabulary.words == ["the", "cat"]


def test_json(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, text, "-o", tmp_path / "out", "--min-count", 1, "--json")
    report = json.loads(out)
    assert (report["tokens"], report["kept_types"], report["coverage"]) == (11, 8, 1.0)


def test_options_reach_the_encoder(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stop = tmp_path / "stop.txt"
    stop.write_text("cat\nsat\n", encoding="utf-8")
    options = ["--no-numbers", "--keep-case", "--stop-words", stop, "--pattern", "[A-Za-z]{3,}", "--max-words", 4]
    code, *_ = run(capsys, text, "-o", tmp_path / "out", "--min-count", 1, "--remove-top", 1, *options)
    assert code == 0
    assert EncodedCorpus.open(tmp_path / "out").vocabulary.words == ["CAT", "dog", "ran", "slept"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.txt"], "adagram: nowhere.txt does not exist\n"),
        (["text.txt"], "adagram: no word occurs min_count = 5 times: the most frequent, 'the', occurs 3 times; "),
        (["text.txt", "--format", "word"], "adagram: format is 'word'; it must be one of text, "),
        (
            ["text.txt", "--stop-words", "none.txt"],
            "adagram: stop_words is 'none.txt' (No such file or directory); it must be ",
        ),
    ],
)
def test_one_sentence_and_nothing_written(
    arguments: list[str], sentence: str, text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(text.parent)
    code, out, err = run(capsys, *arguments, "-o", "out")
    assert (code, out) == (1, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert [path.name for path in text.parent.iterdir()] == ["text.txt"]


def test_bad_sources_are_said_on_stderr(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    code, out, err = run(capsys, text, empty, "-o", tmp_path / "out", "--min-count", 1, "--skip-bad")
    assert code == 0
    assert "bad sources\t1" in out
    assert err.startswith(f"adagram: skipped the rest of {empty}: ")
