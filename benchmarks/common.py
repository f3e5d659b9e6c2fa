"""What the benchmarks share: the corpus, timing with sides interleaved, and results with machine and date."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from adagram.corpus.decode import open_bytes
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions

RESULTS = Path(__file__).parent / "results"


def data_folder() -> Path:
    """The folder with corpus/wiki.txt.zst and corpus/heldout.txt.zst, named by ADAGRAM_DATA."""
    folder = os.environ.get("ADAGRAM_DATA")
    if not folder:
        sys.exit("set ADAGRAM_DATA to the folder that has corpus/wiki.txt.zst and corpus/heldout.txt.zst")
    return Path(folder)


def first_words(path: Path, n_words: int) -> list[str]:
    """The first lines that have n_words words between them."""
    lines, seen = [], 0
    with open_bytes(path) as stream:
        for raw in stream:
            line = raw.decode("utf-8", errors="replace")
            lines.append(line)
            seen += len(line.split())
            if seen >= n_words:
                break
    return lines


def encoded_prefix(n_words: int, min_count: int = 5) -> EncodedCorpus:
    """The first n_words words of the Wikipedia corpus, encoded with the default tokenizer."""
    folder = Path(tempfile.gettempdir()) / f"adagram-bench-{n_words}-{min_count}"
    if not folder.exists():
        text = folder.with_suffix(".txt")
        text.write_text("".join(first_words(data_folder() / "corpus/wiki.txt.zst", n_words)), encoding="utf-8")
        encode(text, folder, EncodeOptions(min_count=min_count, threads=os.cpu_count() or 1))
        text.unlink()
    return EncodedCorpus.open(folder)


def held_out_ids(corpus: EncodedCorpus, n_words: int) -> np.ndarray:
    from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer

    tokenize = make_tokenizer(TokenizerConfig.from_dict(corpus.meta["tokenizer"]))
    lines = first_words(data_folder() / "corpus/heldout.txt.zst", n_words)
    return np.concatenate([corpus.vocabulary.ids(tokenize(line)) for line in lines])


def interleaved(sides: dict[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Run every side once per round, round after round; each returns its figure."""
    figures: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, run in sides.items():
            figures[name].append(run())
            print(f"  {name}: {figures[name][-1]:.4g}", file=sys.stderr, flush=True)
    return figures


def median(values: list[float]) -> float:
    return statistics.median(values)


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    names = [name for name in ("adagram", "numba", "numpy", "gensim") if find_spec(name)]
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    day = datetime.date.today().isoformat()
    return f"{day}, {cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}, commit {commit}"


def write_result(name: str, text: str) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.txt").write_text(f"{machine()}\n\n{text}\n", encoding="utf-8")
    print(text)
