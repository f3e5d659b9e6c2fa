"""What the systems with a hierarchical softmax have in common: the Huffman tree."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.kernels.arrays import BLOCK, Block, Senses, Tree, Work, make_block, make_work
from adagram.maths.grafting import graft
from adagram.maths.huffman import Huffman, huffman
from adagram.systems.base import OutputRows, System
from adagram.systems.past import Past
from adagram.types import I64, Arrays, Floats
from adagram.vocabulary import Vocabulary


class TreeSystem(System):
    """A system whose output rows are the nodes of a Huffman tree."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tree = tree_of(self.vocabulary) if self.past is None else grown_tree(self.past, self.vocabulary)
        visits = node_visits(self.tree, self.vocabulary, self.config.window)
        self.output = OutputRows(len(self.vocabulary), self.config, visits)

    @property
    def stride(self) -> int:
        """The first sense of word w is row stride · w of its `linked_senses`."""
        return 1

    @abstractmethod
    def linked_senses(self) -> Senses:
        """The senses as those of a system whose senses are born: `next_row` leads from each to the next."""

    def output_rows_of(self, present: NDArray[np.bool_]) -> I64:
        from adagram.kernels.windows import mark_nodes

        visited = np.zeros(self.output.n_rows, dtype=np.bool_)
        mark_nodes(self.tree, present, visited)
        return np.flatnonzero(visited)

    def output_uses(self, counts: I64) -> Floats:
        return words_below(self.tree, counts)

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


def grown_tree(past: Past, vocabulary: Vocabulary) -> Tree:
    """The past's, with the new words grafted in."""
    steps, paths = past.arrays["steps"], past.arrays["paths"]
    turns = np.where(steps & 1, 1, -1).astype(np.int8)
    return steps_of(graft(Huffman((steps >> 1).astype(np.int32), turns, np.array(paths)), vocabulary.counts))


def longest_path(tree: Tree) -> int:
    return int(np.diff(tree.offsets).max())


def node_visits(tree: Tree, vocabulary: Vocabulary, window: int) -> Floats:
    """How many paths of a window pass each node, on average, (n_words,)."""
    return 2.0 * window * words_below(tree, vocabulary.counts / vocabulary.counts.sum())


def words_below(tree: Tree, counts: I64 | Floats) -> Floats:
    """The sum of the counts of the words below each node, (n_words,): the last one is no node."""
    per_step = np.repeat(counts, np.diff(tree.offsets))
    return np.bincount(tree.steps >> 1, per_step, minlength=len(counts)).astype(np.float64)
