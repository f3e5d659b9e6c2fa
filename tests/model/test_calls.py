"""Calls as users of other packages expect them: similarity of words, sums, vectors; rows of annotated text."""

from __future__ import annotations

from itertools import count, islice

import numpy as np
import pytest

from adagram.errors import InputError, UnknownWordError
from adagram.model.neighbours import blended_vectors
from model_support import assign


def cosines_of(model, first, second):
    unit = blended_vectors(model).astype(np.float64)
    return unit[model.rows(first)] @ unit[model.rows(second)].T


def test_similarity_of_words_is_of_the_best_senses_or_expected(planted_model):
    cosines = cosines_of(planted_model, "planted", "topic0x1")
    assert planted_model.similarity("planted", "topic0x1") == pytest.approx(cosines.max(), abs=1e-6)
    mean = planted_model.priors[planted_model.rows("planted")] @ cosines[:, 0]
    assert planted_model.similarity("planted", "topic0x1", how="mean") == pytest.approx(mean, abs=1e-6)
    assert planted_model.similarity("planted", "planted") == pytest.approx(1.0, abs=1e-6)


def test_similarity_in_context_is_of_the_likeliest_senses_or_by_posteriors(planted_model):
    context = "topic0x2 topic0x3"
    posterior = planted_model.disambiguate("planted", context)
    cosines = cosines_of(planted_model, "planted", "topic0x1")[:, 0]
    for how, expected in (("best", cosines[posterior.argmax()]), ("mean", posterior @ cosines)):
        found = planted_model.similarity("planted", "topic0x1", how, contexts=(context, None))
        assert found == pytest.approx(expected, abs=1e-6)
    with pytest.raises(InputError, match="give two"):
        planted_model.similarity("planted", "topic0x1", contexts=context)
    with pytest.raises(InputError, match="how is 'worst'"):
        planted_model.similarity("planted", "topic0x1", how="worst")


def test_most_similar_to_a_word_is_nearest_to_one_of_its_senses(planted_model):
    found = dict(planted_model.most_similar("planted", topn=20))
    expected = {}
    for name in ("planted#0", "planted#1"):
        for near, cosine in planted_model.most_similar(name, topn=20):
            expected[near] = max(cosine, expected.get(near, -1.0))
    best = sorted(expected, key=expected.__getitem__, reverse=True)[:20]
    assert [*found] == best
    assert [*found.values()] == pytest.approx([expected[name] for name in best])
    assert {name[:6] for name in best} == {"topic0", "topic1"}, "of both senses"
    in_context = planted_model.most_similar("planted", context="topic0x2 topic0x3", topn=3)
    assert {name[:6] for name, _ in in_context} == {"topic0"}


def test_most_similar_takes_sums_and_vectors(planted_model):
    vector = planted_model["planted#0"]
    names = [name for name, _ in planted_model.most_similar(vector, topn=4)]
    assert names[0].startswith("planted#") or names[0].startswith("topic")
    others = [name for name in names if not name.startswith("planted#")]
    assert others == [name for name, _ in planted_model.most_similar("planted#0", topn=len(others))]
    total = planted_model.most_similar(["planted", "topic0x1"], ["topic1x1", vector * 3], topn=30)
    assert not {"planted#0", "planted#1", "topic0x1#0", "topic1x1#0"} & {name for name, _ in total}
    assert planted_model.most_similar(np.stack([vector, vector]), topn=3) == planted_model.most_similar(
        [vector], topn=3
    )
    opposite = planted_model.most_similar(negative="topic0x1", topn=2)
    assert opposite[0][1] < planted_model.most_similar("topic0x1", topn=1)[0][1]
    assert planted_model.most_similar("planted", topn=0) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing to look for"),
        ({"positive": "topic0x1", "negative": "topic0x1"}, "nothing to look for"),
        ({"positive": np.zeros(3)}, "finite numbers are needed"),
        ({"positive": [3]}, "a query is 3, of type int"),
        ({"positive": 3}, "a query is 3, of type int"),
        ({"positive": ["topic0x1", "planted"], "context": "topic0x2"}, "belongs to one word"),
    ],
)
def test_a_query_that_makes_no_sense_is_refused(planted_model, arguments, message):
    with pytest.raises(InputError, match=message):
        planted_model.most_similar(**arguments)


def test_annotated_text_has_a_row_per_word(planted_model):
    text = "Topic0x1 planted topic0x2 unheard\nplanted topic1x1"
    tokens = planted_model.annotate(text)
    rows, probabilities = assign(planted_model, text)
    assert [token.word for token in tokens] == planted_model.tokenize(text)
    assert [token.sense for token in tokens if token.sense] == planted_model.names(rows[rows >= 0])
    assert [token.probability for token in tokens] == probabilities.tolist()
    for token in tokens:
        if token.sense:
            assert np.array_equal(token.vector, planted_model.vector(token.sense))
    assert tokens[3] == ("unheard", None, 0.0, None)
    assert [token.word for token in planted_model.annotate(text, unknown="skip")] == [
        token.word for token in tokens if token.sense
    ]
    with pytest.raises(UnknownWordError, match="unheard"):
        planted_model.annotate(text, unknown="raise")
    assert planted_model.annotate("") == []


def test_texts_are_annotated_as_a_stream(planted_model):
    texts = ["planted topic0x1", "", ["planted", "topic1x1"]] * 200
    found = [[token.sense for token in tokens] for tokens in planted_model.annotate(iter(texts))]
    alone = [[token.sense for token in planted_model.annotate(text)] for text in ("planted topic0x1", "")]
    assert found[:2] == alone
    assert len(found) == 600
    assert found[-1][1] == "topic1x1#0"
    endless = (f"planted topic0x{i % 5 + 1}" for i in count())
    assert len(list(islice(planted_model.annotate(endless), 3))) == 3
    assert list(planted_model.annotate([])) == []
    for wrong in (3, None):
        with pytest.raises(InputError, match="text is"):
            planted_model.annotate(wrong)
    with pytest.raises(InputError, match="unknown is 'drop'"):
        planted_model.annotate("planted", unknown="drop")


def test_unknown_words_do_not_lose_a_batch(planted_model):
    words, contexts = ["planted", "plantd", "topic0x1"], ["topic0x2", "topic0x2", "topic0x2"]
    found = planted_model.disambiguate_batch(words, contexts, unknown="skip")
    assert found[1] is None
    assert found[0].tolist() == planted_model.disambiguate_batch("planted", ["topic0x2"])[0].tolist()
    assert found[2].names == ["topic0x1#0"]
    prior = planted_model.disambiguate_batch(words, contexts, unknown="prior")
    assert (prior[1].tolist(), prior[1].names, prior[1].known) == ([1.0], ["plantd#0"], 0)
    assert [p.tolist() for p in prior[::2]] == [p.tolist() for p in found[::2]]
    with pytest.raises(UnknownWordError, match="plantd"):
        planted_model.disambiguate_batch(words, contexts)


def test_sentences_have_vectors(planted_model):
    texts = ["planted topic0x1", "unheard", ["planted", "topic1x1"]]
    found = planted_model.encode(texts)
    assert found.shape == (3, planted_model.config.dim)
    for text, vector in zip(texts, found, strict=True):
        tokens = planted_model.annotate([text], unknown="skip")
        vectors = [token.vector for token in next(iter(tokens))]
        expected = np.mean(vectors, axis=0) if vectors else np.zeros(planted_model.config.dim)
        np.testing.assert_allclose(vector, expected, atol=1e-6)
    np.testing.assert_array_equal(planted_model.encode(texts[0]), found[0])
    assert planted_model.encode([]).shape == (0, planted_model.config.dim)
