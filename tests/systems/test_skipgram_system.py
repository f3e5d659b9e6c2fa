from __future__ import annotations

from behaviour import CORPUS, Behaviour
from numpy.testing import assert_allclose

from tests_support import train_in_memory


class TestSkipGram(Behaviour):
    algorithm = "skipgram"
    has_senses = False


def test_it_is_adagram_with_one_sense():
    options = {"dim": 12, "epochs": 2, "threads": 1}
    skipgram = train_in_memory(CORPUS, algorithm="skipgram", **options)
    adagram = train_in_memory(CORPUS, algorithm="adagram", max_senses=1, **options)
    assert_allclose(adagram.arrays["vectors"], skipgram.arrays["vectors"], atol=1e-5)
    assert_allclose(adagram.arrays["output"], skipgram.arrays["output"], atol=1e-5)
