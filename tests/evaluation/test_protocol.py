"""Which words are context, how targets are looked up, what becomes an answer."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from adagram.errors import InputError
from adagram.evaluation.report import Resampling
from adagram.evaluation.search import Query, cluster_results
from adagram.evaluation.similarity import Analogy, InContext, RatedPair, score_analogies, score_scws, score_similarity
from adagram.evaluation.wsi import ContextRule, disambiguate, find_word, graded_answers, score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Instance


def bank(n: int, left: str, right: str, sense: str = "s") -> Instance:
    return Instance("bank.n", f"bank.n.{n}", left, right, "bank", {sense: 1.0})


def test_the_nearest_known_words_are_kept_after_dropping_unknown_ones(bank_model):
    instance = bank(1, "money zzz the zzz near zzz", "zzz loan , RIVER water")
    disambiguate(bank_model, [instance], ContextRule(window=2))
    assert bank_model.seen == [["the", "near", "loan", "river"]]


def test_stop_words_are_dropped_first(bank_model):
    rule = ContextRule(window=1, stop_words=frozenset({"the", "near"}))
    disambiguate(bank_model, [bank(1, "money the near", "the water")], rule)
    assert bank_model.seen == [["money", "water"]]


def test_a_window_must_have_words():
    with pytest.raises(InputError, match="--window 0"):
        ContextRule(window=0)


@pytest.mark.parametrize("target", ["bank.n", "bank-n", "bank", "Bank", "bank.x"])
def test_targets_are_looked_up_by_lemma(bank_model, target):
    assert find_word(bank_model, target) == "bank"


def test_unknown_targets_are_none(bank_model):
    assert find_word(bank_model, "shore.n") is None
    assert find_word(bank_model, "bank loan") is None


def test_answers_are_the_most_probable_senses(bank_model):
    instances = [bank(1, "a loan from the", ""), bank(2, "", "of the river"), bank(3, "", "")]
    result = disambiguate(bank_model, [*instances, Instance("shore.n", "shore.n.1", "the", "")], ContextRule())
    assert graded_answers(bank_model, result, share=1.0) == {
        "bank.n": {"bank.n.1": {"bank#0": 1.0}, "bank.n.2": {"bank#1": 1.0}, "bank.n.3": {"bank#0": 1.0}}
    }


def test_graded_answers_keep_senses_near_the_best(bank_model):
    result = disambiguate(bank_model, [bank(1, "money near river", "money"), bank(2, "loan", "")], ContextRule())
    graded = graded_answers(bank_model, result, share=0.2)["bank.n"]
    assert graded["bank.n.1"] == {"bank#0": 1.0, "bank#1": pytest.approx(10 / 19)}
    assert graded["bank.n.2"] == {"bank#0": 1.0}  # 1/10 of the best is under the share


def test_totals_weigh_v_and_f_by_instances_but_not_ari(bank_model):
    gold = {
        "a.n": {f"a.n.{i}": {"s" if i < 3 else "t": 1.0} for i in range(6)},
        "b.v": {f"b.v.{i}": {"s" if i % 2 else "t": 1.0} for i in range(2)},
    }
    answers = {"a.n": gold["a.n"], "b.v": {f"b.v.{i}": {"x": 1.0} for i in range(2)}}
    report = score_wsi(gold, answers, Resampling(resamples=50))
    assert report.value("ARI") == 0.5
    assert report.value("V-measure") == pytest.approx(6 / 8)
    assert report.value("V-measure-unweighted") == pytest.approx(1 / 2)
    assert (report.value("V-measure", "n"), report.value("V-measure", "v")) == (1.0, 0.0)
    assert report.value("clusters-per-word") == 1.5


def test_skipped_words_and_one_sense_words_are_counted_and_named():
    one_sense = {f"one.{i}": {"s": 1.0} for i in range(3)}
    two_senses = {f"two.{i}": {"s" if i else "t": 1.0} for i in range(3)}
    unknown = {f"who.{i}": {"s" if i else "t": 1.0} for i in range(3)}
    report = score_wsi({"one": one_sense, "two": two_senses, "who": unknown}, {"one": one_sense, "two": two_senses})
    ari = next(score for score in report.scores if score.metric == "ARI")
    assert (ari.value, ari.items) == (1.0, 1)
    assert report.value("coverage") == pytest.approx(2 / 3)
    assert report.value("skipped-words") == 1
    remarks = "; ".join(report.remarks)
    assert "without an answer, left out of ARI: 1 (who)" in remarks
    assert "one gold sense, left out of ARI: 1 (one)" in remarks


def test_leaving_instances_out_does_not_raise_ari():
    gold = {"w": {f"w.{i}": {"s" if i < 4 else "t": 1.0} for i in range(8)}}
    half = {"w": {i: s for n, (i, s) in enumerate(gold["w"].items()) if n % 2}}
    assert score_wsi(gold, half).value("ARI") < 0.5


def test_answers_for_another_set_are_refused():
    gold = {"w": {"w.1": {"s": 1.0}}}
    for score in (score_wsi, score_fuzzy):
        with pytest.raises(InputError, match="none of the data set's instances"):
            score(gold, {"v": {"v.1": {"s": 1.0}}})


def test_search_results_are_clustered_by_sense_in_order_of_appearance(bank_model):
    texts = {"1.1": "Bank of the river", "1.2": "a loan at the bank", "1.3": "bank money", "1.4": "river bank"}
    query = Query("1", "bank", texts, {"1.1": ["1.1"]})
    several = Query("2", "river bank", {"2.1": "river"}, {"2.1": ["2.1"]})
    clusters = cluster_results(bank_model, [query, several], ContextRule(1))
    assert clusters == {"1": [["1.1", "1.4"], ["1.2", "1.3"]]}
    assert all("bank" not in context for context in bank_model.seen)
    assert cluster_results(bank_model, [several], ContextRule(1), by_last_word=True) == {"2": [["2.1"]]}
    assert bank_model.seen[-1] == [], "no word of the query is context"


class WithVectors:
    """bank#0 points to money, bank#1 to river; single-sense words have their own direction."""

    def __init__(self, senses):
        self._senses = senses
        self.directions = {"bank#0": (1, 0, 0), "bank#1": (0, 1, 0), "cash#0": (1, 0, 0), "shore#0": (0, 1, 0.5)}

    def __getattr__(self, name):
        return getattr(self._senses, name)

    def vector(self, sense):
        return np.array(self.directions[sense], dtype=np.float32)

    def word_vector(self, word):
        return sum(self.vector(s.name) for s in self.senses(word))


@pytest.fixture
def learned_vectors(monkeypatch):
    """Compare senses as they were learned, without the blend with their word."""

    def unit_rows(model, word):
        rows = np.array([model.vector(sense.name) for sense in model.senses(word)], float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    monkeypatch.setattr("adagram.evaluation.similarity._unit_rows", unit_rows)


@pytest.mark.usefixtures("learned_vectors")
def test_scws_similarities_use_the_context(bank_model):
    for word in ("cash", "shore"):
        bank_model.vocabulary[word] = None
    model = WithVectors(bank_model)
    at_bank, by_bank = InContext("bank", "money loan", ""), InContext("Bank", "", "river water")
    cash, shore = InContext("cash", "", ""), InContext("shore", "", "")
    pairs = [
        RatedPair(at_bank, cash, 9.0),
        RatedPair(by_bank, cash, 1.0),
        RatedPair(by_bank, shore, 8.0),
        RatedPair(at_bank, shore, 2.0),
        RatedPair(cash, InContext("unknown", "", ""), 5.0),
    ]
    report = score_scws(model, pairs, ContextRule())
    by_pair = [(row["MaxSimC"], row["AvgSimC"]) for row in report.per_item]
    cos_shore = 1 / math.sqrt(1.25)
    assert by_pair == [
        (pytest.approx(1.0), pytest.approx(19 / 20)),
        (pytest.approx(0.0), pytest.approx(1 / 20)),
        (pytest.approx(cos_shore), pytest.approx(19 / 20 * cos_shore)),
        (pytest.approx(0.0), pytest.approx(1 / 20 * cos_shore)),
    ]
    # bank has two senses, the other words one
    assert [row["AvgSimC/K1K2"] for row in report.per_item] == [pytest.approx(c / 2) for _, c in by_pair]
    assert report.value("AvgSimC") == pytest.approx(80.0)
    assert report.value("coverage") == 0.8
    assert score_similarity(model, pairs).per_item[0]["maxSim"] == pytest.approx(1.0)


@pytest.mark.usefixtures("learned_vectors")
def test_avg_sim_c_is_the_mean_under_both_posteriors(bank_model):
    """Both words have two senses, so neither posterior can be left out: Σ p_i q_j cos(i, j)."""
    bank_model.vocabulary["shore"] = None
    model = WithVectors(bank_model)
    money, river, none = (InContext("bank", context, "") for context in ("money loan", "river water", ""))
    pairs = [RatedPair(a, b, 1.0) for a, b in ((money, river), (money, none), (none, river), (none, none))]
    p = {money: [19 / 20, 1 / 20], river: [1 / 20, 19 / 20], none: [1 / 2, 1 / 2]}
    for pair, row in zip(pairs, score_scws(model, pairs, ContextRule()).per_item, strict=True):
        # The two senses of bank are at right angles.
        assert row["AvgSimC"] == pytest.approx(np.dot(p[pair.first], p[pair.second]))


def test_analogies_exclude_the_words_of_the_question():
    vectors = {"man": (1, 0, 0), "woman": (1, 1, 0), "king": (1, 0, 1), "queen": (1, 1, 1), "pear": (-1, 0, 0)}

    model = SimpleNamespace(
        vocabulary=SimpleNamespace(words=list(vectors)),
        tokenize=lambda text: [text.lower()],
        word_vector=lambda word: np.array(vectors[word], dtype=np.float32),
    )
    questions = [
        Analogy("family", ("man", "woman", "King", "queen")),
        Analogy("fruit", ("man", "woman", "king", "pear")),
        Analogy("fruit", ("man", "woman", "king", "plum")),
    ]
    report = score_analogies(model, questions)
    assert [report.value("accuracy", s) for s in ("all", "family", "fruit")] == [0.5, 1.0, 0.0]
    assert report.value("skipped-questions") == 1
