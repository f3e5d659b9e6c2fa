"""Systems on the same text: speed, memory, held-out likelihood, word sense induction, word similarity, neighbours.

    python benchmarks/systems.py DATA --work FOLDER --output benchmarks/results/systems.md

DATA has corpus/wiki.txt.zst and heldout.txt.zst, wwsi/train.tsv, semeval2010/contexts.tsv and similarity/*.txt. All is
run with the command line, one thread, one after the other, and kept in FOLDER: a second call only does what is missing.
Gensim's Skip-gram runs on the same token ids with the same window, rate, epochs and vocabulary, with two seeds each.
MSSG and NP-MSSG have options of their own and train without stop words: see wsi.py.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

import adagram
from systems_report import write_report

HELD_OUT = 1_000_000  # words
COMMON = ["--dim", "100", "--window", "5", "--epochs", "1", "--lr", "0.025", "--threads", "1"]
RUNS: dict[str, list[str]] = {
    "adagram": ["--algorithm", "adagram"],
    "adagram, alpha 0.2": ["--algorithm", "adagram", "--alpha", "0.2"],
    "adagram, alpha 0.5": ["--algorithm", "adagram", "--alpha", "0.5"],
    "skipgram": ["--algorithm", "skipgram"],
    "skipgram-ns": ["--algorithm", "skipgram-ns"],
    "mpsg": ["--algorithm", "mpsg"],
    "skipgram, seed 2": ["--algorithm", "skipgram", "--seed", "2"],
    "skipgram-ns, seed 2": ["--algorithm", "skipgram-ns", "--seed", "2"],
}
GENSIM = {f"gensim {mode}, seed {seed}": (mode, str(seed)) for mode in ("hs", "ns") for seed in (1, 2)}
SIMILARITY = {"WS-353": "EN-WS-353-ALL.txt", "SimLex-999": "EN-SIMLEX-999.txt", "MEN": "EN-MEN-TR-3k.txt"}
WORDS_TO_LOOK_AT = ("apple", "rock", "bank")
ADAGRAM = [sys.executable, "-m", "adagram"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--words", type=int, default=20_000_000)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    encoded, held_out = prepare(arguments.data, arguments.work, arguments.words)
    results = []
    for name, options in RUNS.items():
        folder = arguments.work / slug(name)
        train(folder, [*ADAGRAM, "train", str(encoded), "--output", str(folder), *COMMON, *options])
        results.append(measure(name, folder, arguments.data, held_out))
    for name, (mode, seed) in GENSIM.items():
        folder = arguments.work / slug(name)
        child = Path(__file__).with_name("systems_gensim.py")
        train(folder, [sys.executable, str(child), str(encoded), mode, seed, str(folder)])
        results.append(measure(name, folder, arguments.data, held_out))
    arguments.output.write_text(write_report(results), encoding="utf-8")


def prepare(data: Path, work: Path, n_words: int) -> tuple[Path, Path]:
    """The first words of the corpus, encoded, and of the held-out text; a small model compiles the kernels."""
    text, held_out, encoded = work / "corpus.txt", work / "heldout.txt", work / "corpus.encoded"
    if not encoded.exists():
        cut(data / "corpus" / "wiki.txt.zst", text, n_words)
        cut(data / "corpus" / "heldout.txt.zst", held_out, HELD_OUT)
        run([*ADAGRAM, "encode", str(text), "--output", str(encoded), "--threads", "1"])
    for options in RUNS.values():
        small = [*ADAGRAM, "train", str(held_out), "--output", str(work / "small"), "--max-words", "500"]
        run([*small, *COMMON, *options])
    shutil.rmtree(work / "small")
    return encoded, held_out


def cut(source: Path, target: Path, n_words: int) -> None:
    """Whole lines with n_words words between spaces."""
    with open(source, "rb") as packed, open(target, "w", encoding="utf-8") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            file.write(line)
            n_words -= len(line.split())
            if n_words <= 0:
                return


def train(folder: Path, command: list[str]) -> None:
    """Run a training command unless its model is there; keep what it cost beside the model."""
    cost = folder.with_suffix(".cost.json")
    if cost.exists():
        return
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    spent = {"cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024}
    cost.write_text(json.dumps(spent))


def measure(name: str, folder: Path, data: Path, held_out: Path) -> dict[str, Any]:
    kept = folder.with_suffix(".result.json")
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text())
        return found
    result: dict[str, Any] = {"name": name, **json.loads(folder.with_suffix(".cost.json").read_text())}
    info = json.loads((folder / "config.json").read_text())
    result["training"] = info["training"]
    result["model_mb"] = (folder / "model.safetensors").stat().st_size / 1e6
    for set_name, file in SIMILARITY.items():
        command = ["evaluate", "similarity", str(folder), str(data / "similarity" / file), "--per-pair", "--json"]
        pairs = json_lines(run([*ADAGRAM, *command]))
        result[set_name] = [[pair["rating"], pair["globalSim"]] for pair in pairs]
    if not name.startswith("gensim"):
        result |= measure_senses(folder, data, held_out)
    kept.write_text(json.dumps(result))
    return result


def measure_senses(folder: Path, data: Path, held_out: Path) -> dict[str, Any]:
    """What only models of senses are asked."""
    result: dict[str, Any] = {}
    for set_name, file in (("WWSI", "wwsi/train.tsv"), ("SemEval-2010", "semeval2010/contexts.tsv")):
        scores = json_lines(run([*ADAGRAM, "evaluate", "wsi", str(folder), str(data / file), "--json"]))
        result[set_name] = {s["metric"]: s for s in scores if s["subset"] == "all"}
    likelihood = subprocess.run(
        [*ADAGRAM, "likelihood", str(folder), str(held_out), "--json"], capture_output=True, check=False
    )
    result["likelihood"] = json_lines(likelihood.stdout)[0]["value"] if likelihood.returncode == 0 else None
    result["senses"] = {
        word: json_lines(run([*ADAGRAM, "senses", str(folder), word, "--top", "6", "--json"]))
        for word in WORDS_TO_LOOK_AT
    }
    result["words_by_senses"] = np.bincount(np.diff(adagram.load(folder).offsets)).tolist()
    return result


def run(command: list[str]) -> bytes:
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def json_lines(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def slug(name: str) -> str:
    return name.replace(", ", "-").replace(" ", "-").replace(".", "")


if __name__ == "__main__":
    main()
