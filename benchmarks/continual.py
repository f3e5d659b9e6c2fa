"""Training that goes on, against training anew: UN General Debates by date, and Wikipedia text in four parts.

    python benchmarks/continual.py un UN.jsonl --work FOLDER
    python benchmarks/continual.py limit --work FOLDER
    python benchmarks/continual.py cost --work FOLDER
    python benchmarks/continual.py wiki TEXT DATA --work FOLDER

UN.jsonl has a speech per line (year, text). `limit` and `cost` follow `un`; `cost` needs a quiet machine. Of TEXT,
plain text, the first 8 M words are taken; DATA has wwsi/train.tsv and semeval2010/contexts.tsv. One thread, 100
dimensions, processor time. Texts and models are kept in FOLDER, and a second call only does what is missing; each
figure is printed as a line of JSON when it is known.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adagram
from adagram.model import Model
from continual_measures import frequencies_alone, identity, likelihoods, wsi, wsi_difference
from continual_planted import plant, planted_senses, summary

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
WIKI = {"dim": 100, "threads": 1}
WIKI_WORDS, WIKI_LINE = 8_000_000, 1000
SEEDS = (1, 2, 3, 4, 5)  # of planted pairs; settings were chosen on those of the first three


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("un", "limit", "cost", "wiki"))
    parser.add_argument("text", type=Path, nargs="?")
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    steps = {
        "un": lambda: un_steps(arguments.text, work),
        "limit": lambda: limit_steps(work),
        "cost": lambda: cost_steps(work),
        "wiki": lambda: wiki_steps(arguments, work),
    }
    for figure in steps[arguments.what]():
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
        yield {"model": f"on{i}", "seconds": seconds, "words": len(model.vocabulary), "senses": model.n_senses}
        if i == 1:
            alone, seconds = train(trained[1], work / "alone1", **UN)
            yield {"model": "the text of on1 alone, anew", "seconds": seconds, "words": len(alone.vocabulary)}
        yield {"identity": f"on{i} after on{i - 1}", **identity(line[-2], model, held_out[:i])}
    for i in range(1, len(PERIODS)):
        for j in range(i):
            compared = {"just learned": line[j], "on": line[i]}
            yield {"held-out": j, "after": i, **likelihoods(compared, held_out[j])}
    yield from planted_steps(line[1], trained[2], held_out[2], work)
    for i in range(1, len(PERIODS)):
        anew, seconds = train(trained[: i + 1], work / f"anew{i}", **UN)
        yield {"model": f"anew{i}", "seconds": seconds, "words": len(anew.vocabulary), "senses": anew.n_senses}
        for j in range(i + 1):
            compared = {"just learned": line[j], "on": line[i], "anew": anew}
            yield {"held-out": j, "after": i, **likelihoods(compared, held_out[j])}
    other, _ = train(trained[0], work / "otherseed0", **UN, seed=2)
    yield {"identity": "two seeds, aligned", **identity(first, other, held_out[:1], aligned=True)}


def limit_steps(work: Path) -> Iterator[dict[str, Any]]:
    """What one model can have on all periods: trained on all text in random order, in one pass and in two."""
    trained, held_out = ([work / f"{part}{i}.txt" for i in range(len(PERIODS))] for part in ("train", "held"))
    texts = [path.read_text(encoding="utf-8") for path in held_out]
    line = [adagram.load(work / name) for name in ("anew0", "on1", "on2", "anew3")]
    for passes in (1, 2):
        options = UN | {"epochs": passes, "shuffle": True}
        model, seconds = train(trained, work / f"random{passes}", **options)
        for i, just_learned in enumerate(line):
            compared = {"asked for": just_learned, "all in random order": model}
            yield {"passes": passes, "seconds": seconds, "held-out": i, **likelihoods(compared, texts[i])}
    yield {"frequencies alone": frequencies_alone(line[-1], trained, texts)}


def planted_steps(old: Model, text: Path, held_out: str, work: Path) -> Iterator[dict[str, Any]]:
    """A meaning that words take on, learned from a file and from a stream; and the same words without it."""
    control, _ = train(text, work / "on2", start=old, threads=1, min_count=20)
    for seed in SEEDS:
        planted = work / f"planted{seed}.txt"
        pairs = plant(old, text, work / "years2.txt", PLANTED_FROM, planted, seed)
        by_file, _ = train(planted, work / f"onplanted{seed}", start=old, threads=1, min_count=20)
        with open(planted, encoding="utf-8") as lines:
            by_stream = adagram.train(lines, start=old, threads=1, min_count=20)
        for how, model in (("file", by_file), ("stream", by_stream)):
            found = [planted_senses(old, model, pair, held_out) for pair in pairs]
            yield from ({"seed": seed, "from a": how, **figures} for figures in found)
            yield {"seed": seed, "from a": how, **summary(found)}
        found = [planted_senses(old, control, pair, held_out) for pair in pairs]
        yield {"seed": seed, "control, not planted, from a": "file", **summary(found)}


def cost_steps(work: Path, rounds: int = 3) -> Iterator[dict[str, Any]]:
    """The command from its start to its end, and its memory: continued, the new text alone, and all text."""
    old, new = work / "train0.txt", work / "train1.txt"
    flags = {name: value for name, value in UN.items() if name not in ("merge_senses", "threads")}
    anew = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()] + ["--no-merge-senses"]
    sides = {
        "continued": [new, f"--continue={work / 'anew0'}", "--min-count=20"],
        "the new text alone": [new, *anew],
        "all text": [old, new, *anew],
    }
    for _ in range(rounds):
        for name, arguments in sides.items():
            yield {"cost": name, **_timed(arguments, work / "timed")}


def _timed(arguments: list[Any], output: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "adagram", "train", *map(str, arguments), "--threads=1"]
    command += [f"--output={output}", "--overwrite", "--checkpoint-minutes=0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return {"seconds": round(used.ru_utime + used.ru_stime, 1), "peak MB": round(used.ru_maxrss / 1024)}


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
        lines = list(first_lines(arguments.text))
        for i, part in enumerate(parts):
            here = lines[i * len(lines) // 4 : (i + 1) * len(lines) // 4]
            part.write_text("\n".join(here) + "\n", encoding="utf-8")

    def figures(name: str, model: Model) -> dict[str, Any]:
        about = {"words": len(model.vocabulary), "senses": model.n_senses}
        return {"model": name, **about, **wsi(model, arguments.data)}

    model, _ = train(parts[0], work / "wiki0", **WIKI)
    yield figures("the first part", model)
    for i in range(1, 4):
        model, _ = train(parts[i], work / f"wiki{i}", start=model, threads=1)
        yield figures(f"{i + 1} parts, continued", model)
    for seed in (1, 2):
        whole, _ = train(parts, work / f"whole{seed}", **WIKI, seed=seed)
        yield figures(f"one run, seed {seed}", whole)
        yield {"four parts less one run": seed, **wsi_difference(model, whole, arguments.data)}


def first_lines(text: Path) -> Iterator[str]:
    """The first WIKI_WORDS words, in lines of WIKI_LINE at most."""
    n = 0
    with open(text, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            for start in range(0, len(words), WIKI_LINE):
                if n >= WIKI_WORDS:
                    return
                yield " ".join(words[start : start + WIKI_LINE])
                n += len(words[start : start + WIKI_LINE])


if __name__ == "__main__":
    main()
