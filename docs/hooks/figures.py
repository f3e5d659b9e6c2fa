"""Draw the figures of the page "The paper in one page", from the equations themselves: python docs/hooks/figures.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from adagram.paper.reference import Reference
from adagram.paper.schedule import learning_rate
from adagram.paper.softmax import huffman
from adagram.paper.stick_breaking import expected_pi
from adagram.plots.style import COLOURS, DASHES, new_figure, quiet_grid, save, styled

MONEY, WATER, BANK = range(1, 6), range(6, 11), 0


def sticks(path: Path) -> None:
    """Expected shares of the first senses before a word is seen, for some α."""
    with styled():
        figure = new_figure(6.4, 2.6)
        axes = figure.subplots()
        for y, alpha in enumerate((0.05, 0.1, 0.5, 1.0, 2.0)):
            shares = expected_pi(np.zeros(30), alpha)[:8]
            lefts = np.append(0.0, shares.cumsum()[:-1])
            for k, (left, share) in enumerate(zip(lefts, shares, strict=True)):
                axes.barh(y, share, left=left, color=COLOURS[k], edgecolor="white", height=0.75)
                if share > 0.04:
                    axes.text(left + share / 2, y, str(k), ha="center", va="center", color="white", fontsize=9)
        axes.set_yticks(range(5), ["α = 0.05", "0.1", "0.5", "1", "2"])
        axes.set(xlim=(0, 1), xlabel="expected share of senses 0, 1, 2, … before any text is seen")
        axes.invert_yaxis()
    save(figure, path, overwrite=True)


def learning(path: Path) -> None:
    """Expected shares of the senses of a word with two meanings, while Algorithm 1 reads its occurrences."""
    draw = np.random.default_rng(3)
    n_steps, n_words, max_senses, dim = 1500, 11, 5, 8
    counts = np.append(n_steps, np.full(10, n_steps * 6 // 10))
    vectors = draw.uniform(-0.5 / dim, 0.5 / dim, (n_words, max_senses, dim))
    output = draw.uniform(-0.5 / dim, 0.5 / dim, (n_words, dim))
    learner = Reference(huffman(counts), counts.astype(float), vectors, output, alpha=0.1)
    shares = []
    for step in range(n_steps):
        context = draw.choice(MONEY if draw.random() < 0.6 else WATER, 6).tolist()
        rate = float(learning_rate(0.15, step, n_steps))
        for word, around in ((BANK, context), (context[0], context[1:])):
            learner.step(word, around, rate)
        shares.append(expected_pi(learner.counts[BANK], 0.1))
    with styled():
        figure = new_figure(6.4, 3.0)
        axes = figure.subplots()
        for k in range(3):
            look = {"color": COLOURS[k], "linestyle": DASHES[k], "label": f"bank#{k}"}
            axes.plot(np.array(shares)[:, k], linewidth=1.5, **look)
        axes.set(ylim=(0, 1), xlabel="occurrences of the word that were read", ylabel="expected share E[π]")
        axes.legend(frameon=False)
        quiet_grid(axes)
    save(figure, path, overwrite=True)


def main(folder: Path) -> None:
    sticks(folder / "sticks.png")
    learning(folder / "learning.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "assets")
