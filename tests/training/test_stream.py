"""A continued run learns a stream as it comes."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator
from itertools import repeat

import numpy as np
import pytest

import adagram
from adagram.api import training_line
from adagram.config import TrainConfig
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.options import EncodeOptions
from adagram.model import Model
from adagram.model.sheet import label_of
from adagram.training.checkpoint import Saving
from adagram.training.continued_systems import PreviousState
from adagram.training.progress import Progress
from adagram.training.stream import word_blocks
from adagram.training.workers import Chunks, Threads
from continue_support import FIRST, OPTIONS, SECOND, options_of
from streaming_support import BLOCK, Stdin, long_streamed, same, streamed, text_of


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


def test_a_stream_is_learned_as_its_blocks_one_after_the_other_would_be() -> None:
    """Blocks are so long here that new meanings are looked for in each."""
    small = chained = adagram.train(FIRST[:300], **OPTIONS)
    blocks = [SECOND[i : i + BLOCK // 10] for i in range(0, len(SECOND), BLOCK // 10)]
    for block in blocks:
        chained = adagram.train(block, start=chained, threads=1, min_count=1)
    stream = streamed(iter(SECOND), small)
    same(stream, chained)
    assert stream.info["corpus"]["tokens"] == 10 * len(SECOND)


def test_every_sense_keeps_its_number_and_a_new_meaning_is_the_next(old: Model) -> None:
    new = streamed(iter(SECOND), old)
    assert set(old.names(slice(0, old.n_senses))) <= set(new.names(slice(0, new.n_senses)))
    for topic in (0, 1):
        context = [f"topic{topic}x{i}" for i in (1, 4, 5, 9, 11)]
        assert new.disambiguate("planted", context).best == old.disambiguate("planted", context).best
    third = new.disambiguate("planted", [f"topic2x{i}" for i in (1, 4, 5, 9, 11)]).best
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
    assert (last.total, last.unknown) == (0, 0), "with min_count=1 all words are learned"


def test_new_words_join_once_they_are_frequent_enough(old: Model, tmp_path) -> None:
    text = [[*sentence, "often"] for sentence in SECOND[:7]] + [[*sentence, "rare"] for sentence in SECOND[7:9]]
    first = streamed(iter(text), old, Saving(tmp_path / "first"), min_count=10)
    assert first.vocabulary.words == old.vocabulary.words
    assert (first._continuation.unknown["often"], first._continuation.unknown["rare"]) == (7, 2)
    more = [[*sentence, "often"] for sentence in SECOND[9:12]]
    by_stream = streamed(iter(more), tmp_path / "first", min_count=10)
    by_file = adagram.train(more, tmp_path / "file", start=tmp_path / "first", min_count=10)
    for second in (by_stream, by_file):
        assert second.vocabulary.counts[second.vocabulary.id("often")] == 3, "uses that could teach it"
        assert "often" not in second._continuation.unknown
        assert "rare" not in second.vocabulary
        assert second._continuation.unknown["rare"] == 2
    short = streamed(iter(more[:2]), tmp_path / "first", min_count=10)
    assert short._continuation.unknown["often"] == 9


def test_a_short_last_block_brings_no_rare_words(old: Model) -> None:
    """Without min_count the limit is that of a whole block."""
    model = streamed(iter([[*SECOND[0], "once"]]), old, min_count=None)
    assert "once" not in model.vocabulary


def test_the_model_does_not_depend_on_how_the_bytes_arrive(old: Model, monkeypatch) -> None:
    data, models = text_of(SECOND * 20), []  # more than is cut into words at a time
    for bite in (10**9, 77_777, 4_097):
        monkeypatch.setattr(sys, "stdin", Stdin(data, bite))
        models.append(long_streamed("-", old))
    for model in models[1:]:
        same(model, models[0])
    same(long_streamed(iter(SECOND * 20), old), models[0])


def test_lanes_can_be_repeated_bit_for_bit(old: Model) -> None:
    options = {"threads": 2, "lanes": 2, "deterministic": True}
    same(streamed(iter(SECOND), old, **options), streamed(iter(SECOND), old, **options))


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mpsg"])
def test_other_systems_go_on_with_a_stream(algorithm: str) -> None:
    old = adagram.train(FIRST[:300], **options_of(algorithm))
    new = streamed(iter(SECOND), old)
    n = len(old.vocabulary)
    assert new.vocabulary.words[:n] == old.vocabulary.words
    assert set(new.vocabulary.words[n:]) == {w for sentence in SECOND for w in sentence} - set(old.vocabulary.words)
    assert not np.array_equal(new.vectors[: old.n_senses], old.vectors)


def test_labels_and_sheet_go_along(old: Model, tmp_path) -> None:
    old._learned.save(tmp_path / "a")
    labelled = adagram.load(tmp_path / "a").decide("label planted#0 the first meaning")
    (tmp_path / "a/senses.jsonl").write_text("", encoding="utf-8")
    for model in (streamed(iter(SECOND), labelled, Saving(tmp_path / "b")), streamed(iter(SECOND), labelled)):
        assert label_of(model, model.row("planted#0")) == "the first meaning"
    assert (tmp_path / "b/senses.jsonl").is_file()


def test_new_meanings_are_looked_for_when_the_text_has_grown(old: Model, monkeypatch) -> None:
    """Else each block of an endless stream could create a sense of every word."""
    sought = []

    def noted(corpus: EncodedCorpus, config: TrainConfig, chunks: Chunks, state: PreviousState) -> Threads:
        sought.append(state.find_new_senses)
        return Threads(corpus, config, chunks, state)

    monkeypatch.setattr("adagram.training.run.Threads", noted)
    monkeypatch.setattr("adagram.training.stream.SEARCH_GROWTH", 0.25)
    streamed(iter(FIRST), old, epochs=1)  # six blocks after a text that was as long
    yes, no = True, False
    assert sought == [yes, no, yes, no, no, yes]  # 10 of 40 thousand words, then 15 of 55


@pytest.mark.slow
def test_memory_is_that_of_a_block() -> None:
    """However long the stream is."""
    peaks, line = [], " ".join(f"word{i}" for i in range(1000))
    for n in (4, 8):
        state = ReadState(EncodeOptions(threads=1), CorpusReport())
        tracemalloc.start()
        blocks = sum(1 for _ in word_blocks(repeat(line, 300 * n), state, 300_000))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert blocks == n
    assert peaks[1] < 1.1 * peaks[0]


def test_progress_tells_how_much_has_come_and_no_end() -> None:
    figures = {"words_per_second": 9000.0, "seconds": 1.0, "eta": 0.0, "objective": -3.0, "live_senses": 2.0}
    progress = Progress(words=2_000_000, total=0, rate=0.01, unknown=40_000, **figures)
    assert "2,000,000 words, 2.0 % unknown" in training_line(progress)
