"""Merging at the end of training, on a word whose senses are planted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.encoded import EncodedCorpus
from adagram.model import Model
from adagram.training.moves import Arrays, Merge, MergeRule, Occurrences, apply_merges, suggest_merges

RULE = MergeRule(subsample=0.0, window=5)


def with_duplicate(model: Model, word: str) -> Arrays:
    """The model's arrays with the first sense of a word twice, its count and prior shared between the two."""
    w = model.vocabulary.index[word]
    row = int(model.arrays["offsets"][w])
    arrays = {name: np.array(array) for name, array in model.arrays.items()}
    for name in ("vectors", "norms", "counts", "priors"):
        if name in ("counts", "priors"):
            arrays[name][row] /= 2
        arrays[name] = np.insert(arrays[name], row + 1, arrays[name][row], axis=0)
    arrays["offsets"][w + 1 :] += 1
    return arrays


def merges_of(arrays: Arrays, corpus: EncodedCorpus, word: str) -> list[Merge]:
    w = corpus.vocabulary.index[word]
    return [merge for merge in suggest_merges(arrays, corpus, RULE) if merge.word == w]


def test_a_duplicate_is_merged_and_planted_senses_are_not(
    planted_model: Model, planted_corpus: EncodedCorpus
) -> None:
    before = planted_model.senses("planted", top=0)
    merges = merges_of(with_duplicate(planted_model, "planted"), planted_corpus, "planted")
    assert [(merge.first, merge.second) for merge in merges] == [(0, 1)]
    assert merges[0].loss == pytest.approx(0.0, abs=1e-3)
    assert len(before) > 1


def test_merging_a_duplicate_gives_back_the_model(
    planted_model: Model, planted_corpus: EncodedCorpus
) -> None:
    arrays = with_duplicate(planted_model, "planted")
    merged = apply_merges(arrays, merges_of(arrays, planted_corpus, "planted"))
    for name in ("vectors", "counts", "priors", "offsets"):
        assert_allclose(merged[name], planted_model.arrays[name], rtol=1e-5, atol=1e-7)


def test_priors_still_sum_to_one(planted_model: Model, planted_corpus: EncodedCorpus) -> None:
    w = planted_corpus.vocabulary.index["planted"]
    merged = apply_merges(dict(planted_model.arrays), [Merge(w, 0, 1, 0.0)])
    assert_allclose(np.add.reduceat(merged["priors"], merged["offsets"][:-1]), 1.0)


def test_scores_do_not_depend_on_the_type_of_the_rows(
    planted_model: Model, planted_corpus: EncodedCorpus
) -> None:
    arrays = dict(planted_model.arrays)
    w = planted_corpus.vocabulary.index["planted"]
    rows = arrays["vectors"][arrays["offsets"][w] : arrays["offsets"][w + 1]]
    seen = Occurrences(planted_corpus, arrays, RULE)
    assert_allclose(seen.log_p(w, rows.astype(np.float64)), seen.log_p(w, np.array(rows)))
