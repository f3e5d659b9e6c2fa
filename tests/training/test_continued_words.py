"""How a window moves the senses of a word that an earlier run had learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.training._continued_systems import train_span
from kernels.test_births import CORPUS, DIM, Both

RATE = 0.05
TOKENS = range(3, 50)


class Known(Both):
    """Two senses, all that a word may have, of which the previous model had learned the first `n_learned`."""

    def __init__(self, n_learned: int) -> None:
        super().__init__(0.5, 2, live=2)
        self.n_learned = np.full(self.system.n_words, n_learned, np.int32)

    def moves(self, i: int, limit: float = RATE) -> tuple[Any, Any]:
        """How far token i moves its word's senses, at RATE or what `limit` leaves of it; and their posteriors."""
        span, w = self.span(), int(CORPUS.tokens[i])
        arrays, rows = self.system.senses.arrays, self.rows(w)
        rates, base_rates = (np.full(len(span.rates), rate, np.float32) for rate in (limit, RATE))
        before = arrays.vectors[rows, :DIM].astype(float)
        span = span._replace(rates=rates, first=i, last=i + 1)
        state = (self.system.tree, arrays, self.system.output.rows, self.system.output.n_hot, self.scratch)
        reached = train_span(span, base_rates, self.n_learned, *state, 0.5, 2, np.uint64(1))
        assert reached == i + 1
        return arrays.vectors[rows, :DIM] - before, self.scratch.posterior[:2].copy()


def test_a_sense_of_a_known_word_is_not_moved_by_a_window_that_gives_it_less_than_five_percent():
    n_doubtful = 0
    for i in TOKENS:
        anew, posterior = Known(n_learned=0).moves(i)
        known, _ = Known(n_learned=2).moves(i)
        for k in range(2):
            if posterior[k] < 0.05:
                assert_array_equal(known[k], 0.0)
                n_doubtful += bool(posterior[k] > 2e-3 and anew[k].any())
            else:
                assert_array_equal(known[k], anew[k])
    assert n_doubtful > 2, "of a new word such senses are moved"


@pytest.mark.parametrize("n_learned", [1, 2])
def test_a_sense_that_is_new_has_the_rate_of_its_own_uses(n_learned: int):
    """The word's uses n_w limit ρ to a tenth. A sense that was not learned is limited by n_wk: to ρ n_w/n_wk."""
    n_compared = 0
    for i in TOKENS:
        both, w = Known(n_learned), int(CORPUS.tokens[i])
        n_k = both.system.senses.arrays.counts[both.rows(w)[1]]
        own = min(1.0, 0.1 * CORPUS.vocabulary.counts[w] / max(n_k, 1.0))
        free, posterior = Known(n_learned).moves(i)
        limited, _ = both.moves(i, limit=0.1 * RATE)
        if posterior.min() < 0.06:
            continue
        rounding = 1e-4 * abs(free).max() + 4 * np.spacing(np.float32(450.0))
        assert_allclose(limited[0], 0.1 * free[0], atol=rounding)
        assert_allclose(limited[1], (own if n_learned == 1 else 0.1) * free[1], atol=rounding)
        n_compared += own > 0.2
    assert n_compared > 2
