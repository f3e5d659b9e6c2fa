"""Speed of `trends` and `describe` against `tag`, on the same documents, and the memory that they need.

    python benchmarks/desk_speed.py MODEL CORPUS.jsonl [--by year] [--source country] [--documents 1500] [--repeat 3]

All three go over the same documents in turn, `--repeat` times, and the best of each counts: wall seconds, and processor
seconds, which depend less on what else the machine does. Compiling is not measured. Then `adagram trends` runs in a
process of its own on a quarter and on all of CORPUS (`--memory`), and its peak memory is read off.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import adagram
from adagram.analysis.describe import describe
from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.analysis.tag import tag_files
from adagram.corpus.documents import Document, make_document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--by", default="year")
    parser.add_argument("--source", default="country")
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    model = adagram.load(options.model)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = folder / "records.jsonl"
        text = folder / "text.txt"
        with open(options.corpus, encoding="utf-8") as file, open(records, "w", encoding="utf-8") as kept:
            lines = [line for line, _ in zip(file, range(options.documents), strict=False)]
            kept.writelines(lines)
        text.write_text("\n".join(" ".join(json.loads(line)["text"].split()) for line in lines), encoding="utf-8")

        def documents(n: int | None = None) -> list[Document]:
            found = []
            for number, line in enumerate(records.read_text(encoding="utf-8").strip().split("\n")[:n]):
                record = json.loads(line)
                found.append(make_document(str(number), record.pop("text"), record))
            return found

        jobs: dict[str, Callable[[], object]] = {
            "tag": lambda: tag_files(model, [text], (folder / "tagged").open("wb").write, threads=options.threads),
            "trends": lambda: count_senses(model, documents(), Dating(options.by), threads=options.threads),
            "describe": lambda: describe(
                model, documents(), folder, lambda d: "", threads=options.threads, overwrite=True
            ),
        }
        describe(model, documents(20), folder, lambda d: "")
        words = tag_files(model, [text], lambda data: None, threads=options.threads).words
        count_senses(model, documents(20), Dating(options.by))
        wall, processor = dict.fromkeys(jobs, 1e9), dict.fromkeys(jobs, 1e9)
        for _ in range(options.repeat):
            for job, work in jobs.items():
                started, used = time.perf_counter(), time.process_time()
                work()
                wall[job] = min(wall[job], time.perf_counter() - started)
                processor[job] = min(processor[job], time.process_time() - used)
        print("verb\twords\twall seconds\tprocessor seconds\tspeed of tag (processor)")
        for job in jobs:
            part = processor["tag"] / processor[job]
            print(f"{job}\t{words}\t{wall[job]:.2f}\t{processor[job]:.2f}\t{part:.2f}")
        if options.memory:
            report_memory(options.model, options.corpus, options.by, options.source, folder)


def report_memory(model: Path, corpus: Path, by: str, source: str, folder: Path) -> None:
    """Peak memory and processor seconds of `adagram trends` on one document in four, and on all."""
    quarter = folder / "quarter.jsonl"
    with open(corpus, encoding="utf-8") as file, open(quarter, "w", encoding="utf-8") as kept:
        kept.writelines(islice(file, 0, None, 4))
    print("trends on\tMB of text\tpeak MB\tprocessor seconds", flush=True)
    for name, text in (("a quarter", quarter), ("all", corpus)):
        command = [sys.executable, "-m", "adagram", "trends", model, text, "--by", by, "--source", source]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"adagram trends failed on {text}")
        size = text.stat().st_size / 1e6
        print(f"{name}\t{size:.0f}\t{used.ru_maxrss / 1024:.0f}\t{used.ru_utime + used.ru_stime:.1f}", flush=True)


if __name__ == "__main__":
    main()
