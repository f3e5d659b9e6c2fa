"""Plants faults, one at a time, in a copy of the package, and says whether the tests of the kernels catch each.

    python tests/mutations.py [WORDS]      # only the faults whose name has these words

A fault is a text that occurs exactly once in a file, and what it is replaced by. Exit code 1 if one survives. Kernels
are compiled anew for each fault, so all of them take some minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
TESTS = ["tests/kernels/test_births.py", "tests/kernels/test_adagram_kernel.py"]


class Fault(NamedTuple):
    name: str
    file: str  # below src/adagram
    right: str
    wrong: str


KERNEL = "kernels/adagram.py"
FAULTS = [
    Fault(
        "an unborn stick without its E[log beta]",
        KERNEL,
        "posterior[k] = log_rest + digamma(1.0 + own) - whole - log_p",
        "posterior[k] = log_rest - log_p",
    ),
    Fault(
        "only the next stick is scored",
        KERNEL,
        "        if left < TAIL:\n            return k + 1\n",
        "        return k + 1\n",
    ),
    Fault("births when half the posterior asks for one", KERNEL, "BIRTH = 1e-3", "BIRTH = 0.5"),
    Fault("births at nearly nothing", KERNEL, "BIRTH = 1e-3", "BIRTH = 1e-9"),
    Fault("one birth at most", KERNEL, "    while unborn > BIRTH and live < most:", "    if unborn > BIRTH:"),
    Fault(
        "the unborn are never counted",
        KERNEL,
        "(1.0 - step) * senses.pending[w] + gain * unborn",
        "(1.0 - step) * senses.pending[w]",
    ),
    Fault(
        "the count of the unborn does not fade",
        KERNEL,
        "(1.0 - step) * senses.pending[w] + gain * unborn",
        "senses.pending[w] + gain * unborn",
    ),
    Fault(
        "a newborn without a count",
        KERNEL,
        "senses.counts[row] = senses.pending[w] * work.shares[k]",
        "senses.counts[row] = 0.0",
    ),
    Fault(
        "a newborn takes the count of all unborn sticks",
        KERNEL,
        "senses.counts[row] = senses.pending[w] * work.shares[k]",
        "senses.counts[row] = senses.pending[w]",
    ),
    Fault(
        "the unborn keep what the newborn took",
        KERNEL,
        "    senses.pending[w] = max(0.0, senses.pending[w] - senses.counts[row])\n",
        "",
    ),
    Fault(
        "a newborn's gradient reversed",
        KERNEL,
        "= nodes.lefts[b, u] - np.float32(0.5) * nodes.visits[b, u]",
        "= np.float32(0.5) * nodes.visits[b, u] - nodes.lefts[b, u]",
    ),
    Fault(
        "a newborn is linked to the first sense",
        KERNEL,
        "senses.next_row[work.sense_rows[k - 1]] = row",
        "senses.next_row[work.sense_rows[0]] = row",
    ),
    Fault(
        "newborn vectors off centre",
        KERNEL,
        "(uniform(key, stream * NUMBERS_OF_STREAM + d) - 0.5) / dim",
        "uniform(key, stream * NUMBERS_OF_STREAM + d) / dim",
    ),
    Fault(
        "newborn vectors of all sticks alike",
        KERNEL,
        "np.int64(token) * STREAMS_OF_WORD + k",
        "np.int64(token) * STREAMS_OF_WORD",
    ),
    Fault(
        "initial vectors off centre",
        "systems/initial.py",
        "block -= 0.5",
        "block -= 0.0",
    ),
    Fault(
        "counts without (1 - rate)",
        KERNEL,
        "(1.0 - step) * senses.counts[row] + gain",
        "senses.counts[row] + gain",
    ),
    Fault(
        "the last stick breaks too",
        KERNEL,
        "        if k == max_senses - 1:\n",
        "        if k == max_senses:\n",
    ),
    Fault(
        "a slope with the wrong sign",
        "kernels/numerics.py",
        "slopes[k, a] = lefts[a] - visits[a] * sigma",
        "slopes[k, a] = visits[a] * sigma - lefts[a]",
    ),
    Fault(
        "sticks in the wrong order of counts",
        KERNEL,
        "others = digamma(alpha + after[k + 1])",
        "others = digamma(alpha + after[k])",
    ),
    Fault(
        "a token that waits for room is scored, and lost",
        KERNEL,
        "                return j\n",
        "                continue\n",
    ),
    Fault(
        "a block waits for no room",
        KERNEL,
        "            return centres[0]\n",
        "            pass\n",
    ),
    Fault(
        "a sense moves by its slope alone, not by its posterior",
        KERNEL,
        "row, weight = work.sense_rows[k], work.sense_rates[k] * np.float32(work.posterior[k])",
        "row, weight = work.sense_rows[k], work.sense_rates[k]",
    ),
]


def main() -> int:
    wanted = " ".join(sys.argv[1:])
    with tempfile.TemporaryDirectory() as temporary:
        package = Path(temporary) / "adagram"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOME / "src" / "adagram", package, ignore=ignore)
        if not passes(package):
            print("the tests fail without a fault: nothing can be told", file=sys.stderr)
            return 2
        survived = [fault for fault in FAULTS if wanted in fault.name and not is_caught(fault, package)]
    return 1 if survived else 0


def is_caught(fault: Fault, package: Path) -> bool:
    file = package / fault.file
    right = file.read_text()
    if right.count(fault.right) != 1:
        raise SystemExit(
            f"{fault.name}: {fault.file} has its text {right.count(fault.right)} times, not once"
        )
    file.write_text(right.replace(fault.right, fault.wrong))
    try:
        caught = not passes(package)
    finally:
        file.write_text(right)
    print(f"{'caught  ' if caught else 'survived'}  {fault.name}", flush=True)
    return caught


def passes(package: Path) -> bool:
    """Whether the tests pass with this copy. A kernel knows of changes in its own file only, so none is kept."""
    for compiled in package.rglob("__pycache__"):
        shutil.rmtree(compiled)
    environment = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *TESTS]
    result = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, check=False)
    if result.returncode > 1:  # below zero a kernel ended the process: no test passes then
        raise SystemExit(f"pytest ended with {result.returncode}:\n{result.stdout.decode()[-2000:]}")
    return result.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
