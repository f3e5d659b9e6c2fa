"""Training on Ray with 1, 2 and 4 workers beside one thread: speed, memory, bytes, likelihood, word sense induction.

    python benchmarks/cluster.py ENCODED HELDOUT CONTEXTS.tsv --work FOLDER --output benchmarks/results/cluster.md

ENCODED is made by `adagram encode`, HELDOUT a text file. All is kept in FOLDER: a second call does what is missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

RUNS = {"one thread": ["--threads", "1"]} | {
    f"{n} worker{'s' if n > 1 else ''}": ["--ray", "local", "--workers", str(n)] for n in (1, 2, 4)
}
COMMON = ["--dim", "100", "--checkpoint-minutes", "0"]
ADAGRAM = [sys.executable, "-m", "adagram"]
COLUMNS = ["run", "k words/s", "times 1 worker", "senses/token"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("heldout", type=Path)
    parser.add_argument("contexts", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, options in RUNS.items():
        folder = arguments.work / name.replace(" ", "-")
        if not folder.exists():
            run(["train", str(arguments.encoded), "--output", str(folder), *COMMON, *options])
        results[name] = cost(folder) | quality(folder, arguments.heldout, arguments.contexts)
    arguments.output.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
    arguments.output.write_text(report(results), encoding="utf-8")


def cost(folder: Path) -> dict[str, Any]:
    """From the training log; the time before the first report, when kernels are loaded, is left out."""
    entries = [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]
    first, last = entries[0], entries[-1]
    speed = (last["words"] - first["words"]) / (last["seconds"] - first["seconds"])
    live = sum(entry["live_senses"] for entry in entries) / len(entries)
    return {"speed": speed, "live": live, "words": last["words"]}


def quality(folder: Path, heldout: Path, contexts: Path) -> dict[str, Any]:
    kept = folder.with_suffix(".quality.json")
    if not kept.exists():
        likelihood = json.loads(run(["likelihood", str(folder), str(heldout), "--json"]).splitlines()[0])["value"]
        scores = map(json.loads, run(["evaluate", "wsi", str(folder), str(contexts), "--json"]).splitlines())
        ari = next(s for s in scores if s["metric"] == "ARI" and s["subset"] == "all")
        kept.write_text(json.dumps({"likelihood": likelihood, "ari": ari}))
    found: dict[str, Any] = json.loads(kept.read_text())
    return found


def report(results: dict[str, Any]) -> str:
    base = results["1 worker"]
    lines = [
        "# Training on Ray",
        "",
        f"AdaGram, dim 100, other parameters as they are by default, on {base['words'] / 1e6:.1f} M words; a machine "
        "with two cores, on which the 4 workers share the cores. Made by `python benchmarks/cluster.py`.",
        "",
        f"| {' | '.join(COLUMNS)} | log-likelihood | difference | ARI SemEval-2010 |",
        "|---|" + "---:|" * (len(COLUMNS) + 2),
    ]
    for name, r in results.items():
        ari = r["ari"]
        cells = [
            name,
            f"{r['speed'] / 1000:.0f}",
            f"{r['speed'] / base['speed']:.2f}",
            f"{r['live']:.2f}",
            f"{r['likelihood']:.4f}",
            f"{r['likelihood'] - results['one thread']['likelihood']:+.4f}",
            f"{ari['value']:.3f} ({ari['low']:.3f} to {ari['high']:.3f})",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def run(command: list[str]) -> str:
    done = subprocess.run([*ADAGRAM, *command], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"adagram {' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
