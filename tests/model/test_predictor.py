"""One context, a batch and running text give the same posteriors, for trees and for clusters, weighted and not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.evaluation.report import Resampling
from adagram.evaluation.similarity import InContext, RatedPair, score_scws
from adagram.evaluation.wsi import ContextRule, disambiguate
from adagram.evaluation.wsi_data import Instance
from adagram.model import Model, Sides
from adagram.model.predict import TreePredictor
from adagram.paper.reference import predictive_posterior
from adagram.paper.stick_breaking import expected_pi
from model_support import random_model

SUBSAMPLE = 3e-3  # the most frequent of the 40 words weighs a quarter, the rarest one


def with_subsample(model: Model, subsample: float = SUBSAMPLE) -> Model:
    config = replace(model.config, subsample=subsample).to_dict()
    return Model(model.arrays, model.vocabulary, model.info | {"config": config})


def tree_model(subsample: float = SUBSAMPLE) -> Model:
    return with_subsample(random_model(), subsample)


def cluster_model(subsample: float = SUBSAMPLE) -> Model:
    model = random_model()
    draw = np.random.default_rng(3)
    arrays = {name: array for name, array in model.arrays.items() if name not in ("steps", "paths")}
    arrays["centres"] = draw.permutation(arrays["vectors"]) * 2.0
    return with_subsample(Model(arrays, model.vocabulary, model.info), subsample)


MODELS = [tree_model, cluster_model]
WEIGHTS = ["kept", "none"]


def text_of(model: Model, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    ids = (len(model.vocabulary) * draw.random(n) ** 2).astype(np.int32)  # frequent words more often
    ends = np.unique(np.append(draw.integers(0, n, 12), n))
    return ids, np.insert(ends, 5, ends[5]).astype(np.int64)  # with an empty line


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_one_context_a_batch_and_running_text_agree(make, weights):
    model = make().using(weights)
    ids, ends = text_of(model)
    contexts = [
        model.context.sides(ids[begin:i], ids[i + 1 : end])
        for begin, end in pairwise([0, *ends.tolist()])
        for i in range(begin, end)
    ]
    single = [model.predictor.posterior(int(w), c) for w, c in zip(ids, contexts, strict=True)]
    batch = model.predictor.posteriors(ids, contexts)
    running = model.predictor.in_text(ids, ends)
    assert len(single) == len(batch) == len(running) == len(ids)
    for one, two, three in zip(single, batch, running, strict=True):
        assert one.sum() == pytest.approx(1.0)
        assert_allclose(two, one, atol=2e-5)
        assert_allclose(three, one, atol=2e-5)
    rows, probabilities = model.predictor.assign(ids, ends)
    assert_allclose(probabilities, [p.max() for p in running])
    assert_array_equal(rows, [model.offsets[w] + p.argmax() for w, p in zip(ids, running, strict=True)])
    spread = np.array([p[0] for p in single if len(p) > 1])
    assert 0.05 < np.median(np.abs(spread - 0.5)) < 0.5, "posteriors are neither all equal nor all certain"


def test_eq_8_with_weights_is_the_formula():
    model = tree_model()
    w, counts = 0, model.counts[model.rows("w0")]
    context = model.context.sides(np.arange(1, 20, dtype=np.int32), np.arange(20, 40, dtype=np.int32))
    assert len(np.unique(context.weights)) > 3
    assert isinstance(model.predictor, TreePredictor)
    log_p = model.predictor.log_p(model.vectors[model.rows("w0")], context.ids)
    expected = predictive_posterior(counts, model.config.alpha, log_p, context.weights)
    # A saved model has the priors of its learned senses among themselves.
    scale = model.priors[model.rows("w0")] / expected_pi(counts, model.config.alpha)
    assert_allclose(model.predictor.posterior(w, context), expected * scale / (expected @ scale), rtol=1e-6)


@pytest.mark.parametrize("make", MODELS)
def test_frequent_words_weigh_less_and_contexts_reach_further(make):
    model = make()
    near, far = ["w1"] * 4, ["w39"]  # four of the most frequent word leave room for the rarest
    kept, none = model.using("kept"), model.using("none")
    there = none.disambiguate("w0", Sides([], [*near[:3], *far]))
    assert_allclose(none.disambiguate("w0", Sides([], near)), there)
    assert not np.allclose(kept.disambiguate("w0", Sides([], near)), kept.disambiguate("w0", Sides([], [*near, *far])))


@pytest.mark.parametrize("make", MODELS)
def test_without_subsampling_weights_change_nothing(make):
    model = make(subsample=0.0)
    ids, ends = text_of(model)
    kept, none = (model.using(weights).predictor.in_text(ids, ends) for weights in WEIGHTS)
    assert_array_equal(kept.values, none.values)


@pytest.mark.parametrize("make", MODELS)
def test_a_context_without_known_words_leaves_the_prior(make):
    model = make()
    prior = model.priors[model.rows("w0")]
    assert_allclose(model.disambiguate("w0", "unheard-of"), prior)
    assert_allclose(model.disambiguate_batch(["w0"], [[]])[0], prior, rtol=1e-6)
    alone = model.predictor.in_text(np.array([0], np.int32), np.array([1]))
    assert_allclose(alone[0], prior, rtol=1e-6)


def test_posteriors_of_clusters_are_graded_by_the_distance_to_the_centres():
    model = cluster_model()
    rows = model.rows("w0")
    model.arrays["centres"][rows] = 0.0
    y = model.arrays["output"][7].astype(float)
    across = np.zeros_like(y)
    across[:2] = y[1], -y[0]  # at a right angle to y
    model.arrays["centres"][rows.start] = y + 0.5 * across
    model.arrays["centres"][rows.start + 1] = across
    posterior = model.disambiguate("w0", ["w7"])
    near = 1.0 - 1.0 / np.sqrt(1.0 + 0.25 * (across @ across) / (y @ y))  # 1 - cosine
    weights = np.array([1.0 / near, 1.0, 1.0])  # the third centre is zero: no direction, distance one
    assert_allclose(posterior, weights / weights.sum(), rtol=1e-3)


def test_a_model_of_vectors_alone_answers_with_its_prior():
    model = cluster_model()
    del model.arrays["centres"]
    ids, ends = text_of(model)
    found = model.predictor.in_text(ids, ends)
    for w, posterior in zip(ids.tolist(), found, strict=True):
        assert_array_equal(posterior, model.priors[model.offsets[w] : model.offsets[w + 1]])


def test_a_view_with_other_contexts_leaves_the_model_as_it_was():
    model = tree_model()
    before = model.disambiguate("w0", ["w1", "w2"])
    other = model.using("none", window=1)
    assert other.arrays is model.arrays
    assert not np.allclose(other.disambiguate("w0", ["w1", "w2"]), before)
    assert_array_equal(model.disambiguate("w0", ["w1", "w2"]), before)


@pytest.mark.parametrize("make", MODELS)
def test_a_single_question_imports_neither_numba_nor_scipy(make, tmp_path):
    make().save(tmp_path / "m")
    code = (
        "import sys, adagram; m = adagram.load(sys.argv[1]); m.disambiguate('w0', ['w1']); m.senses('w0');"
        "m.similarity('w0#0', 'w0#0'); assert not {'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "m"], check=True)


def test_the_papers_contexts_give_what_they_gave_before_there_were_weights():
    """Posteriors of the evaluation protocol, written down when every context word counted one."""
    model = tree_model()
    instances = [
        Instance("w0.n", "1", "w9 w1 unknown w2 w3", "w4 w5 W6 w7"),
        Instance("w0.n", "2", "", "w30 w31"),
        Instance("w0.n", "3", "w0 w0 w0 w12", ""),
    ]
    before = [[0.014746, 0.985253, 1e-06], [0.340272, 0.027155, 0.632572], [9e-05, 0.958326, 0.041583]]
    found = disambiguate(model, instances, ContextRule(3, context_weights="none"))
    assert_allclose(np.array(found.posteriors), before, atol=2e-6)
    weighted = disambiguate(model, instances, ContextRule(3))
    assert np.abs(np.array(weighted.posteriors) - before).max() > 0.05


def test_clusters_tell_the_mean_over_senses_from_the_best_pair():
    """AvgSimC weighs all pairs of senses, MaxSimC takes the likeliest ones: equal if posteriors were certain."""
    model = cluster_model()
    sides = [InContext(f"w{i}", f"w{i + 1} w{i + 2}", f"w{i + 3}") for i in range(20)]
    pairs = [RatedPair(a, b, float(i)) for i, (a, b) in enumerate(pairwise(sides))]
    rows = score_scws(model, pairs, ContextRule(), Resampling(0)).per_item
    assert sum(abs(float(row["AvgSimC"]) - float(row["MaxSimC"])) > 0.01 for row in rows) > 5
