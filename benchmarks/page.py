"""Refresh the part of docs/benchmarks.md on speed and memory from the files in benchmarks/results; run by `make bench`.

Each file begins with a line of date, machine, versions and commit, which the block names beside its figures.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
BEGIN, END = "<!-- speed: written by benchmarks/page.py -->\n", "<!-- end of speed -->\n"
ONE_THREAD, TWO_THREADS = "adagram, up to 30 senses, 1 thread", "adagram, up to 30 senses, 2 threads"
UNBROKEN = "\N{NO-BREAK SPACE}"  # while lines are filled
# what the page calls a row, and what the result file does
ROWS = {
    ONE_THREAD: "adagram 30 senses, 1",
    "gensim, 1 worker": "gensim, 1",
    TWO_THREADS: "adagram 30 senses, 2",
    "gensim, 2 workers": "gensim, 2",
    "skipgram (ours), 1 thread": "skipgram, 1",
}


def main() -> None:
    page = HERE.parent / "docs" / "benchmarks.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(with_block(text, speed_block(HERE / "results")), encoding="utf-8", newline="\n")


def with_block(text: str, block: str) -> str:
    """The text with what stands between the marks replaced."""
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"docs/benchmarks.md lacks the marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}{block}{END}{after}"


def speed_block(results: Path) -> str:
    """Speed of training, memory, latency and held-out likelihood, each with the commit it was measured on."""
    return "\n".join([_training(results), _memory(results), _latency(results), _likelihood(results)])


def _training(results: Path) -> str:
    text = (results / "training_speed.txt").read_text(encoding="utf-8")
    by_dim = dict(re.findall(r"^dim (\d+)\n((?:  .*\n)+)", text, flags=re.MULTILINE))
    words, repeats = int(_found(text, r"^(\d+) words")) / 1e6, _found(text, r"median of (\d+)")

    def all_dims(pattern: str) -> list[str]:
        return [_found(of_dim, pattern) for of_dim in by_dim.values()]

    what = _paragraph(
        f"Thousand words a second on the first {words:.1f} M words of an English Wikipedia sample, window 5, no",
        "subsampling, two AMD EPYC cores; gensim's Skip-gram with hierarchical softmax does the same work with a",
        f"single sense per word. Medians of {repeats} interleaved runs on a noisy machine",
        f"(`benchmarks/results/training_speed.txt`, {_when(text)}).",
    )
    table = [_row("", [f"dim {dim}" for dim in by_dim]), "|---|" + "---|" * len(by_dim)]
    table += [_row(label, all_dims(rf"^  {re.escape(name)} +(\d+)")) for label, name in ROWS.items()]
    one, two = (all_dims(rf"^  {ROWS[side]} .*log-likelihood (-[\d.]+)") for side in (ONE_THREAD, TWO_THREADS))
    faster, longer = (
        all_dims(r"adagram 30 senses, 2 / adagram 30 senses, 1 +([\d.]+)"),
        all_dims(r"adagram 5 senses, 1 / adagram one lane, 1 +([\d.]+)"),
    )
    beside = all_dims(r"adagram with reading, 1 / word2vec.c, 1 +([\d.]+)")
    ratios = _paragraph(
        f"The second thread makes it {' and '.join(faster)} times as fast;",
        f"the held-out log-likelihood is {' and '.join(one)} with one thread, {' and '.join(two)} with two.",
        f"Allowing 30 senses instead of 5 takes {' and '.join(longer)} times the time.",
        "With reading the text, which word2vec.c (-Ofast, one sense) cannot leave out, it is",
        f"{' and '.join(beside)} times as fast as that program, one thread each.",
    )
    return "\n".join([what, *table, "", ratios])


def _memory(results: Path) -> str:
    text = (results / "memory.txt").read_text(encoding="utf-8")
    words, dim = int(_found(text, r"^(\d+) words")), int(_found(text, r"dim (\d+)"))
    peak = int(_found(text, r"^  training +(\d+)")) / 1000
    finished = int(_found(text, r"^  with the finished model +(\d+)")) / 1000
    return _paragraph(
        f"Training {words:,} words at dim {dim} with up to 30 senses peaks at {peak:.1f} GB, and at {finished:.1f} GB",
        f"while the finished model is put together; a dense table alone would take {words * dim * 30 * 4 / 1e9:.1f} GB",
        f"(`benchmarks/results/memory.txt`, {_when(text)}).",
    )


def _latency(results: Path) -> str:
    text = (results / "latency.txt").read_text(encoding="utf-8")
    size, opening = _found(text, r"load, (\d+) MB"), float(_found(text, r"load, .* ([\d.]+)$"))
    senses, dim = int(_found(text, r"neighbours among (\d+)")), _found(text, r"senses of dim (\d+)")
    exact = 1000 * float(_found(text, r"neighbours among .* ([\d.]+)$"))
    contexts = int(_found(text, r"(\d+) contexts/s"))
    return _paragraph(
        f"A model of {size} MB opens in {opening:.2f} s; exact neighbours among {senses:,} senses of dim {dim} take",
        f"{exact:.0f} ms; `disambiguate -` does {contexts:,} contexts a second",
        f"(`benchmarks/results/latency.txt`, {_when(text)}).",
    )


def _likelihood(results: Path) -> str:
    text = (results / "likelihood.txt").read_text(encoding="utf-8")
    words = int(_found(text, r"^(\d+) training words")) / 1e6
    n_seeds = len(_found(text, r"of seeds ([\d ]+);").split())
    row = r"(?: +-?[\d.]+)" * n_seeds
    one, two = (_found(text, rf"^  gain, {threads}{row} +(-?[\d.]+)") for threads in ("1 thread", "2 threads"))
    skipgram = _found(text, rf"^  skipgram, 1 thread{row} +(-[\d.]+)")
    return _paragraph(
        f"After {words:.1f} M words AdaGram predicts held-out text better than Skip-gram ({skipgram} nats per context",
        f"word) by {one} with one thread and {two} with two, means of {n_seeds} seeds",
        f"(`benchmarks/results/likelihood.txt`, {_when(text)}).",
    )


def _paragraph(*parts: str) -> str:
    filled = textwrap.fill(" ".join(parts), 120, break_long_words=False, break_on_hyphens=False)
    return filled.replace(UNBROKEN, " ") + "\n"


def _row(label: str, cells: list[str]) -> str:
    return f"| {label} | " + " | ".join(cells) + " |"


def _when(text: str) -> str:
    """Date and commit of a result file."""
    return f"{_found(text, r'^([0-9-]+),')}, commit{UNBROKEN}{_found(text, r'commit ([0-9a-f]+)')}"


def _found(text: str, pattern: str) -> str:
    found = re.search(pattern, text, flags=re.MULTILINE)
    if found is None:
        raise SystemExit(f"a result file has nothing like {pattern!r}; run its benchmark again")
    return found[1]


if __name__ == "__main__":
    main()
