"""A stream against a file: both continue the model of 1946-1990 with later speeches.

    python benchmarks/stream.py --work FOLDER

FOLDER is that of `continual.py un`, with its texts and its model anew0. One thread, processor time; a line of JSON for
each model.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import adagram
from continual_measures import identity, likelihoods

PERIODS = (1,), (1, 2, 3)  # texts that follow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    work: Path = parser.parse_args().work
    old = adagram.load(work / "anew0")
    adagram.train(iter([old.vocabulary.words[:50]] * 9), start=old, threads=1)  # kernels are compiled before
    for periods in PERIODS:
        texts = [work / f"train{i}.txt" for i in periods]
        models = {"just learned": old}
        for how, text, min_count in (
            ("file", texts, 20),
            ("file, no new words", texts, 10**9),
            ("stream", lines(texts), 20),
        ):
            before = time.process_time()
            models[how] = model = adagram.train(text, start=old, threads=1, min_count=min_count)
            about = {"seconds": round(time.process_time() - before, 1), "words": len(model.vocabulary)}
            held = [(work / "held0.txt").read_text(encoding="utf-8")]
            same = identity(old, model, held)["same"]
            print(json.dumps({"periods": periods, "model": how, **about, "senses": model.n_senses, "same": same}))
        for i in (0, periods[-1]):
            text = (work / f"held{i}.txt").read_text(encoding="utf-8")
            print(json.dumps({"periods": periods, "held-out": i, **likelihoods(models, text)}), flush=True)


def lines(texts: list[Path]) -> Iterator[str]:
    for text in texts:
        with open(text, encoding="utf-8") as file:
            yield from file


if __name__ == "__main__":
    main()
