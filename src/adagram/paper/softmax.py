"""Hierarchical softmax: the probability of a context word as a product of turns down the Huffman tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.paper.stick_breaking import log_sigmoid
from adagram.types import I32, I64, Floats

MAX_DEPTH = 1000  # of a tree; a deeper one has a cycle


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


class Huffman(NamedTuple):
    """Paths from the root to every word, end to end. A step is 2·node + 1 if the path turns left there, else 2·node.

    Inner nodes are numbered by falling frequency: the root is 0, and the most visited nodes have the lowest ids.
    """

    steps: I32  # (Σ path lengths,) from the root down
    offsets: I64  # (n_words + 1,) the path of word w is offsets[w]:offsets[w+1]

    @property
    def n_words(self) -> int:
        return len(self.offsets) - 1

    def path(self, word: int) -> tuple[I32, I32]:
        """Return the nodes on the path of a word, and ch(n): +1 if it turns left at the node, else -1."""
        steps = self.steps[self.offsets[word] : self.offsets[word + 1]]
        return steps >> 1, np.where(steps & 1, np.int32(1), np.int32(-1))


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
    return paths_of(_merge(counts.tolist()), n)


def _merge(counts: list[int]) -> I32:
    """Merge the two least frequent items until one is left; return the last steps, see `parents_of`."""
    n = len(counts)
    leaves = [*counts[::-1], sum(counts) + 1]  # the last is a sentinel, above all counts
    inner: list[int] = []  # their counts rise, so two queues replace a heap
    taken: list[int] = []  # the items, two for each inner node: words, then inner nodes in order
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
    steps = np.full(2 * n - 1, -1, np.int32)
    nodes = np.arange(n - 2, -1, -1)  # the root is merged last
    steps[taken] = (2 * nodes[:, None] + (0, 1)).ravel()  # the rarer item is on the right
    return np.append(steps[:n], steps[: n - 1 : -1])


def parents_of(tree: Huffman, n_nodes: int) -> I32:
    """Return the last step to each word and, after them, to each inner node, (n_words + n_nodes,); -1 for the root."""
    steps, offsets, n_words = tree.steps, tree.offsets, tree.n_words
    parents = np.full(n_words + n_nodes, -1, np.int32)
    parents[:n_words] = steps[offsets[1:] - 1]
    is_later = np.ones(len(steps), bool)
    is_later[offsets[:-1]] = False  # the root has no step before it
    at = np.flatnonzero(is_later)
    parents[n_words + (steps[at] >> 1)] = steps[at - 1]
    return parents


def paths_of(parents: I32, n_words: int) -> Huffman:
    """Return the tree with these last steps, the inverse of `parents_of`: walk up from all words at once."""
    at, levels = parents[:n_words], list[I32]()
    while at.max() >= 0:
        if len(levels) == MAX_DEPTH:
            raise ValueError("the tree has a cycle")
        levels.append(at)
        at = np.where(at >= 0, parents[n_words + (at >> 1)], -1)
    downwards = np.stack(levels[::-1], axis=1)  # (n_words, depth), from the root; -1 before a short path
    is_step = downwards >= 0
    return Huffman(downwards[is_step], np.append(0, is_step.sum(axis=1).cumsum()).astype(np.int64))


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
    n_old, n = tree.n_words, len(counts)
    old, node = parents_of(tree, n_old - 1), n_old - 1  # the next inner node
    parents = np.empty(2 * n - 1, np.int32)
    parents[:n_old], parents[n : n + node] = old[:n_old], old[n_old:]
    for x, new in beside(tree, counts).items():
        parents[n + node] = parents[x]  # a node in the place of x: x is on its left, the new words on its right
        parents[x] = 2 * node + 1
        below = np.array([-1], np.int32)
        if len(new) > 1:
            below = parents_of(huffman(counts[new]), len(new) - 1)
        below = np.where(below < 0, 2 * node, below + 2 * (node + 1))
        parents[new] = below[: len(new)]
        parents[n + node + 1 : n + node + len(new)] = below[len(new) :]
        node += len(new)
    return paths_of(parents, n)


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
