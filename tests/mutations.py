"""Plant faults, one at a time, in a copy of the package, and say whether the tests named beside each catch it.

    python tests/mutations.py [WORDS]      # only the faults whose name has these words

A fault is a text that occurs exactly once in a file, and what it is replaced by. Exit code 1 if one survives. Kernels
are compiled anew for each fault in them, so all of them take some minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
OF_KERNELS = ("kernels/test_births.py", "kernels/test_adagram_kernel.py")


class Fault(NamedTuple):
    name: str
    file: str  # below src/adagram
    right: str
    wrong: str
    tests: tuple[str, ...] = OF_KERNELS  # below tests; those that are to catch it


KERNEL = "kernels/adagram.py"
TRENDS, SIMILARITY = "analysis/trends.py", "evaluation/similarity.py"
CONTINUED, MERGING = ("kernels/test_continued_words.py",), ("maths/test_alike_senses.py",)
OF_TRENDS = ("analysis/test_trends.py",)
METRICS, PROTOCOL = ("evaluation/test_small_metrics.py",), ("evaluation/test_protocol.py",)
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
    Fault(
        "a context word too many is tallied",
        KERNEL,
        "span.right[j] - span.left[j] - 1",
        "span.right[j] - span.left[j]",
        ("systems/test_adagram_system.py",),
    ),
    Fault(
        "known words are moved by windows that hardly fit",
        KERNEL,
        "DOUBTFUL if is_known else NEGLIGIBLE",
        "NEGLIGIBLE",
        CONTINUED,
    ),
    Fault("the 5 % rule asks for a half", KERNEL, "DOUBTFUL = 0.05", "DOUBTFUL = 0.5", CONTINUED),
    Fault(
        "new senses of known words have the rate of the word",
        KERNEL,
        "        if rate < base_rate and k >= n_learned[w]:\n",
        "        if False:\n",
        CONTINUED,
    ),
    Fault(
        "learned senses have the rate of their own uses too",
        KERNEL,
        "rate < base_rate and k >= n_learned[w]",
        "rate < top",
        CONTINUED,
    ),
    Fault(
        "united senses lose the pairs in which they come first",
        "maths/merging.py",
        "        pairs[first] += pairs[second]\n",
        "",
        MERGING,
    ),
    Fault(
        "united senses lose the pairs in which they come second",
        "maths/merging.py",
        "        pairs[:, first] += pairs[:, second]\n",
        "",
        MERGING,
    ),
    Fault("groups without counts", "maths/merging.py", "vectors * counts[:, None]", "vectors", MERGING),
    Fault("groups without a threshold", "maths/merging.py", "< least:", "< 0.0:", MERGING),
    Fault(
        "a lower threshold of likeness",
        "training/moves.py",
        "LEAST_ALIKE = 0.3 ",
        "LEAST_ALIKE = 0.2 ",
        ("training/test_moves.py",),
    ),
    Fault(
        "Cohen's kappa for Scott's pi",
        "maths/agreement.py",
        "float((both.sum(axis=1) ** 2).sum())",
        "float((pairs.sum(axis=0) * pairs.sum(axis=1)).sum() / total**2)",
        ("maths/test_agreement.py",),
    ),
    Fault("q is p", TRENDS, "q = benjamini_hochberg(p)", "q = p", OF_TRENDS),
    Fault(
        "--min-sources is ignored",
        TRENDS,
        "(frequencies.sources.counts > 0.5).sum(axis=0) >= options.min_sources",
        "True",
        OF_TRENDS,
    ),
    Fault(
        "falling senses rank last",
        TRENDS,
        "-np.abs(np.nan_to_num(slope))",
        "-np.nan_to_num(slope)",
        OF_TRENDS,
    ),
    Fault("significance does not rank", TRENDS, "~(q <= SIGNIFICANT)", "q < 0", OF_TRENDS),
    Fault("a source score without the rate", TRENDS, " - rate * (nt - middle * n)", "", OF_TRENDS),
    Fault("a source score around time zero", TRENDS, "(ft - middle * f)", "ft", OF_TRENDS),
    Fault(
        "AvgSimC without the second posterior",
        SIMILARITY,
        "float(p @ cosines @ q)",
        "float((p @ cosines).mean())",
        PROTOCOL,
    ),
    Fault(
        "AvgSimC without the first posterior",
        SIMILARITY,
        "float(p @ cosines @ q)",
        "float((cosines @ q).mean())",
        PROTOCOL,
    ),
    Fault(
        "tied words have the best rank of their group",
        "evaluation/change.py",
        "[is_changed[found >= value].mean() for value in found[is_changed > 0]]",
        "[is_changed[np.append(np.flatnonzero(found > v), np.flatnonzero(is_changed * (found == v)))].mean()"
        " for v in found[is_changed > 0]]",
        METRICS,
    ),
    Fault(
        "S-precision without its tolerance",
        "evaluation/search.py",
        "recall * n_subtopics - 1e-9",
        "recall * n_subtopics",
        METRICS,
    ),
    Fault(
        "S-precision with a tolerance of a subtopic",
        "evaluation/search.py",
        "recall * n_subtopics - 1e-9",
        "recall * n_subtopics - 0.9",
        METRICS,
    ),
    Fault(
        "the rate of counts does not know of passes",
        "maths/schedule.py",
        "np.maximum(passes * new, 1.0)",
        "np.maximum(new, 1.0)",
        ("maths/test_schedule.py",),
    ),
    Fault("1/n for 40/n", "maths/schedule.py", "WEIGHT = 40.0", "WEIGHT = 1.0", ("maths/test_schedule.py",)),
    Fault(
        "minutes of checkpoints as seconds",
        "training/checkpoint.py",
        ">= 60 * self._minutes",
        ">= self._minutes",
        ("training/test_resume.py",),
    ),
    Fault(
        "a hyphen is no range",
        "analysis/change.py",
        r"(?:\.\.|[-–—])",
        r"\.\.",
        OF_TRENDS,
    ),
]


def main() -> int:
    wanted = " ".join(sys.argv[1:])
    faults = [fault for fault in FAULTS if wanted in fault.name]
    with tempfile.TemporaryDirectory() as temporary:
        package = Path(temporary) / "adagram"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOME / "src" / "adagram", package, ignore=ignore)
        if not passes(package, sorted({name for fault in faults for name in fault.tests})):
            print("the tests fail without a fault: nothing can be told", file=sys.stderr)
            return 2
        survived = [fault for fault in faults if not is_caught(fault, package)]
    return 1 if survived else 0


def is_caught(fault: Fault, package: Path) -> bool:
    file = package / fault.file
    right = file.read_text(encoding="utf-8")
    if right.count(fault.right) != 1:
        raise SystemExit(
            f"{fault.name}: {fault.file} has its text {right.count(fault.right)} times, not once"
        )
    file.write_text(right.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        caught = not passes(package, fault.tests)
    finally:
        file.write_text(right, encoding="utf-8")
    print(f"{'caught  ' if caught else 'survived'}  {fault.name}", flush=True)
    return caught


def passes(package: Path, tests: Sequence[str]) -> bool:
    """Whether the tests pass with this copy; kernels that are compiled for it are kept beside it."""
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(package.parent / "compiled"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += [f"tests/{name}" for name in tests]
    result = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, check=False)
    if result.returncode > 1:  # below zero a kernel ended the process: no test passes then
        raise SystemExit(f"pytest ended with {result.returncode}:\n{result.stdout.decode()[-2000:]}")
    return result.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
