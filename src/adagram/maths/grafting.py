"""New words in a Huffman tree that has been learned, without moving any old word.

A new inner node takes the place of an old word x: x goes on below it to the left, and new words to the right. So

    p(x) before = p(x) + Σ p(y) over the words y grafted beside x

in every context, whatever the new node's vector is, and no other old word changes at all. With the zero vector each
side has 1/2, which is what a Huffman tree says of two siblings: so new rows start there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.maths.huffman import Huffman, huffman
from adagram.types import I64

Path = tuple[list[int], list[int]]  # nodes and turns


def graft(tree: Huffman, counts: NDArray[np.int64]) -> Huffman:
    """Eq. (3): the tree with the words after its own, `counts` being of all words, old and new together.

    Inner nodes keep their numbers, and new ones have the next. On average over their uses, new words are at most one
    step deeper than in the Huffman tree of `counts`, if all of them find room as high as that (`beside`); if not, they
    are at most at max(that depth, one step below the deepest old leaf), on average too. A single word can be deeper:
    the words beside one old word are in the Huffman tree of their own counts, in which the mean is least.

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
    """The new words that are grafted beside each old one that gets any, by falling count.

    Each reserves room one step deeper than it is in the Huffman tree of all words: 2^-depth of what old words leave
    when they go one step down. Frequent words choose first; each takes the least room that will do, beside the rarest
    old word, and what it does not need of it is free for others. Room does not run out: the old words leave 1/2, and
    the new ones, one step deeper than in the other tree, need less. But it may be deeper than a word would have it:
    then the word is alone beside the highest old leaf that is left.
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
    """How deep each word is in the Huffman tree of these counts, in whatever order they are."""
    order = np.argsort(-counts, kind="stable")
    depths = np.empty(len(counts), np.int64)
    depths[order] = np.diff(huffman(counts[order]).offsets)
    return depths


def _with_paths(tree: Huffman, paths: dict[int, Path], n_words: int) -> Huffman:
    """The tree with some paths in the place of its own, or after them."""
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
