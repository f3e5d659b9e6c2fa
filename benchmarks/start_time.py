"""How long `adagram train` takes until words are trained: with nothing compiled yet, and at the next start.

The text is so short that training itself is a small part. Seconds of wall time, and in brackets of processor time.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from adagram.config import ALGORITHMS
from common import data_folder, first_words, write_result

N_WORDS = 20_000


def seconds_of(command: list[str], cache: Path) -> str:
    before, start = _processor_seconds(), time.perf_counter()
    subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    )
    return f"{time.perf_counter() - start:6.1f} ({_processor_seconds() - before:.1f})"


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    lines = ["                first start     second start"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text.txt"
        text.write_text(
            "".join(first_words(data_folder() / "corpus" / "wiki.txt.zst", N_WORDS)), encoding="utf-8"
        )
        for algorithm in sys.argv[1:] or ALGORITHMS:
            command = [sys.executable, "-m", "adagram", "train", str(text), "--output", str(folder / "model")]
            command += ["--overwrite", "--dim", "100", "--min-count", "2", "--threads", "1"]
            command += ["--algorithm", algorithm]
            first, second = (seconds_of(command, folder / algorithm) for _ in range(2))
            lines.append(f"  {algorithm:12s}{first:>16s}{second:>16s}")
    busy = f"load of the machine while this ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    write_result("start_time", "\n".join([f"{N_WORDS} words, dim 100, one thread; {busy}", *lines]))


if __name__ == "__main__":
    main()
