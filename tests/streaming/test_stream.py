"""A continued run learns a stream as it comes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import adagram
from adagram.errors import InputError
from adagram.model import Model
from adagram.streaming.run import train_stream
from adagram.training.checkpoint import Saving, checkpoint_folder, has_checkpoint
from adagram.training.pace import Pace
from adagram.training.progress import Progress, StreamProgress
from adagram.training.start import Start
from tests_support import stopping

BLOCK = 5_000
PACE = Pace(block=BLOCK, report_seconds=3600)  # a report after every block
LONG = Pace(block=100_000, report_seconds=3600)
OPTIONS: dict[str, Any] = {
    "subsample": 0.0,
    "merge_senses": False,
    "dim": 8,
    "window": 5,
    "threads": 1,
    "min_count": 1,
    "alpha": 0.1,
    "lr": 0.05,
    "epochs": 3,
}


def sentences(middles: dict[int, str], n: int, seed: int) -> list[list[str]]:
    """Each of one topic, with the word of this topic in its middle."""
    draw, topics, made = np.random.default_rng(seed), list(middles), []
    for _ in range(n):
        topic = topics[draw.integers(len(topics))]
        words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
        words[int(draw.integers(2, 8))] = middles[topic]
        made.append(words)
    return made


# 'planted' has two meanings at first, then one of them and a third; the words of topic 3 are new.
FIRST = sentences({0: "planted", 1: "planted", 2: "other"}, 3000, seed=0)
SECOND = sentences({1: "planted", 2: "planted", 3: "other"}, 1500, seed=1)  # three blocks


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


def streamed(
    stream: Any,
    start: Model | Path,
    saving: Saving | None = None,
    report: Any = None,
    pace: Pace = PACE,
    **options: Any,
) -> Model:
    beginning = Start(start if isinstance(start, Model) else adagram.load(start))
    config, encoding = beginning.options({"threads": 1, "min_count": 1} | options)
    report, saving = report or (lambda progress: None), saving or Saving()
    return train_stream(stream, config, encoding, saving, report, beginning, pace)


def long_streamed(
    stream: Any, start: Model | Path, saving: Saving | None = None, report: Any = None
) -> Model:
    """In one pass, by longer blocks."""
    return streamed(stream, start, saving, report, LONG, epochs=1)


def same(one: Model, other: Model) -> None:
    assert one.vocabulary.words == other.vocabulary.words
    assert one.rest is not None
    assert other.rest is not None
    for arrays, others in ((one.arrays, other.arrays), (one.rest, other.rest)):
        for name in arrays:
            assert_array_equal(arrays[name], others[name])
    assert one.unknown == other.unknown


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_stream_is_learned_as_its_blocks_one_after_the_other_would_be() -> None:
    """Of the words that are known; blocks are so long here that new meanings are looked for in each."""
    small = chained = adagram.train(FIRST[:300], **OPTIONS)
    blocks = [SECOND[i : i + BLOCK // 10] for i in range(0, len(SECOND), BLOCK // 10)]
    for block in blocks:
        chained = adagram.train(block, start=chained, threads=1, min_count=10**6)
    stream = streamed(iter(SECOND), small)
    chained.unknown = stream.unknown  # files do not count words that are too rare
    same(stream, chained)


def test_every_sense_keeps_its_number_and_a_new_meaning_is_the_next(old: Model) -> None:
    new = streamed(iter(SECOND), old)
    assert set(old.names(slice(0, old.n_senses))) <= set(new.names(slice(0, new.n_senses)))
    for topic in (0, 1):
        context = [f"topic{topic}x{i}" for i in (1, 4, 5, 9, 11)]
        assert new.posterior("planted", context).best == old.posterior("planted", context).best
    third = new.posterior("planted", [f"topic2x{i}" for i in (1, 4, 5, 9, 11)]).best
    assert third not in [sense.name for sense in old.senses("planted")]


def test_words_are_learned_before_the_stream_ends(old: Model) -> None:
    heard: list[Progress] = []
    many = SECOND * 20  # more than what is read at a time

    def stream() -> Iterator[list[str]]:
        yield from many
        assert heard, "nothing was learned of the words that had come"
        yield SECOND[0]

    long_streamed(stream(), old, report=heard.append)
    words = [progress.words for progress in heard]
    assert words == [100_000, 200_000, 300_000, 300_010]
    last = heard[-1]
    assert isinstance(last, StreamProgress)
    assert (last.total, last.unknown) == (0, sum(w not in old.vocabulary for s in many for w in s))


def test_new_words_join_with_the_next_text(old: Model, tmp_path) -> None:
    text = [[*sentence, "often"] for sentence in SECOND[:7]] + [
        [*sentence, "rare"] for sentence in SECOND[7:9]
    ]
    first = streamed(iter(text), old, Saving(tmp_path / "first"), min_count=10)
    assert first.vocabulary.words == old.vocabulary.words
    assert (first.unknown["often"], first.unknown["rare"]) == (7, 2)
    more = [[*sentence, "often"] for sentence in SECOND[9:12]]
    by_stream = streamed(iter(more), tmp_path / "first", min_count=10)
    by_file = adagram.train(more, tmp_path / "file", start=tmp_path / "first", min_count=10)
    for second in (by_stream, by_file):
        assert second.vocabulary.counts[second.vocabulary.id("often")] == 10
        assert "often" not in second.unknown
        assert "rare" not in second.vocabulary
        assert second.unknown["rare"] == 2
    short = streamed(iter(more[:2]), tmp_path / "first", min_count=10)
    assert short.unknown["often"] == 9


def test_words_that_a_stream_has_met_wait_until_they_come_again(old: Model) -> None:
    first = streamed(iter([[*sentence, "gone"] for sentence in SECOND[:20]]), old, min_count=10)
    second = streamed(iter(SECOND[20:40]), first, min_count=10)
    assert "gone" not in second.vocabulary, "nothing could have taught it"
    assert second.unknown["gone"] == 20


def test_ctrl_c_ends_the_stream_with_a_whole_model(old: Model, tmp_path) -> None:
    def endless() -> Iterator[list[str]]:
        while True:
            yield from SECOND

    model = long_streamed(endless(), old, Saving(tmp_path / "new"), report=stopping(at=2))
    words = model.info["training"]["words"]
    assert words >= 200_000
    assert words == sum(text["tokens"] for text in model.info["seen"][1:]) + sum(model.unknown.values())
    assert not has_checkpoint(tmp_path / "new")
    assert adagram.load(tmp_path / "new").info["seen"][0] == old.info["seen"][0]


def test_a_second_ctrl_c_leaves_the_last_block_out(old: Model, tmp_path) -> None:
    def twice() -> Iterator[list[str]]:
        yield from SECOND * 20
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    model = long_streamed(twice(), old, Saving(tmp_path / "new"))
    assert model.info["training"]["words"] in (100_000, 200_000)


def text_of(lines: Iterable[list[str]]) -> bytes:
    return "".join(" ".join(words) + "\n" for words in lines).encode()


class Stdin:
    """Standard input that brings so many bytes at a time."""

    def __init__(self, data: bytes, bite: int) -> None:
        self.buffer = Bites(data, bite)


class Bites(io.RawIOBase):
    def __init__(self, data: bytes, bite: int) -> None:
        self._data, self._bite = io.BytesIO(data), bite

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._data.read(min(self._bite, len(buffer)))
        buffer[: len(data)] = data
        return len(data)


def test_the_model_does_not_depend_on_how_the_bytes_arrive(old: Model, monkeypatch) -> None:
    data, models = text_of(SECOND * 20), []  # more than is cut into words at a time
    for bite in (10**9, 77_777, 4_097):
        monkeypatch.setattr(sys, "stdin", Stdin(data, bite))
        models.append(long_streamed("-", old))
    for model in models[1:]:
        same(model, models[0])
    same(long_streamed(iter(SECOND * 20), old), models[0])


def test_two_threads_can_be_repeated_bit_for_bit(old: Model) -> None:
    options = {"threads": 2, "deterministic": True}
    same(streamed(iter(SECOND), old, **options), streamed(iter(SECOND), old, **options))


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mpsg"])
def test_other_systems_go_on_with_a_stream(algorithm: str) -> None:
    old = adagram.train(FIRST[:300], **OPTIONS, algorithm=algorithm)
    new = streamed(iter(SECOND), old)
    assert new.vocabulary.words == old.vocabulary.words
    assert sum(new.unknown.values()) > 0
    assert not np.array_equal(new.vectors, old.vectors)


def test_labels_and_sheet_go_along(old: Model, tmp_path) -> None:
    old.learned.save(tmp_path / "a")
    labelled = adagram.load(tmp_path / "a").decide("label planted#0 the first meaning")
    (tmp_path / "a/senses.jsonl").write_text("", encoding="utf-8")
    for model in (streamed(iter(SECOND), labelled, Saving(tmp_path / "b")), streamed(iter(SECOND), labelled)):
        assert model.label(model.row("planted#0")) == "the first meaning"
    assert (tmp_path / "b/senses.jsonl").is_file()


def test_new_meanings_are_not_looked_for_in_every_block(old: Model) -> None:
    """Else each block of an endless stream could bear a sense of every word."""
    long = long_streamed(iter(FIRST * 4), old)
    assert long.n_senses <= 1.5 * old.n_senses


# -- what goes wrong


def test_a_broken_stream_keeps_what_was_learned_and_can_be_resumed(old: Model, tmp_path, monkeypatch) -> None:
    old.save(tmp_path / "old")
    before, data = files(tmp_path / "old"), text_of(SECOND * 20)
    at = len(data) * 3 // 4
    monkeypatch.setattr(sys, "stdin", Stdin(data[:at] + b"\xff\xfe" + data[at:], 100_000))
    with pytest.raises(
        InputError, match=r"stdin is not UTF-8: .*is kept: give the whole stream again.*--resume"
    ):
        long_streamed("-", tmp_path / "old", Saving(tmp_path / "new"))
    assert files(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()
    assert adagram.load(checkpoint_folder(tmp_path / "new")).info["training"]["words"] in (100_000, 200_000)
    monkeypatch.setattr(sys, "stdin", Stdin(data, 30_000))
    resumed = long_streamed("-", tmp_path / "old", Saving(tmp_path / "new", resume=True))
    whole = long_streamed(iter(SECOND * 20), tmp_path / "old")
    same(resumed, whole)
    assert resumed.info["corpus"] == whole.info["corpus"]
    assert not has_checkpoint(tmp_path / "new")


def stopped(old: Model, output: Path) -> Model:
    """A run that failed after its first block."""

    def broken() -> Iterator[list[str]]:
        yield from SECOND * 20
        raise InputError("the line is cut")

    with pytest.raises(InputError, match=r"the line is cut; what .* is kept"):
        long_streamed(broken(), old, Saving(output))
    return adagram.load(checkpoint_folder(output))


def test_another_stream_is_not_resumed(old: Model, tmp_path) -> None:
    kept = stopped(old, tmp_path / "new")
    resume = Saving(tmp_path / "new", resume=True)
    with pytest.raises(InputError, match="has learned another stream"):
        long_streamed(iter([*FIRST[:1], *(SECOND * 20)[1:]]), old, resume)
    with pytest.raises(InputError, match="the stream has 15000 words, but the checkpoint had learned"):
        long_streamed(iter(SECOND), old, resume)
    with pytest.raises(InputError, match="belongs to another corpus"):
        long_streamed(iter(SECOND * 20), kept, resume)
    assert adagram.load(checkpoint_folder(tmp_path / "new")).n_senses == kept.n_senses


def test_a_checkpoint_can_be_continued_as_a_model(old: Model, tmp_path) -> None:
    kept = stopped(old, tmp_path / "new")
    assert kept.folder
    model = streamed(iter(SECOND), kept.folder)
    assert set(kept.names(slice(0, kept.n_senses))) <= set(model.names(slice(0, model.n_senses)))


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "stdin is empty"),
    "blank": (b"\n\n", "the stream has no words"),
    "unknown": (b"no such words " * 99, "none of the 3 words of the text is known"),
    "one word": (b"planted", "no known word with a context"),
    "encoding": (b"topic1x1 \xff\xfe topic1x2", "stdin is not UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_learned_is_one_sentence_and_the_old_model_stays(
    old: Model, tmp_path, monkeypatch, case: str
) -> None:
    data, message = BAD[case]
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    monkeypatch.setattr(sys, "stdin", Stdin(data, 1000))
    with pytest.raises(InputError, match=message):
        adagram.train("-", tmp_path / "old", start=tmp_path / "old", overwrite=True, min_count=1)
    assert files(tmp_path / "old") == before
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["old"]


def test_a_block_without_known_words_is_only_counted(old: Model) -> None:
    strange = [["no", "such", "words", "are", "known"]] * BLOCK
    model = streamed(iter([*SECOND[:500], *strange[:1000], *SECOND[500:]]), old)
    assert model.unknown["such"] == 1000
    known = sum(word in old.vocabulary for sentence in SECOND for word in sentence)
    assert model.info["corpus"]["tokens"] == known


def test_the_command_learns_from_an_open_pipe_until_ctrl_c(old: Model, tmp_path) -> None:
    command = [sys.executable, "-m", "adagram", "train", "-", "--continue", str(old.folder), "--epochs", "1"]
    command += [
        "--output",
        str(tmp_path / "new"),
        "--threads",
        "1",
        "--checkpoint-minutes",
        "0.0001",
        "--json",
    ]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdin
    n = 110 * len(SECOND)
    run.stdin.write(text_of(SECOND * 110))
    run.stdin.flush()
    for _ in range(3000):
        if (checkpoint_folder(tmp_path / "new") / "trainer.json").exists():
            break
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    else:
        raise AssertionError("a million words were not learned while the pipe was open")
    time.sleep(0.5)
    os.kill(run.pid, signal.SIGINT)
    run.wait(60)  # the pipe is still open
    told, said = run.communicate()
    assert run.returncode == 0, said
    assert b"the stream ends here: its last 650,000 words are learned" in said
    assert json.loads(told)["training_words"] == 10 * n
    assert adagram.load(tmp_path / "new").vocabulary.words == old.vocabulary.words
