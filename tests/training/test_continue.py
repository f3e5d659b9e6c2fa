"""Training goes on from a model: the same senses, new words, new senses after the old ones."""

from __future__ import annotations

import resource
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import adagram
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.maths.schedule import PAST
from adagram.maths.subsampling import expected_counts
from adagram.model import Model
from adagram.model.rest import REST
from adagram.training.checkpoint import Saving
from adagram.training.interrupt import Interrupted, Stop
from adagram.training.pace import Pace
from adagram.training.run import train_encoded
from adagram.training.start import Start
from adagram.training.threads import Threads
from tests_support import FINE, stopping

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


def sentences(middles: dict[int, str], n: int, seed: int = 0) -> list[list[str]]:
    """Each of one topic, with the word of this topic in its middle."""
    draw, topics, made = np.random.default_rng(seed), list(middles), []
    for _ in range(n):
        topic = topics[draw.integers(len(topics))]
        words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
        words[int(draw.integers(2, 8))] = middles[topic]
        made.append(words)
    return made


# 'planted' has two meanings at first, then one of them and a third; the words of topic 3 are new.
FIRST = sentences({0: "planted", 1: "planted", 2: "other"}, 3000)
SECOND = sentences({1: "planted", 2: "planted", 3: "other"}, 1500, seed=1)


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


@pytest.fixture(scope="module")
def new(old: Model, tmp_path_factory) -> Model:
    return adagram.train(SECOND, tmp_path_factory.mktemp("new") / "model", start=old, threads=1, min_count=1)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_old_words_keep_their_ids_and_new_ones_follow(old: Model, new: Model) -> None:
    n = len(old.vocabulary)
    assert new.vocabulary.words[:n] == old.vocabulary.words
    assert sorted(new.vocabulary.words[n:]) == sorted(f"topic3x{i}" for i in range(12))
    counted = sum(sentence.count("planted") for sentence in FIRST + SECOND)
    assert new.vocabulary.counts[new.vocabulary.index["planted"]] == counted


def test_every_sense_stays_what_it_was(old: Model, new: Model) -> None:
    """Sense k is nearest to what sense k was, and a topic that is over keeps its sense."""
    for name in old.names(slice(0, old.n_senses)):
        assert name in new
    shared = old.names(old.rows("planted"))
    for name in shared:
        found = {other: cosine(new[name], old[other]) for other in shared}
        assert max(found, key=found.__getitem__) == name
    for topic in (0, 1):
        context = [f"topic{topic}x{i}" for i in (1, 4, 5, 9, 11)]
        assert new.posterior("planted", context).best == old.posterior("planted", context).best


def test_a_new_meaning_becomes_the_next_sense(old: Model, new: Model) -> None:
    born = new.posterior("planted", [f"topic2x{i}" for i in (1, 4, 5, 9)]).best
    assert int(born.rpartition("#")[2]) >= len(old.senses("planted"))
    near = [n.name for n in new.neighbours(born, top=5)]
    assert all(name.startswith("topic2") for name in near)


@pytest.mark.parametrize("algorithm", ["adagram", "skipgram", "skipgram-ns", "mpsg"])
def test_before_the_first_token_all_is_as_it_was(algorithm: str, tmp_path) -> None:
    """A run that stops at once gives the old senses again; counts speak for the old and new text together."""
    old = adagram.train(FIRST[:800], tmp_path / "old", algorithm=algorithm, **OPTIONS)
    corpus = extended(old, SECOND[:40], tmp_path)
    crew = Threads(corpus, old.config, Pace(), Start(old).past(corpus, 0))
    crew.start()
    arrays = crew.model_arrays()
    made = Model(arrays, corpus.vocabulary, old.info)
    for name in old.names(slice(0, old.n_senses)):
        assert_array_equal(made[name], old[name])
        assert_allclose(made.priors[made.row(name)], old.priors[old.row(name)], atol=0.01)
    totals = expected_counts(corpus.vocabulary.counts, 0.0)
    grown = np.add.reduceat(arrays["counts"], arrays["offsets"][:-1])
    assert_allclose(grown, totals, rtol=0.02)


def extended(old: Model, text: list[list[str]], folder: Path) -> Any:
    from adagram.corpus import EncodeOptions, encode

    return encode(text, folder / "more", EncodeOptions(min_count=1), known=old.vocabulary)


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mpsg"])
def test_other_systems_go_on_too(algorithm: str) -> None:
    start = adagram.train(FIRST, algorithm=algorithm, **OPTIONS)
    model = adagram.train(SECOND, start=start, min_count=1, threads=1)
    assert model.config.algorithm == algorithm
    likeliest = max(model.senses("topic3x1"), key=lambda sense: sense.prior)
    near = [n.name for n in model.neighbours(likeliest.name, top=3)]
    assert sum(name.startswith("topic3") for name in near) >= 2


@pytest.mark.parametrize("algorithm", ["mssg", "np-mssg"])
def test_systems_that_cannot_go_on_say_so(algorithm: str) -> None:
    model = adagram.train(FIRST[:200], algorithm=algorithm, **OPTIONS)
    with pytest.raises(InputError, match=f"{algorithm}, which cannot be continued"):
        adagram.train(SECOND, start=model)


def test_a_row_is_the_mean_of_old_and_new_by_their_uses(old: Model, tmp_path) -> None:
    """Words that the new text does not have stay as they were, bit for bit; others go a part of the way."""
    corpus, start = extended(old, SECOND, tmp_path), Start(old)
    crew = Threads(corpus, start.options({"threads": 1})[0], Pace(), start.past(corpus, 0))
    crew.start()
    crew.round(0, len(corpus.tokens), Stop())
    trained, joined = crew.system.trained_arrays(), crew.model_arrays()
    model = Model(joined, corpus.vocabulary, old.info)
    assert_array_equal(model["topic0x1#0"], old["topic0x1#0"])
    row, w = model.row("planted#0"), old.vocabulary.index["planted"]
    before, after = int(old.vocabulary.counts[w]), int(corpus.vocabulary.counts[w] - old.vocabulary.counts[w])
    share = after / (PAST * before + after)
    dim = old.config.dim
    expected = (1 - share) * old["planted#0"] + share * trained["vectors"][row, :dim]
    assert_allclose(joined["vectors"][row, :dim], expected, rtol=1e-5, atol=1e-6)


def test_several_threads_can_go_on_deterministically(old: Model) -> None:
    options = {"start": old, "min_count": 1, "threads": 2, "deterministic": True}
    one, same = (adagram.train(SECOND, **options) for _ in range(2))
    for name in one.arrays:
        assert_array_equal(one.arrays[name], same.arrays[name])
    assert "planted#0" in one


def test_memory_makes_the_past_count_less(old: Model) -> None:
    short = adagram.train(SECOND, start=old, memory=300, min_count=1, threads=1)
    n = len(old.vocabulary)
    assert abs(int(short.vocabulary.counts.sum()) - 300 - 15_000) <= n
    long = adagram.train(SECOND, start=old, min_count=1, threads=1)
    over = old.posterior("planted", [f"topic0x{i}" for i in (1, 4, 5, 9, 11)]).best
    left = [model.priors[model.row(over)] for model in (short, long)]
    assert left[0] < 0.5 * left[1], "a meaning that is over is forgotten sooner"


def test_stopped_and_resumed_equals_uninterrupted(old: Model, new: Model, tmp_path) -> None:
    """One thread, bit for bit."""
    corpus, output, start = extended(old, SECOND, tmp_path), tmp_path / "broken", Start(old)
    config = start.options({"threads": 1})[0]
    with pytest.raises(Interrupted):
        train_encoded(corpus, config, Saving(output), stopping(at=4), FINE, start)
    resumed = train_encoded(corpus, config, Saving(output, resume=True), lambda progress: None, FINE, start)
    whole = train_encoded(corpus, config, Saving(), lambda progress: None, FINE, start)
    for name in whole.arrays:
        assert_array_equal(resumed.arrays[name], whole.arrays[name])
    assert whole.rest is not None
    assert resumed.rest is not None
    for name in whole.rest:
        assert_array_equal(resumed.rest[name], whole.rest[name])


def test_labels_and_sheet_are_carried_over(old: Model, tmp_path) -> None:
    old.learned.save(tmp_path / "a")
    labelled = adagram.load(tmp_path / "a").decide("label planted#0 the first meaning")
    (tmp_path / "a/senses.jsonl").write_text("", encoding="utf-8")
    there = adagram.train(SECOND, tmp_path / "b", start=tmp_path / "a", min_count=1)
    in_memory = adagram.train(SECOND, start=labelled, min_count=1)
    for model in (there, in_memory):
        assert model.label(model.row("planted#0")) == "the first meaning"
    assert (tmp_path / "b/senses.jsonl").is_file()
    assert (tmp_path / "b/journal.txt").read_text() == (tmp_path / "a/journal.txt").read_text()


def test_it_can_go_on_again_and_again(new: Model) -> None:
    again = adagram.train(
        sentences({4: "other", 1: "planted"}, 600, seed=2), start=new, min_count=1, threads=1
    )
    assert [corpus["tokens"] for corpus in again.info["seen"]] == [30_000, 15_000, 6_000]
    assert set(new.names(slice(0, new.n_senses))) <= set(again.names(slice(0, again.n_senses)))


def test_a_model_of_the_earlier_format_goes_on_and_says_what_is_assumed(old: Model, tmp_path) -> None:
    old.save(tmp_path / "earlier")
    (tmp_path / "earlier" / REST).unlink()
    with pytest.warns(UserWarning, match=f"has no {REST}: it is taken"):
        model = adagram.train(SECOND, start=tmp_path / "earlier", min_count=1, threads=1)
    assert set(old.names(slice(0, old.n_senses))) <= set(model.names(slice(0, model.n_senses)))


def test_the_same_text_again_is_said(old: Model) -> None:
    with pytest.warns(UserWarning, match="has learned this text already"):
        adagram.train(FIRST, start=old, min_count=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adagram.train(SECOND, start=old, min_count=1)


def test_an_encoded_corpus_gives_the_same_model(old: Model, new: Model, tmp_path) -> None:
    from adagram.corpus import EncodeOptions, encode

    encode(SECOND, tmp_path / "encoded", EncodeOptions(min_count=1))
    model = adagram.train(tmp_path / "encoded", start=old, threads=1)
    assert model.vocabulary.words == new.vocabulary.words
    for name in new.arrays:
        assert_array_equal(model.arrays[name], new.arrays[name])


BAD: dict[str, tuple[list[list[str]], dict[str, Any], str]] = {
    "dim": (SECOND, {"dim": 9}, "dim is 9, but .* has 8"),
    "window": (SECOND, {"window": 2}, "window is 2, but .* has 5"),
    "algorithm": (SECOND, {"algorithm": "skipgram"}, "algorithm is skipgram, but .* has adagram"),
    "tokenizer": (SECOND, {"fold_case": True}, "fold_case is True, but .* has False"),
    "senses": (SECOND, {"max_senses": 3}, "max_senses is 3, but words of .* may have 30"),
    "phrases": (SECOND, {"phrases": 1}, "cannot go on with phrases"),
    "words": ([["no", "such", "words"]] * 9, {}, "none of the 3 words of the text is known"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_one_sentence_and_the_old_model_stays(old: Model, tmp_path, case: str) -> None:
    text, options, message = BAD[case]
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    with pytest.raises(InputError, match=message):
        adagram.train(text, tmp_path / "old", start=tmp_path / "old", overwrite=True, **options)
    assert files(tmp_path / "old") == before
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["old"]


def test_an_imported_model_cannot_go_on(old: Model) -> None:
    imported = Model(old.arrays, old.vocabulary, old.info | {"imported": {"format": "word2vec"}})
    with pytest.raises(InputError, match="was imported"):
        adagram.train(SECOND, start=imported)


def test_memory_without_a_past_is_refused() -> None:
    with pytest.raises(InputError, match="no model is continued"):
        adagram.train(FIRST, **OPTIONS, memory=5)


def test_a_damaged_rest_is_refused(old: Model, tmp_path) -> None:
    old.save(tmp_path / "m")
    loaded = adagram.load(tmp_path / "m")
    loaded.rest = dict(loaded.rest or {}) | {"pending": np.full(len(old.vocabulary), np.nan)}
    with pytest.raises(InputError, match="pending has a value that is no count"):
        adagram.train(SECOND, start=loaded)


def test_options_of_the_model_hold_where_no_others_are_given(old: Model) -> None:
    config, encoding = Start(old).options({"epochs": 2})
    assert (config.dim, config.alpha, config.epochs, encoding.pretokenized) == (8, 0.1, 2, True)
    assert isinstance(config, TrainConfig)


def test_a_model_may_take_the_place_of_the_one_it_goes_on_from(old: Model, tmp_path) -> None:
    old.save(tmp_path / "m")
    model = adagram.train(SECOND, tmp_path / "m", start=tmp_path / "m", overwrite=True, min_count=1)
    assert len(model.vocabulary) > len(old.vocabulary)


def test_a_full_disk_is_one_sentence_and_the_old_model_stays(old: Model, tmp_path) -> None:
    """No file may grow beyond what the ids of the new text need, so the model cannot be written."""
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    text = "\n".join(" ".join(words) for words in SECOND[:50])
    command = [sys.executable, "-m", "adagram", "train", "-", "--continue", str(tmp_path / "old")]
    command += ["--output", str(tmp_path / "old"), "--overwrite", "--min-count", "1", "--threads", "1"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    done = subprocess.run(command, input=text.encode(), capture_output=True, preexec_fn=limit, check=False)
    said = done.stderr.decode()
    assert done.returncode == 1, said
    assert "cannot be written" in said or "File too large" in said
    assert "Traceback" not in said
    assert files(tmp_path / "old") == before
