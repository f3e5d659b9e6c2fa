"""Scores of word sense induction as in SemEval-2010 (hard senses) and SemEval-2013 task 13 (graded)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.evaluation.clustering import (
    adjusted_rand_index,
    fuzzy_b_cubed,
    fuzzy_nmi,
    paired_f_score,
    v_measure,
)
from adagram.evaluation.report import Evaluation, Resampling, Score, exact, mean_of, scored, shortlist
from adagram.evaluation.wsi_data import UNANSWERED, Key, best_sense


@dataclass(frozen=True)
class WordScore:
    """Hard scores of one target word; ARI is NaN if there is one gold sense or no answer."""

    target: str
    instances: int
    answered: int
    senses: int
    clusters: int
    ari: float
    v: float
    f: float


def score_word(
    target: str, gold: dict[str, dict[str, float]], answers: dict[str, dict[str, float]]
) -> WordScore:
    """Compare one word's answers with its gold senses.

    V-measure and paired F put the unanswered instances into one cluster, as the official scorer does. For ARI
    each is a cluster of its own, so that leaving instances out does not pay.
    """
    labels = [best_sense(senses) for senses in gold.values()]
    clusters = [best_sense(answers.get(instance, {})) for instance in gold]
    answered = sum(cluster != UNANSWERED for cluster in clusters)
    apart = [cluster or n for n, cluster in enumerate(clusters)]
    is_defined = answered > 0 and len(set(labels)) > 1
    return WordScore(
        target=target,
        instances=len(labels),
        answered=answered,
        senses=len(set(labels)),
        clusters=len(set(clusters) - {UNANSWERED}),
        ari=adjusted_rand_index(labels, apart) if is_defined else math.nan,
        v=v_measure(labels, clusters),
        f=paired_f_score(labels, clusters).f,
    )


def score_wsi(gold: Key, answers: Key, how: Resampling | None = None) -> Evaluation:
    """ARI (mean over words), V-measure and paired F (weighted by instances), clusters per word, coverage."""
    words = [
        score_word(target, instances, answers.get(target, {})) for target, instances in sorted(gold.items())
    ]
    report = Evaluation(per_item=[_row(word) for word in words])
    _check_overlap(words, answers)
    for subset, members in _subsets(words):
        report.scores += _hard_totals(subset, members, how or Resampling())
    report.remarks = _remarks(words)
    return report


def _hard_totals(subset: str, words: list[WordScore], how: Resampling) -> list[Score]:
    n = [word.instances for word in words]
    v, f = np.array([word.v for word in words]), np.array([word.f for word in words])
    ari = [word.ari for word in words if not math.isnan(word.ari)]
    answered = [word for word in words if word.answered]
    mean_v, mean_f = mean_of(v, n), mean_of(f, n)

    def geometric(items: NDArray[np.intp]) -> float:
        return math.sqrt(mean_v(items) * mean_f(items))

    return [
        scored("ARI", subset, mean_of(ari), len(ari), how),
        scored("V-measure", subset, mean_v, len(words), how),
        scored("paired-F", subset, mean_f, len(words), how),
        scored("sqrt(V*F)", subset, geometric, len(words), how),
        scored("V-measure-unweighted", subset, mean_of(v), len(words), how),
        scored("paired-F-unweighted", subset, mean_of(f), len(words), how),
        scored("clusters-per-word", subset, mean_of([w.clusters for w in answered]), len(answered), how),
        scored("senses-per-word", subset, mean_of([w.senses for w in words]), len(words), how),
        exact("coverage", subset, sum(w.answered for w in words) / max(sum(n), 1), len(words)),
        exact("skipped-words", subset, sum(w.answered == 0 for w in words), len(words)),
    ]


def score_fuzzy(gold: Key, answers: Key, how: Resampling | None = None) -> Evaluation:
    """Fuzzy NMI and fuzzy B-cubed: means over words; B-cubed F is that of mean precision and mean recall."""
    how = how or Resampling()
    targets = sorted(gold)
    nmi = np.array([fuzzy_nmi(gold[t], answers.get(t, {})) for t in targets])
    b_cubed = np.array([fuzzy_b_cubed(gold[t], answers.get(t, {})) for t in targets])  # (words, 2)
    hard = [score_word(t, gold[t], answers.get(t, {})) for t in targets]
    _check_overlap(hard, answers)

    def b_cubed_f(items: NDArray[np.intp]) -> float:
        precision, recall = b_cubed[items].mean(axis=0)
        return float(2 * precision * recall / (precision + recall)) if precision + recall > 0 else 0.0

    def geometric(items: NDArray[np.intp]) -> float:
        return math.sqrt(max(float(nmi[items].mean()), 0.0) * b_cubed_f(items))

    n = len(targets)
    per_answer = [len(labels) for t in targets for labels in answers.get(t, {}).values()]
    scores = [
        scored("fuzzy-NMI", "all", mean_of(nmi), n, how),
        scored("fuzzy-B-cubed", "all", b_cubed_f, n, how),
        scored("fuzzy-B-cubed-precision", "all", mean_of(b_cubed[:, 0]), n, how),
        scored("fuzzy-B-cubed-recall", "all", mean_of(b_cubed[:, 1]), n, how),
        scored("sqrt(NMI*B-cubed)", "all", geometric, n, how),
        exact("senses-per-answer", "all", sum(per_answer) / max(len(per_answer), 1), n),
        exact("coverage", "all", sum(w.answered for w in hard) / max(sum(w.instances for w in hard), 1), n),
        exact("skipped-words", "all", sum(w.answered == 0 for w in hard), n),
    ]
    rows = [
        {**_row(word, hard=False), "fuzzy_NMI": float(m), "precision": float(p), "recall": float(r)}
        for word, m, (p, r) in zip(hard, nmi, b_cubed, strict=True)
    ]
    return Evaluation(scores, rows, _remarks(hard, hard=False))


def _row(word: WordScore, hard: bool = True) -> dict[str, str | int | float]:
    counts: dict[str, str | int | float] = {
        "word": word.target,
        "instances": word.instances,
        "answered": word.answered,
        "senses": word.senses,
        "clusters": word.clusters,
    }
    return {**counts, "ARI": word.ari, "V_measure": word.v, "paired_F": word.f} if hard else counts


def _subsets(words: list[WordScore]) -> list[tuple[str, list[WordScore]]]:
    """All words, and those of each part of speech if the targets name more than one (`access.n`)."""
    tags = sorted({word.target[-1] for word in words if word.target[-2:-1] == "."})
    parts = [(tag, [word for word in words if word.target.endswith(f".{tag}")]) for tag in tags]
    return [("all", words), *(parts if len(tags) > 1 else [])]


def _remarks(words: Sequence[WordScore], hard: bool = True) -> list[str]:
    def names(chosen: Callable[[WordScore], bool]) -> list[str]:
        return [word.target for word in words if chosen(word)]

    n, answered = sum(w.instances for w in words), sum(w.answered for w in words)
    remarks = [f"{len(words)} words, {n} instances, {answered} answered ({answered / max(n, 1):.1%})"]
    if skipped := names(lambda w: w.answered == 0):
        effect = ", left out of ARI" if hard else ""
        remarks.append(f"words without an answer{effect}: {shortlist(skipped)}")
    if hard and (single := names(lambda w: w.answered > 0 and w.senses == 1)):
        remarks.append(f"words with one gold sense, left out of ARI: {shortlist(single)}")
    return remarks


def _check_overlap(words: list[WordScore], answers: Key) -> None:
    if answers and not any(word.answered for word in words):
        raise InputError("the answers name none of the data set's instances; are they for another data set?")
