"""How long `adagram train` takes until the first words are trained: with nothing compiled yet, and at the next start.

Seconds of wall time from the start of the process until the first span of text is trained, and to its end. The
compiler's cache is an empty folder. Other programs slow this down: give it a quiet machine. The environment counts too:
where scipy is installed numba loads it at its start (.15 s); `pip install adagram` alone does not bring it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import data_folder, first_words, median, write_result

N_WORDS, REPEATS = 20_000, 3
# Run in the new process: it notes when `train` of the system has returned for the first time.
WATCHED = """
import sys, time
from importlib.machinery import PathFinder

class Watch:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "adagram.systems." + system:
            return None
        spec = PathFinder.find_spec(name, path)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            for kind in vars(module).values():
                if isinstance(kind, type) and kind.__module__ == name and "train" in vars(kind):
                    kind.train = noting(kind.train)
        spec.loader.exec_module = exec_module
        return spec

def noting(train):
    def noted(*arguments):
        reached = train(*arguments)
        if not seen:
            seen.append(time.time() - start)
        return reached
    return noted

start, system, seen = float(sys.argv[1]), sys.argv[2], []
sys.meta_path.insert(0, Watch)
from adagram.cli import main
try:
    main(sys.argv[3:])
finally:
    print(seen[0], time.time() - start)
"""


def seconds_of(arguments: list[str], system: str, cache: Path) -> tuple[float, float]:
    """Until words are trained, and until all is done."""
    command = [sys.executable, "-c", WATCHED, str(time.time()), system, *arguments]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    trained, done = map(float, told.split()[-2:])
    return trained, done


def main() -> None:
    lines = ["                    first start          next start"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text.txt"
        text.write_text("".join(first_words(data_folder() / "corpus" / "wiki.txt.zst", N_WORDS)), encoding="utf-8")
        for algorithm in sys.argv[1:] or ["adagram", "skipgram"]:
            arguments = ["train", str(text), "--output", str(folder / "model"), "--overwrite", "--dim", "100"]
            arguments += ["--min-count", "2", "--threads", "1", "--algorithm", algorithm]
            system, times = algorithm.replace("-", "_"), []
            for repeat in range(REPEATS):
                cache = folder / f"{algorithm}{repeat}"
                times.append([seconds_of(arguments, system, cache) for _ in range(2)])
            shown = (
                f"{median([runs[i][0] for runs in times]):6.1f} ({median([runs[i][1] for runs in times]):.1f})"
                for i in range(2)
            )
            lines.append(f"  {algorithm:12s}" + "".join(f"{each:>20s}" for each in shown))
    busy = f"load of the machine while this ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    title = f"{N_WORDS} words, dim 100, one thread; until words are trained (until all is done); median of {REPEATS}"
    write_result("start_time", "\n".join([f"{title}; {busy}", *lines]))


if __name__ == "__main__":
    main()
