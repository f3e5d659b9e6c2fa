"""What the systems with a hierarchical softmax have in common: the Huffman tree and random first vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.kernels.arrays import F32, Tree, padded
from adagram.maths.huffman import Huffman, huffman
from adagram.vocabulary import Vocabulary


def steps_of(tree: Huffman) -> Tree:
    return Tree((2 * tree.nodes + (tree.turns > 0)).astype(np.int32), tree.offsets)


def tree_of(vocabulary: Vocabulary) -> Tree:
    return steps_of(huffman(vocabulary.counts))


def longest_path(tree: Tree) -> int:
    return int(np.diff(tree.offsets).max())


def node_visits(tree: Tree, vocabulary: Vocabulary, window: int) -> NDArray[np.float64]:
    """How many paths of a window pass each node, on average, (n_words,)."""
    shares = vocabulary.counts / vocabulary.counts.sum()
    per_step = np.repeat(shares, np.diff(tree.offsets))
    paths = np.bincount(tree.steps >> 1, per_step, minlength=len(vocabulary))
    return np.asarray(2.0 * window * paths, dtype=np.float64)


def random_vectors(n_rows: int, config: TrainConfig, stream: int) -> F32:
    """Section 3.1: Uniform(-0.5/D, 0.5/D), with zeros in the padding; `stream` keeps different tables apart."""
    draw = np.random.Generator(np.random.Philox(key=[config.seed, stream]))
    vectors = np.zeros((n_rows, padded(config.dim)), np.float32)
    vectors[:, : config.dim] = (draw.random((n_rows, config.dim), dtype=np.float32) - 0.5) / config.dim
    return vectors
