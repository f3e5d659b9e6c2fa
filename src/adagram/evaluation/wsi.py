"""Word sense induction: the answers of a model, and their scores.

A target's posterior comes from the known words on each side of it. Scores are those of SemEval-2010 (hard senses)
and SemEval-2013 task 13 (graded).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.evaluation.clustering import (
    adjusted_rand_index,
    fuzzy_b_cubed,
    fuzzy_nmi,
    harmonic_mean,
    paired_f_score,
    v_measure,
)
from adagram.evaluation.report import INTERVALS, Evaluation, Resampling, Score, exact, mean_of, scored, shortlist
from adagram.evaluation.wsi_data import UNANSWERED, Instance, Key, best_sense
from adagram.model import Model, Sides

Posterior = NDArray[np.floating[Any]]
_PART_OF_SPEECH = re.compile(r"[.-][a-z]$")


@dataclass(frozen=True)
class ContextRule:
    """What of a data set's text is context: stop words are dropped first; the rest is as in `Model.using`.

    ContextRule(5, context_weights="none") is the paper's: the nearest five words on each side, each with weight one.
    """

    window: int | None = None
    stop_words: frozenset[str] = frozenset()
    context_weights: str = "kept"

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 1:
            raise InputError(f"--window {self.window}: at least one word each side is needed")

    def posteriors(
        self, model: Model, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> Sequence[Posterior]:
        """Posterior over the senses of each word in its context, all in one batch."""
        if not words:
            return []
        return model.using(self.context_weights, self.window).disambiguate_batch(words, contexts)

    def sides(self, model: Model, left: str, right: str) -> Sides:
        """The usable words on both sides of a target; the model decides how far a context reaches."""
        usable = [list(self.usable(model, model.tokenize(side))) for side in (left, right)]
        return Sides(*usable)

    def usable(self, model: Model, tokens: Iterable[str]) -> Iterator[str]:
        """The tokens that the model knows, as they are or in lower case, without the stop words."""
        vocabulary = model.vocabulary
        for token in tokens:
            word = token if token in vocabulary else token.lower()
            if word in vocabulary and word not in self.stop_words:
                yield word


def find_word(model: Model, target: str) -> str | None:
    """The vocabulary word of a target: `access.n`, `access-n` and `access` all look up `access`.

    A target that is itself in the vocabulary is never cut; None if the model does not know the word.
    """
    for form in (target, _PART_OF_SPEECH.sub("", target)):
        tokens = model.tokenize(form)
        for word in (*tokens, form.lower()) if len(tokens) == 1 else ():
            if word in model.vocabulary:
                return word
    return None


@dataclass(frozen=True)
class Disambiguated:
    """Posteriors of the instances whose target the model knows."""

    instances: list[Instance]
    words: list[str]
    posteriors: Sequence[Posterior]


def disambiguate(model: Model, instances: Iterable[Instance], rule: ContextRule) -> Disambiguated:
    """Posterior over the senses of every instance's target, in one batch."""
    find = cache(partial(find_word, model))
    known = [instance for instance in instances if find(instance.target)]
    words = [find(instance.target) or "" for instance in known]
    contexts = [rule.sides(model, instance.left, instance.right) for instance in known]
    return Disambiguated(known, words, rule.posteriors(model, words, contexts))


def graded_answers(model: Model, result: Disambiguated, share: float = 0.1) -> Key:
    """Every instance with the senses whose posterior is at least `share` of the best one's; with 1 only the best."""
    names = {word: [sense.name for sense in model.senses(word, top=0)] for word in set(result.words)}
    key: Key = {}
    for instance, word, posterior in zip(result.instances, result.words, result.posteriors, strict=True):
        best = int(np.argmax(posterior))
        kept = [best] if share >= 1.0 else np.flatnonzero(posterior >= share * posterior[best]).tolist()
        labels = {names[word][k]: float(posterior[k] / posterior[best]) for k in kept}
        key.setdefault(instance.target, {})[instance.id] = labels
    return key


Rows = list[dict[str, Any]]  # one per word: its name, counts and scores
COUNTS = ("word", "instances", "answered", "senses", "clusters")


def score_words(gold: Key, answers: Key) -> Rows:
    """Compare the answers for each word with its gold senses; ARI is NaN if there is one gold sense or no answer.

    V-measure and paired F put the unanswered instances into one cluster, as the official scorer does. For ARI
    each is a cluster of its own, so that leaving instances out does not pay.
    """
    rows: Rows = []
    for word, instances in sorted(gold.items()):
        labels = [best_sense(senses) for senses in instances.values()]
        clusters = [best_sense(answers.get(word, {}).get(instance, {})) for instance in instances]
        answered, n_senses = sum(cluster != UNANSWERED for cluster in clusters), len(set(labels))
        apart = [cluster or n for n, cluster in enumerate(clusters)]
        is_defined = answered > 0 and n_senses > 1
        counts = (word, len(labels), answered, n_senses, len(set(clusters) - {UNANSWERED}))
        rows.append(
            {
                **dict(zip(COUNTS, counts, strict=True)),
                "ARI": adjusted_rand_index(labels, apart) if is_defined else math.nan,
                "V_measure": v_measure(labels, clusters),
                "paired_F": paired_f_score(labels, clusters)[2],
            }
        )
    if answers and not any(row["answered"] for row in rows):
        raise InputError("the answers name none of the data set's instances; are they for another data set?")
    return rows


def score_wsi(gold: Key, answers: Key, how: Resampling = INTERVALS) -> Evaluation:
    """ARI (mean over words), V-measure and paired F (weighted by instances), clusters per word, coverage."""
    rows = score_words(gold, answers)
    # The words of each part of speech too, if the targets name more than one (`access.n`).
    tags = sorted({row["word"][-1] for row in rows if row["word"][-2:-1] == "."})
    subsets = {"all": rows}
    for tag in tags if len(tags) > 1 else []:
        subsets[tag] = [row for row in rows if row["word"].endswith(f".{tag}")]
    scores = [score for subset, of in subsets.items() for score in _hard_totals(subset, of, how)]
    remarks = _remarks(rows, ", left out of ARI")
    if single := [row["word"] for row in rows if row["answered"] and row["senses"] == 1]:
        remarks.append(f"words with one gold sense, left out of ARI: {shortlist(single)}")
    return Evaluation(scores, rows, remarks)


def _hard_totals(subset: str, rows: Rows, how: Resampling) -> list[Score]:
    n, v, f = ([row[name] for row in rows] for name in ("instances", "V_measure", "paired_F"))
    ari = [row["ARI"] for row in rows if not math.isnan(row["ARI"])]
    clusters = [row["clusters"] for row in rows if row["answered"]]
    return [
        scored("ARI", subset, mean_of(ari), len(ari), how),
        scored("V-measure", subset, mean_of(v, n), len(rows), how),
        scored("paired-F", subset, mean_of(f, n), len(rows), how),
        scored("V-measure-unweighted", subset, mean_of(v), len(rows), how),
        scored("paired-F-unweighted", subset, mean_of(f), len(rows), how),
        scored("clusters-per-word", subset, mean_of(clusters), len(clusters), how),
        scored("senses-per-word", subset, mean_of([row["senses"] for row in rows]), len(rows), how),
        *_coverage(subset, rows),
    ]


def _coverage(subset: str, rows: Rows) -> list[Score]:
    n, answered = (sum(row[name] for row in rows) for name in ("instances", "answered"))
    return [
        exact("coverage", subset, answered / max(n, 1), len(rows)),
        exact("skipped-words", subset, sum(row["answered"] == 0 for row in rows), len(rows)),
    ]


def score_fuzzy(gold: Key, answers: Key, how: Resampling = INTERVALS) -> Evaluation:
    """Fuzzy NMI and fuzzy B-cubed: means over words; B-cubed F is that of mean precision and mean recall."""
    rows = [{name: row[name] for name in COUNTS} for row in score_words(gold, answers)]
    for row in rows:
        pair = gold[row["word"]], answers.get(row["word"], {})
        row["fuzzy_NMI"] = fuzzy_nmi(*pair)
        row["precision"], row["recall"] = fuzzy_b_cubed(*pair)
    nmi, precision, recall = (mean_of([row[name] for row in rows]) for name in ("fuzzy_NMI", "precision", "recall"))

    def b_cubed(items: NDArray[np.intp]) -> float:
        return harmonic_mean(precision(items), recall(items))

    n = len(rows)
    per_answer = [len(labels) for word in gold for labels in answers.get(word, {}).values()]
    scores = [
        scored("fuzzy-NMI", "all", nmi, n, how),
        scored("fuzzy-B-cubed", "all", b_cubed, n, how),
        scored("fuzzy-B-cubed-precision", "all", precision, n, how),
        scored("fuzzy-B-cubed-recall", "all", recall, n, how),
        exact("senses-per-answer", "all", sum(per_answer) / max(len(per_answer), 1), n),
        *_coverage("all", rows),
    ]
    return Evaluation(scores, rows, _remarks(rows))


def _remarks(rows: Sequence[dict[str, Any]], effect: str = "") -> list[str]:
    n, answered = (sum(row[name] for row in rows) for name in ("instances", "answered"))
    remarks = [f"{len(rows)} words, {n} instances, {answered} answered ({answered / max(n, 1):.1%})"]
    if skipped := [row["word"] for row in rows if row["answered"] == 0]:
        remarks.append(f"words without an answer{effect}: {shortlist(skipped)}")
    return remarks
