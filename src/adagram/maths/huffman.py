"""The Huffman tree of the hierarchical softmax (Eq. 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Huffman:
    """Paths from the root to every word, end to end.

    Inner nodes are numbered by falling frequency: the root is 0, and the most visited nodes have the lowest ids.
    """

    nodes: NDArray[np.int32]  # (Σ path lengths,) inner nodes from the root down
    turns: NDArray[np.int8]  # ch(n): +1 where the path goes left at that node, -1 where it goes right
    offsets: NDArray[np.int64]  # (n_words + 1,) the path of word w is offsets[w]:offsets[w+1]

    @property
    def n_words(self) -> int:
        return len(self.offsets) - 1

    def path(self, word: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        span = slice(self.offsets[word], self.offsets[word + 1])
        return self.nodes[span], self.turns[span]


def huffman(counts: NDArray[np.int64]) -> Huffman:
    """Eq. (3): the tree of least expected path length for `counts` sorted in falling order.

    >>> tree = huffman(np.array([5, 2, 1]))
    >>> [tree.path(w)[0].tolist() for w in range(3)]
    [[0], [0, 1], [0, 1]]
    """
    n = len(counts)
    if n < 2:
        raise ValueError(f"a Huffman tree needs at least two words, got {n}")
    if np.any(np.diff(counts) > 0):
        raise ValueError("counts must be in falling order")
    parent, turn = _merge(counts.tolist())
    return _paths(parent, turn, n)


def _merge(counts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Join the two least frequent items until one is left; items 0..n-1 are words, then inner nodes by birth."""
    n = len(counts)
    leaves = [*counts[::-1], sum(counts) + 1]  # the last is no word: more than any node has
    inner: list[int] = []  # their counts are born in rising order, so two queues replace a heap
    taken: list[int] = []  # the items, two for each inner node
    leaf, node = 0, 0
    for born in range(n - 1):
        total = 0
        for _ in range(2):
            if node == born or leaves[leaf] <= inner[node]:
                total += leaves[leaf]
                leaf += 1
                taken.append(n - leaf)
            else:
                total += inner[node]
                taken.append(n + node)
                node += 1
        inner.append(total)
    parent, turn = np.zeros(2 * n - 1, np.int64), np.zeros(2 * n - 1, np.int8)
    parent[taken] = np.repeat(np.arange(n, 2 * n - 1), 2)
    turn[taken] = np.tile(np.array([-1, 1], np.int8), n - 1)
    return parent, turn


def _paths(parent: NDArray[np.int64], turn: NDArray[np.int8], n: int) -> Huffman:
    """Walk all words up to the root at once, one level per step, then lay the paths out from the root down."""
    root = 2 * n - 2
    at = np.arange(n)
    levels: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = []
    while np.any(at != root):
        levels.append((np.where(at == root, -1, parent[at]), turn[at]))
        at = np.where(at == root, root, parent[at])
    up_nodes = np.stack([nodes for nodes, _ in levels], axis=1)  # (n, depth), -1 past the root
    up_turns = np.stack([turns for _, turns in levels], axis=1)
    down_nodes, down_turns = up_nodes[:, ::-1], up_turns[:, ::-1]
    on_path = down_nodes >= 0
    offsets = np.append(0, on_path.sum(axis=1).cumsum())
    ids = (root - down_nodes[on_path]).astype(np.int32)  # the root was born last and is the most frequent: 0
    return Huffman(ids, down_turns[on_path].astype(np.int8), offsets.astype(np.int64))
