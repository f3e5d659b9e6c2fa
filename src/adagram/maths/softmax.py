"""Hierarchical softmax: the probability of a context word as a product of turns down the Huffman tree."""

from __future__ import annotations

import numpy as np

from adagram.maths.huffman import Huffman
from adagram.maths.special import log_sigmoid
from adagram.types import Floats


def log_p_word(vector: Floats, output: Floats, tree: Huffman, word: int) -> float:
    """Eq. (3): log p(v | w, k) = Σ_{n in path(v)} log σ(ch(n) in_wk · out_n)."""
    nodes, turns = tree.path(word)
    return float(log_sigmoid(turns * (output[nodes] @ vector)).sum())


def log_p_word_gradient(vector: Floats, output: Floats, tree: Huffman, word: int) -> tuple[Floats, Floats]:
    """Gradients of Eq. (3) with respect to in_wk, (D,), and to out_n of the path's nodes, (path length, D)."""
    nodes, turns = tree.path(word)
    dots = turns * (output[nodes] @ vector)
    slopes = turns * np.exp(log_sigmoid(-dots))  # d log σ(±x)/dx = ±σ(∓x)
    return slopes @ output[nodes], slopes[:, None] * vector
