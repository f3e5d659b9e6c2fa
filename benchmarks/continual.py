"""Training that goes on, against training anew: UN General Debates by date, and Wikipedia text in four parts.

    python benchmarks/continual.py un UN.jsonl --work FOLDER
    python benchmarks/continual.py wiki TEXT DATA --work FOLDER

UN.jsonl has a speech per line (year, text); TEXT is plain text, and DATA has wwsi/train.tsv. One thread, 100
dimensions, processor time. Texts and models are kept in FOLDER, and a second call only does what is missing; each
figure is printed as a line of JSON when it is known.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adagram
from adagram.model import Model
from continual_measures import identity, likelihoods, wsi
from continual_planted import plant, planted_senses

PERIODS = ((1946, 1990), (1991, 2000), (2001, 2010), (2011, 2022))
PLANTED_FROM = 2005
HELD_OUT = 0.1  # of speeches
UN = {
    "dim": 100,
    "window": 5,
    "epochs": 1,
    "subsample": 1e-4,
    "alpha": 0.5,
    "merge_senses": False,
    "min_count": 20,
    "threads": 1,
}
WIKI = UN | {"alpha": 0.1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text_of", choices=("un", "wiki"))
    parser.add_argument("text", type=Path)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    steps = un_steps(arguments.text, work) if arguments.text_of == "un" else wiki_steps(arguments, work)
    for figure in steps:
        print(json.dumps(figure, ensure_ascii=False), flush=True)


def train(text: Path | list[Path], folder: Path, **options: Any) -> tuple[Model, float]:
    """The model, and processor seconds of encoding and training; one that is there is kept."""
    note = folder.with_name(folder.name + ".seconds")
    if not note.exists():
        before = time.process_time()
        adagram.train(text, folder, overwrite=True, checkpoint_minutes=0, **options)
        note.write_text(str(time.process_time() - before))
    return adagram.load(folder), float(note.read_text())


def un_steps(source: Path, work: Path) -> Iterator[dict[str, Any]]:
    split_speeches(source, work)
    trained = [work / f"train{i}.txt" for i in range(len(PERIODS))]
    held_out = [(work / f"held{i}.txt").read_text(encoding="utf-8") for i in range(len(PERIODS))]
    adagram.train([["a", "word"] * 50], **UN)  # kernels are compiled before anything is timed
    first, _ = train(trained[0], work / "anew0", **UN)
    line = [first]
    for i in range(1, len(PERIODS)):
        model, seconds = train(trained[i], work / f"on{i}", start=line[-1], threads=1, min_count=20)
        line.append(model)
        yield {
            "model": f"on{i}",
            "seconds": seconds,
            "words": len(model.vocabulary),
            "senses": model.n_senses,
        }
        if i == 1:
            alone, seconds = train(trained[1], work / "alone1", **UN)
            yield {"model": "the text of on1 alone, anew", "seconds": seconds, "words": len(alone.vocabulary)}
        yield {"identity": f"on{i} after on{i - 1}", **identity(line[-2], model, held_out[:i])}
    for i in range(1, len(PERIODS)):
        for j in range(i):
            compared = {"just learned": line[j], "on": line[i]}
            yield {"held-out": j, "after": i, **likelihoods(compared, held_out[j])}
    pairs = plant(line[1], trained[2], work, PLANTED_FROM)
    model, _ = train(work / "planted2.txt", work / "onplanted2", start=line[1], threads=1, min_count=20)
    for pair in pairs:
        yield planted_senses(line[1], model, pair, held_out[2])
    for i in range(1, len(PERIODS)):
        anew, seconds = train(trained[: i + 1], work / f"anew{i}", **UN)
        yield {
            "model": f"anew{i}",
            "seconds": seconds,
            "words": len(anew.vocabulary),
            "senses": anew.n_senses,
        }
        for j in range(i + 1):
            compared = {"just learned": line[j], "on": line[i], "anew": anew}
            yield {"held-out": j, "after": i, **likelihoods(compared, held_out[j])}
    other, _ = train(trained[0], work / "otherseed0", **UN, seed=2)
    yield {"identity": "two seeds, aligned", **identity(first, other, held_out[:1], aligned=True)}


def split_speeches(source: Path, work: Path) -> None:
    """A tenth of the speeches of each period is held out."""
    if (work / "held3.txt").exists():
        return
    draw = random.Random(5)
    parts: dict[str, list[str]] = {}
    with open(source, encoding="utf-8") as file:
        for line in file:
            speech = json.loads(line)
            year = int(speech["year"])
            i = next(i for i, (first, last) in enumerate(PERIODS) if first <= year <= last)
            name = f"held{i}" if draw.random() < HELD_OUT else f"train{i}"
            parts.setdefault(name, []).append(" ".join(speech["text"].split()))
            if name == "train2":
                parts.setdefault("years2", []).append(str(year))
    for name in sorted(parts, key=lambda name: name == "held3"):
        (work / f"{name}.txt").write_text("\n".join(parts[name]) + "\n", encoding="utf-8")


def wiki_steps(arguments: argparse.Namespace, work: Path) -> Iterator[dict[str, Any]]:
    parts = [work / f"part{i}.txt" for i in range(4)]
    if not parts[-1].exists():
        lines = arguments.text.read_text(encoding="utf-8").splitlines(keepends=True)
        for i, part in enumerate(parts):
            part.write_text("".join(lines[i * len(lines) // 4 : (i + 1) * len(lines) // 4]), encoding="utf-8")
    model, _ = train(parts[0], work / "wiki0", **WIKI)
    for i in range(1, 4):
        model, _ = train(parts[i], work / f"wiki{i}", start=model, threads=1, min_count=20)
    yield {"model": "four parts, continued", "words": len(model.vocabulary), **wsi(model, arguments.data)}
    for seed in (1, 2):
        whole, _ = train(parts, work / f"whole{seed}", **WIKI, seed=seed)
        yield {"model": f"one run, seed {seed}", "words": len(whole.vocabulary), **wsi(whole, arguments.data)}


if __name__ == "__main__":
    main()
