"""Training on Ray with 1, 2, 4, 8 and 16 workers beside one thread: speed, memory, bytes, senses, likelihood.

    python benchmarks/cluster.py ENCODED HELDOUT --work FOLDER --workers 1 2 4 --output benchmarks/results/cluster.tsv

ENCODED is made by `adagram encode`, HELDOUT a text file. Models are kept in FOLDER, and a second call makes those that
are missing. On a machine with fewer cores than workers their speed says nothing; senses and likelihood do.
`benchmarks/cluster_emulation.py` measures the same without Ray.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

ADAGRAM = [sys.executable, "-m", "adagram"]
COLUMNS = (
    *(
        "run",
        "k words/s",
        "senses",
        "live senses a token",
        "held-out",
        "MB sent per M words",
        "MB of a worker",
    ),
    "commit",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("heldout", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--epochs", default="0")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    runs = {"one-thread": ["--threads", "1", "--lanes", "1"]}
    runs |= {f"{n}-workers": ["--ray", "--workers", str(n)] for n in options.workers}
    lines = ["\t".join(COLUMNS)]
    for name, how in runs.items():
        folder = options.work / name
        if not folder.exists():
            common = ["--epochs", options.epochs, "--no-merge-senses", "--checkpoint-minutes", "0"]
            run(["train", str(options.encoded), "--output", str(folder), *common, *how])
        lines.append("\t".join([name, *figures(folder, options.heldout), commit()]))
        print(lines[-1], flush=True)
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def figures(folder: Path, heldout: Path) -> list[str]:
    training = json.loads((folder / "config.json").read_text())["training"]
    likelihood = json.loads(run(["likelihood", str(folder), str(heldout), "--json"]).splitlines()[0])["value"]
    lines = map(json.loads, run(["info", str(folder), "--json"]).splitlines())
    described = {line["property"]: line["value"] for line in lines}
    return [
        f"{training['words_per_second'] / 1000:.0f}",
        str(described["senses"] - described["words"]),
        f"{training['live_senses']:.2f}",
        f"{likelihood:.4f}",
        f"{training.get('sent_mb_per_million_words', 0):.0f}",
        f"{training.get('worker_peak_mb', 0):.0f}",
    ]


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def run(command: list[str]) -> str:
    done = subprocess.run([*ADAGRAM, *command], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"adagram {' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
