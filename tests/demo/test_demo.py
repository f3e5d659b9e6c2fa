"""The demo on a small text whose senses are planted."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from adagram.demo import run
from adagram.demo.run import is_nearer, new_sentences, showcase, shown_senses
from adagram.errors import MissingExtraError
from tests_support import planted, train_in_memory


def topical(n_sentences: int, seed: int) -> list[list[str]]:
    """Each sentence is about one of four topics, with words of its own."""
    draw = np.random.default_rng(seed)
    topics = [[f"{name}{letter}" for letter in "abcdefgh"] for name in ("fruit", "metal", "music", "storm")]
    return [draw.choice(topics[draw.integers(4)], size=10).tolist() for _ in range(n_sentences)]


def test_the_showcase_is_chosen_by_the_model():
    corpus = planted(2, n_sentences=3000)
    model = train_in_memory(corpus, dim=24, threads=1, epochs=3)
    assert next(iter(showcase(model, 3))) == "planted"
    senses = shown_senses(model, "planted")
    assert {sense.sense for sense in senses} == {"planted#0", "planted#1"}
    assert senses[0].prior >= senses[1].prior


def test_new_sentences_have_two_senses_each():
    for word, pair in run.sentences().items():
        assert len(pair) == len({meant for _, meant in pair}) == 2
        assert all(word in sentence.split() for sentence, _ in pair)


def test_an_answer_is_right_if_the_sense_is_nearer_to_what_is_meant(planted_model, monkeypatch):
    first, second = "topic0x1 topic0x2 planted topic0x3", "topic1x1 topic1x2 planted topic1x3"
    for meanings, right in ((("topic0x5", "topic1x5"), True), (("topic1x5", "topic0x5"), False)):
        pair = tuple(zip((first, second), meanings, strict=True))
        monkeypatch.setattr(run, "sentences", lambda pair=pair: {"planted": pair})
        answers = new_sentences(planted_model, ["unseen", "planted"])
        assert [answer.sentence for answer in answers] == [first, second]
        assert len({answer.sense for answer in answers}) == 2
        assert all(answer.is_right == right for answer in answers)
    assert is_nearer(planted_model, "planted#0", "topic0x1", "unheard-of")


def test_the_whole_demo_prints_senses_and_figures(monkeypatch):
    sentences = topical(1500, seed=2) + [["Bank", *s] for s in topical(1500, seed=3)]
    monkeypatch.setattr(run, "demo_documents", lambda: [" ".join(s) + "." for s in sentences])
    monkeypatch.setattr(run, "CONFIG", replace(run.CONFIG, dim=16, subsample=0.0, epochs=2))
    out = io.StringIO()
    findings = run.run_demo(None, lambda stage: lambda progress: None, Console(file=out, width=160))
    printed = out.getvalue()
    assert "bank#0" in printed
    assert "bank#1" in printed
    assert re.search(r"Bank \w+", printed), "an example in its original spelling"
    assert "they sat on the bank of the river" in printed, "a new sentence"
    assert "seconds in all" in printed
    kinds = [finding["kind"] for finding in findings]
    assert list(dict.fromkeys(kinds)) == ["packaged", "sense", "sentence", "run"]
    assert kinds.count("sentence") == 2
    assert kinds.count("packaged") >= 2, "senses of the English model, before anything is trained"
    assert all(f["sense"] in printed for f in findings if f["kind"] in ("sense", "sentence"))


def test_missing_text_is_a_friendly_message(monkeypatch):
    monkeypatch.setattr(run, "WIKIPEDIA", "no-such-package-anywhere")
    with pytest.raises(MissingExtraError, match=r'pip install "adagram\[demo\]"'):
        run.demo_documents()
