"""Planted truth: words whose mixture of two meanings changes over the years are found, and chance is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.analysis.trends import TrendOptions, find_trends
from adagram.corpus.documents import Document, make_document
from tests_support import corpus_of, train_in_memory

N_WORDS, N_YEARS, PER_YEAR = 10, 40, 120
POINTS = (0, 20, -20, 40, -40)  # from the first year to the last
SHUFFLES = 20


def mixed_documents(seed: int) -> list[Document]:
    """In each year PER_YEAR sentences with each word, in the company of one of its two topics."""
    draw = np.random.default_rng(seed)
    documents = []
    for year in range(N_YEARS):
        for word in range(N_WORDS):
            change = POINTS[word % len(POINTS)] / 100
            share = 0.5 + change * (year / (N_YEARS - 1) - 0.5)
            for _ in range(PER_YEAR):
                topic = 2 * word + int(draw.random() < share)
                words = [f"topic{topic}x{i}" for i in draw.integers(0, 10, size=8)]
                words[4] = f"mixed{word}"
                documents.append(make_document("", " ".join(words), {"year": 1980 + year}))
    return documents


@pytest.mark.slow
def test_changes_of_twenty_points_are_found_and_shuffled_dates_are_not():
    documents = mixed_documents(seed=0)
    order = np.random.default_rng(1).permutation(len(documents))
    corpus = corpus_of([documents[i].text.split() for i in order])
    model = train_in_memory(corpus, dim=32, alpha=0.5, threads=1, epochs=10, lr=0.06)
    trends = find_trends(model, count_senses(model, documents, Dating("year")), TrendOptions())
    flagged = {trend.sense.rpartition("#")[0] for trend in trends if trend.q <= 0.05}
    planted = {f"mixed{word}" for word in range(N_WORDS) if POINTS[word % len(POINTS)]}
    assert len(flagged & planted) >= 0.9 * len(planted)
    draw = np.random.default_rng(2)
    parts = []
    for _ in range(SHUFFLES):
        years = draw.permutation([document.fields["year"] for document in documents])
        shuffled = [make_document("", d.text, {"year": int(y)}) for d, y in zip(documents, years, strict=True)]
        found = find_trends(model, count_senses(model, shuffled, Dating("year")), TrendOptions())
        parts.append(np.mean([trend.q <= 0.05 for trend in found]))
    assert np.mean(parts) <= 0.05
