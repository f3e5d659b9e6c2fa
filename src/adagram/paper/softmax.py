"""Hierarchical softmax: the probability of a context word as a product of turns down the Huffman tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.paper.stick_breaking import log_sigmoid
from adagram.types import I64, Floats


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


@dataclass(frozen=True)
class Huffman:
    """Paths from the root to every word, end to end.

    Inner nodes are numbered by falling frequency: the root is 0, and the most visited nodes have the lowest ids.
    """

    nodes: NDArray[np.int32]  # (Σ path lengths,) inner nodes from the root down
    turns: NDArray[np.int8]  # ch(n): +1 if the path turns left at that node, -1 if it turns right
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
    """Merge the two least frequent items until one is left; items 0..n-1 are words, then inner nodes in order."""
    n = len(counts)
    leaves = [*counts[::-1], sum(counts) + 1]  # the last is a sentinel, above all counts
    inner: list[int] = []  # their counts rise, so two queues replace a heap
    taken: list[int] = []  # the items, two for each inner node
    leaf, node = 0, 0
    for made in range(n - 1):
        total = 0
        for _ in range(2):
            if node == made or leaves[leaf] <= inner[node]:
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
    ids = (root - down_nodes[on_path]).astype(np.int32)  # the root is the last and most frequent: 0
    return Huffman(ids, down_turns[on_path].astype(np.int8), offsets.astype(np.int64))


Path = tuple[list[int], list[int]]  # nodes and turns


def graft(tree: Huffman, counts: NDArray[np.int64]) -> Huffman:
    """Eq. (3): the tree with the words after its own, `counts` being of all words, old and new together.

    Inner nodes keep their numbers, and new ones have the next. On average over their uses, new words are at most one
    step deeper than in the Huffman tree of `counts`, if `beside` finds room for all at that depth; if not, at most at
    max(that depth, one step below the deepest old leaf). A single word can be deeper: the words beside one old word
    form the Huffman tree of their own counts, which has the least mean depth.

    >>> tree = graft(huffman(np.array([8, 4, 2])), np.array([8, 4, 2, 2]))
    >>> [tree.path(w)[0].tolist() for w in range(4)]
    [[0], [0, 1], [0, 1, 2], [0, 1, 2]]
    """
    groups = beside(tree, counts)
    paths: dict[int, Path] = {}
    node = tree.n_words - 1  # the next inner node
    for x, new in groups.items():
        nodes, turns = (part.tolist() for part in tree.path(x))
        paths[x] = [*nodes, node], [*turns, 1]
        below = huffman(counts[new]) if len(new) > 1 else None
        for i, y in enumerate(new):
            more = below.path(i) if below else (np.empty(0, np.int32), np.empty(0, np.int8))
            further = (more[0] + node + 1).tolist()
            paths[y] = [*nodes, node, *further], [*turns, -1, *more[1].tolist()]
        node += len(new)
    return _with_paths(tree, paths, len(counts))


def beside(tree: Huffman, counts: NDArray[np.int64]) -> dict[int, list[int]]:
    """Return the new words to graft beside old words, by falling count.

    Each reserves room one step deeper than it is in the Huffman tree of all words: 2^-depth of the room that old words
    free when they move one step down. Frequent words come first; each uses the smallest sufficient room, beside the
    rarest old word, and the rest of that room is free for others. Room does not run out: the old words free 1/2, and
    the new ones, one step deeper than in the other tree, need less. But it may be deeper than its target: then the word
    is alone beside the highest old leaf that is left.
    """
    n_old = tree.n_words
    targets = joint_depths(counts)[n_old:] + 1
    depths = np.diff(tree.offsets) + 1
    free: list[list[int]] = [[] for _ in range(int(max(targets.max(initial=0), depths.max())) + 1)]
    for x in np.argsort(-counts[:n_old], kind="stable").tolist():
        free[depths[x]].append(x)
    groups: dict[int, list[int]] = {}
    for i in np.argsort(-counts[n_old:], kind="stable").tolist():
        target = int(targets[i])
        high_enough, deeper = range(target, 0, -1), range(target + 1, len(free))
        depth = next(d for d in (*high_enough, *deeper) if free[d])
        x = free[depth].pop()
        for d in range(depth + 1, target + 1):
            free[d].append(x)
        groups.setdefault(x, []).append(n_old + i)
    return groups


def joint_depths(counts: NDArray[np.int64]) -> I64:
    """Return the depth of each word in the Huffman tree of these counts, which need no order."""
    order = np.argsort(-counts, kind="stable")
    depths = np.empty(len(counts), np.int64)
    depths[order] = np.diff(huffman(counts[order]).offsets)
    return depths


def _with_paths(tree: Huffman, paths: dict[int, Path], n_words: int) -> Huffman:
    """Return the tree with some paths replaced or added."""
    lengths = np.zeros(n_words, np.int64)
    lengths[: tree.n_words] = np.diff(tree.offsets)
    old = lengths.copy()
    for w, (found, _) in paths.items():
        lengths[w] = len(found)
    offsets = np.append(0, lengths.cumsum()).astype(np.int64)
    nodes, turns = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int8)
    shifts = np.repeat(offsets[: tree.n_words] - tree.offsets[:-1], old[: tree.n_words])
    places = np.arange(len(tree.nodes)) + shifts
    nodes[places], turns[places] = tree.nodes, tree.turns
    for w, (its_nodes, its_turns) in paths.items():
        span = slice(offsets[w], offsets[w + 1])
        nodes[span], turns[span] = its_nodes, its_turns
    return Huffman(nodes, turns, offsets)
