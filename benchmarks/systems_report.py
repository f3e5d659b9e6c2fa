"""The tables of systems.py, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from common import machine

Result = dict[str, Any]
SETS = ("WS-353", "SimLex-999", "MEN")
COMMAND = "python benchmarks/systems.py DATA --work FOLDER --output benchmarks/results/systems.md"
PAIRED = [("skipgram", "gensim hs"), ("skipgram-ns", "gensim ns")]


def write_report(results: list[Result]) -> str:
    by_name = {result["name"]: result for result in results}
    ours = [r for r in results if not r["name"].startswith("gensim") and "seed" not in r["name"]]
    lines = [
        "# Systems on the same 20 M words",
        "",
        f"Made by `{COMMAND}`, {machine()}: English Wikipedia, words that occur 20 times or more, 100 dimensions, "
        "window 5, one epoch, rate 0.025, one thread, other parameters as they are by default. "
        "Speed is in words per second of processor time, which other work on the machine disturbs least. "
        "MSSG and NP-MSSG, which have options of their own and train without stop words, are measured by "
        "`benchmarks/wsi.py`.",
        "",
        *table(["system", "words/s", "peak MB", "model MB", "senses/word", "several"], costs(results)),
        "",
        "*several*: words with more than one learned sense. Processor time is of the whole process, files included; "
        "of gensim that of `train` alone.",
        "",
        "## Held-out likelihood and word sense induction",
        "",
        *table(
            ["system", "log p per context word", "ARI WWSI train", "clusters", "ARI SemEval-2010", "clusters"],
            induction(ours),
        ),
        "",
        "In brackets 95 % intervals over words. Systems with negative sampling do not normalise over words and so have "
        "no likelihood; a word with a single sense has ARI 0.",
        "",
        "## Word similarity, beside gensim's",
        "",
        "Spearman's correlation × 100 of cosines with human ratings. *Difference*: ours less gensim's, mean over two "
        "seeds each, with a 95 % interval by resampling pairs.",
        "",
        *table(["system", *SETS], similarities(results)),
        "",
        *table(["difference", *SETS], differences(by_name)),
        "",
        "## Neighbours",
        "",
        *neighbours(ours),
    ]
    return "\n".join(lines) + "\n"


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def costs(results: list[Result]) -> Iterator[list[str]]:
    for r in results:
        cpu = r["training"].get("cpu_seconds", r["cpu_seconds"])
        row = [r["name"], f"{r['training']['words'] / cpu:,.0f}", f"{r['peak_mb']:,.0f}"]
        sizes = np.array(r.get("words_by_senses", [0, 1]))
        per_word = sizes @ np.arange(len(sizes)) / sizes.sum()
        yield [*row, f"{r['model_mb']:,.0f}", f"{per_word:.3f}", f"{sizes[2:].sum():,}"]


def induction(results: list[Result]) -> Iterator[list[str]]:
    for r in results:
        row = [r["name"], f"{r['likelihood']:.4f}" if r["likelihood"] else "none"]
        for name in ("WWSI", "SemEval-2010"):
            ari, clusters = r[name]["ARI"], r[name]["clusters-per-word"]
            low_high = f" [{ari['low']:.3f}, {ari['high']:.3f}]"
            row += [f"{ari['value']:.3f}{low_high}", f"{clusters['value']:.2f}"]
        yield row


def similarities(results: list[Result]) -> Iterator[list[str]]:
    for r in results:
        yield [r["name"], *(f"{rho(np.array(r[name])):.1f}" for name in SETS)]


def differences(by_name: dict[str, Result]) -> Iterator[list[str]]:
    draw = np.random.default_rng(0)
    for ours, theirs in PAIRED:
        row = [f"{ours} - {theirs}"]
        for name in SETS:
            own = [np.array(by_name[key][name]) for key in (ours, f"{ours}, seed 2")]
            other = [np.array(by_name[f"{theirs}, seed {seed}"][name]) for seed in (1, 2)]
            samples = [np.arange(len(own[0])), *draw.integers(len(own[0]), size=(1000, len(own[0])))]
            gaps = [sum(rho(o[s]) for o in own) / 2 - sum(rho(o[s]) for o in other) / 2 for s in samples]
            low, high = np.quantile(gaps[1:], [0.025, 0.975])
            row.append(f"{gaps[0]:+.1f} [{low:+.1f}, {high:+.1f}]")
        yield row


def rho(pairs: np.ndarray) -> float:
    """Of rows (rating, cosine)."""
    return float(100 * spearmanr(pairs[:, 0], pairs[:, 1])[0])


def neighbours(results: list[Result]) -> Iterator[str]:
    """Of senses with a prior of at least 0.03."""
    for word in results[0]["senses"]:
        yield f"### {word}"
        yield ""
        rows = []
        for r in results:
            for sense in r["senses"][word]:
                if sense["prior"] >= 0.03:
                    names = " ".join(n["sense"] for n in sense["neighbours"])
                    rows.append([r["name"], sense["sense"], f"{sense['prior']:.2f}", names])
        yield "| system | sense | prior | neighbours |"
        yield "|---|---|---:|---|"
        yield from (f"| {' | '.join(row)} |" for row in rows)
        yield ""
