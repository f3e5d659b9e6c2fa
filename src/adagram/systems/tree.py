"""What the systems with a hierarchical softmax have in common: the Huffman tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import I64, Arrays, Floats
from adagram.errors import InputError
from adagram.kernels.arrays import BLOCK, Block, Tree, Work, make_block, make_work
from adagram.maths.huffman import Huffman, huffman
from adagram.systems.base import OutputRows, System
from adagram.vocabulary import Vocabulary


class TreeSystem(System):
    """A system whose output rows are the nodes of a Huffman tree."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tree = tree_of(self.vocabulary)
        visits = node_visits(self.tree, self.vocabulary, self.config.window)
        self.output = OutputRows(len(self.vocabulary), self.config, visits)

    def output_rows_of(self, present: NDArray[np.bool_]) -> I64:
        from adagram.kernels.windows import mark_nodes

        visited = np.zeros(self.output.n_rows, dtype=np.bool_)
        mark_nodes(self.tree, present, visited)
        return np.flatnonzero(visited)

    def tree_work(self, max_senses: int) -> Work:
        nodes = 2 * self.config.window * longest_path(self.tree)
        return make_work(len(self.vocabulary), self.config.dim, max_senses, nodes)

    def tree_block(self, max_senses: int) -> Block:
        nodes = 2 * (self.config.window + BLOCK) * longest_path(self.tree)
        return make_block(len(self.vocabulary), self.config.dim, max_senses, nodes)

    def tree_arrays(self) -> Arrays:
        return {"output": self.output.get(), "steps": self.tree.steps, "paths": self.tree.offsets}


def steps_of(tree: Huffman) -> Tree:
    return Tree((2 * tree.nodes + (tree.turns > 0)).astype(np.int32), tree.offsets)


def tree_of(vocabulary: Vocabulary) -> Tree:
    try:
        return steps_of(huffman(vocabulary.counts))
    except ValueError as error:
        raise InputError(f"the vocabulary is damaged: {error}; encode the corpus again") from None


def longest_path(tree: Tree) -> int:
    return int(np.diff(tree.offsets).max())


def node_visits(tree: Tree, vocabulary: Vocabulary, window: int) -> Floats:
    """How many paths of a window pass each node, on average, (n_words,)."""
    shares = vocabulary.counts / vocabulary.counts.sum()
    per_step = np.repeat(shares, np.diff(tree.offsets))
    paths = np.bincount(tree.steps >> 1, per_step, minlength=len(vocabulary))
    return np.asarray(2.0 * window * paths, dtype=np.float64)
