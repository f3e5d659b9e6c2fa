"""Is a posterior of 0.9 right nine times in ten?

    python benchmarks/calibration.py MODEL DATASET.tsv [DATASET.tsv…]

Each sense of a word stands for the gold sense that most of the word's even instances with it have; the odd ones are
judged. A row is a range of the likeliest sense's posterior: its mean, and how often that sense was right.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from adagram import load
from adagram.evaluation.wsi import ContextRule, disambiguate
from adagram.evaluation.wsi_data import Instance, best_sense, read_tsv
from adagram.model import Model
from common import write_result

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.0 + 1e-9)
MIN_INSTANCES = 3  # even instances of a sense, below which it stands for nothing


def judged(model: Model, instances: list[Instance]) -> np.ndarray:
    """(n, 2): the posterior of the likeliest sense of each odd instance, and whether it was right."""
    found = disambiguate(model, instances, ContextRule())
    groups: dict[tuple[str, int], list[tuple[float, str]]] = {}
    for instance, posterior in zip(found.instances, found.posteriors, strict=True):
        if len(posterior) > 1:
            k = int(np.argmax(posterior))
            of_sense = groups.setdefault((instance.target, k), [])
            of_sense.append((float(posterior[k]), best_sense(instance.senses)))
    rows = []
    for of_sense in groups.values():
        known = Counter(gold for _, gold in of_sense[::2])
        if known.total() >= MIN_INSTANCES:
            meant = known.most_common(1)[0][0]
            rows += [(p, float(gold == meant)) for p, gold in of_sense[1::2]]
    return np.array(rows)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    model = load(sys.argv[1])
    parts = [[name, *curve(judged(model, list(read_tsv(Path(name)))))] for name in sys.argv[2:]]
    write_result("calibration", "\n\n".join("\n".join(lines) for lines in parts))


def curve(rows: np.ndarray) -> list[str]:
    """The reliability curve: a line for each range of posteriors."""
    bins = np.digitize(rows[:, 0], EDGES) - 1
    lines = [f"{len(rows)} instances: mean posterior {rows[:, 0].mean():.3f}, right {rows[:, 1].mean():.3f}"]
    for i in range(len(EDGES) - 1):
        if (bins == i).any():
            p, right = rows[bins == i].mean(axis=0)
            span = f"{EDGES[i]:.2f} to {min(EDGES[i + 1], 1):.2f}"
            lines.append(f"  {span}: {(bins == i).sum():>6} with a mean of {p:.3f}, right {right:.3f}")
    return lines


if __name__ == "__main__":
    main()
