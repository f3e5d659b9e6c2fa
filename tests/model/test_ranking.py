"""Words that show their senses best."""

from __future__ import annotations

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from adagram.model.display import model_card
from adagram.model.neighbours import rank_words
from adagram.training.merge_senses import agreement

MONEY, WATER, NOISE = 0, 1, 2


def model_of(ambiguous: dict[str, tuple[float, int, int]]) -> Model:
    """Thirty words of money and of water along two axes; each ambiguous word has a second prior and two axes."""
    draw = np.random.default_rng(0)
    words: list[str] = []
    rows: list[tuple[int, float]] = []
    sizes: list[int] = []
    for topic, name in ((MONEY, "money"), (WATER, "water")):
        words += [name + letter for letter in "abcdefghijklmno"]
        rows += [(topic, 1.0)] * 15
        sizes += [1] * 15
    for word, (second, first_axis, second_axis) in ambiguous.items():
        words.append(word)
        rows += [(first_axis, 1 - second), (second_axis, second)]
        sizes.append(2)
    vectors = draw.normal(0, 0.1, (len(rows), 16)).astype(np.float32)
    for row, (axis, _) in zip(vectors, rows, strict=True):
        row[axis] += 1.0
    priors = np.array([prior for _, prior in rows])
    arrays = {
        "vectors": vectors,
        "norms": np.linalg.norm(vectors, axis=1),
        "offsets": np.append(0, np.cumsum(sizes)),
        "priors": priors,
        "counts": priors * 1000,
    }
    vocabulary = Vocabulary(words, np.full(len(words), 1000))
    return Model(arrays, vocabulary, {"config": TrainConfig.from_preset("paper", dim=16).to_dict()})


def test_the_clearest_words_come_first():
    model = model_of(
        {
            "zweck": (0.5, MONEY, WATER),
            "bank": (0.3, MONEY, WATER),
            "rare": (0.01, MONEY, WATER),
            "alikes": (0.5, MONEY, MONEY),
            "vague": (0.5, MONEY, NOISE),
        }
    )
    ranked = rank_words(model, 10)
    assert [r.word for r in ranked[:2]] == ["zweck", "bank"]
    scores = {r.word: r.score for r in ranked}
    assert scores["zweck"] > 2 * max(scores["alikes"], scores["vague"])
    assert "rare" not in scores
    assert 'model.senses("zweck")' in model_card(model)


def test_a_word_without_two_senses_is_not_shown():
    assert rank_words(model_of({"bank": (0.01, MONEY, WATER)}), 5) == []


def test_a_word_whose_senses_come_in_runs_is_above_one_whose_senses_are_mixed():
    """Both have the same shares and vectors along the same axes."""
    plain = model_of({"bank": (0.4, MONEY, WATER), "bass": (0.4, MONEY, WATER)})
    assert [r.agreement for r in rank_words(plain, 2)] == [1.0, 1.0], "a model that does not know ranks without"
    shares = np.outer([0.6, 0.4], [0.6, 0.4])
    in_runs, mixed = agreement(200 * np.diag([0.6, 0.4])), agreement(200 * shares)
    for first, second in (("bank", "bass"), ("bass", "bank")):
        known = np.full(len(plain), 0.5)
        known[[plain.vocabulary.index[first], plain.vocabulary.index[second]]] = in_runs, mixed
        ranked = rank_words(Model({**plain.arrays, "agreement": known}, plain.vocabulary, plain.info), 2)
        assert [r.word for r in ranked] == [first, second]
        assert ranked[0].score > 5 * ranked[1].score
