"""How many senses of a token could be left unscored, if some of its nodes are scored first, and what that would save.

python skipping.py MODEL TEXT: occurrences of words of an AdaGram model, whose senses are those it has now.
A sense may be left out where its posterior is below NEGLIGIBLE: its vector is not moved. Three ways to know it early,
after all senses have been scored at some nodes of the window, the most frequent or the rarest, and the one that leads
there at all nodes:
- proven: log σ is concave, so the rest of a sense's score is below the tangent at the leader's; one product gives it.
- zero: log σ < 0, so the rest is below 0.
- guessed: the rest is as good as the leader's. This one can be wrong.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

import adagram
from adagram.paper.schedule import keep_probability
from adagram.systems._adagram import NEGLIGIBLE
from common import write_result

PARTS = (0.0, 0.125, 0.25, 0.5)  # of the nodes that are scored first
ORDERS = {"frequent": slice(None), "rare": slice(None, None, -1)}  # of the nodes, which are numbered by frequency
WAYS = ("proven", "zero", "guessed")
# µs of a token: fixed, and for each live sense (notebooks/2026-11-17-threads-and-ray.md)
FIXED, PER_SENSE = 1.87, 1.31


class Token(NamedTuple):
    """Scores of one occurrence: senses by nodes, in the order in which they are scored."""

    log_prior: np.ndarray  # (senses,)
    dots: np.ndarray  # (senses, nodes)
    visits: np.ndarray  # (nodes,)
    lefts: np.ndarray  # (nodes,)

    def ordered(self, order: slice) -> Token:
        return Token(self.log_prior, self.dots[:, order], self.visits[order], self.lefts[order])

    def scores(self) -> np.ndarray:
        """lefts·log σ(x) + (visits - lefts)·log σ(-x), (senses, nodes)"""
        rights = self.visits - self.lefts
        return -self.lefts * np.logaddexp(0.0, -self.dots) - rights * np.logaddexp(0.0, self.dots)


def tokens_of(model: adagram.Model, text: Path, n: int) -> list[Token]:
    """Occurrences of words with several senses, spread over the text, which is subsampled as in training."""
    ids = model.vocabulary.ids(text.read_text(encoding="utf-8", errors="replace").split()[: 400 * n])
    ids, draw = np.asarray(ids)[np.asarray(ids) >= 0], np.random.default_rng(0)
    keep = keep_probability(model.vocabulary.counts, model.config.subsample)
    ids = ids[draw.random(len(ids)) < keep[ids]]
    window, found = model.config.window, []
    for i in range(window, len(ids) - window, max(1, (len(ids) - 2 * window) // n)):
        token = one_token(model, ids[i], np.delete(ids[i - window : i + window + 1], window))
        found.append(token)
    return found


def one_token(model: adagram.Model, word: int, context: np.ndarray) -> Token:
    arrays = model.arrays
    first, last = arrays["offsets"][word : word + 2]
    steps = np.concatenate([arrays["steps"][slice(*arrays["paths"][c : c + 2])] for c in context])
    nodes, at = np.unique(steps >> 1, return_inverse=True)
    visits = np.bincount(at).astype(float)
    lefts = np.bincount(at, steps & 1, minlength=len(nodes))
    dots = arrays["vectors"][first:last].astype(float) @ arrays["output"][nodes].T.astype(float)
    return Token(np.log(arrays["priors"][first:last] + 1e-300), dots, visits, lefts)


def skipped(token: Token, part: float) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Which senses each way leaves out, and which have less than NEGLIGIBLE; the leader is in neither."""
    scores = token.scores()
    n = round(part * scores.shape[1])
    early = token.log_prior + scores[:, :n].sum(1)
    leader = int(np.argmax(early))
    slopes = (token.lefts - token.visits / (1.0 + np.exp(-token.dots[leader])))[n:]
    rest = scores[leader, n:].sum()
    tangent = rest + (token.dots[:, n:] - token.dots[leader, n:]) @ slopes
    limit = early[leader] + rest + np.log(NEGLIGIBLE)
    ways = {"proven": early + tangent < limit, "zero": early < limit, "guessed": early + rest < limit}
    total = token.log_prior + scores.sum(1)
    posterior = np.exp(total - np.logaddexp.reduce(total))
    others = np.arange(len(total)) != leader
    return {way: left[others] for way, left in ways.items()}, (posterior < NEGLIGIBLE)[others]


def saved(live: float, part: float, rate: float, way: str) -> float:
    """Share of a token's time, if all that a sense costs were products: an upper bound.

    A tangent needs the leader's gradient at the nodes that are left, as much as the products of one sense there.
    """
    products = (1.0 - part) * ((live - 1.0) * rate - (way == "proven"))
    return PER_SENSE * products / (FIXED + PER_SENSE * live)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--occurrences", type=int, default=2000)
    args = parser.parse_args()
    model = adagram.load(args.model)
    tokens = tokens_of(model, args.text, args.occurrences)
    live = [len(token.log_prior) for token in tokens]
    lines = [f"{len(tokens)} occurrences, {np.mean(live):.2f} live senses each, {model.config.window} words each side"]
    tokens = [token for token in tokens if len(token.log_prior) > 1]
    small = np.concatenate([skipped(token, 1.0)[1] for token in tokens])
    lines.append(f"{small.mean():.3f} of the senses that do not lead are below {NEGLIGIBLE:g}")
    lines.append("first    nodes  way      left out    wrong   % of time saved at most, with 3.4, 5 and 10 live senses")
    for name, order in ORDERS.items():
        ordered = [token.ordered(order) for token in tokens]
        lines += [f"{name:<8} {line}" for part in PARTS for line in report(ordered, part)]
    write_result("skipping", "\n".join(lines))


def report(tokens: list[Token], part: float) -> list[str]:
    found = [skipped(token, part) for token in tokens]
    small = np.concatenate([each for _, each in found])
    lines = []
    for way in WAYS:
        left = np.concatenate([ways[way] for ways, _ in found])
        wrong = (left & ~small).sum() / max(1, left.sum())
        gains = " ".join(f"{100 * saved(n, part, left.mean(), way):6.1f}" for n in (3.4, 5, 10))
        lines.append(f"{part:6.3f} {way:<8} {left.mean():8.3f} {wrong:8.4f}   {gains}")
    return lines


if __name__ == "__main__":
    main()
