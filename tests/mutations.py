"""Plant faults, one at a time, in a copy of the package, and print whether the tests named beside each catch it.

    python tests/mutations.py [WORDS]      # only the faults whose name has these words

A fault is a text that occurs exactly once in the package, and its replacement. Exit code 1 if one survives. Kernels are
compiled anew for each fault in them, so all of them take some minutes.
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
    right: str
    wrong: str
    tests: tuple[str, ...] = OF_KERNELS  # below tests; those that are to catch it


CONTINUED, MERGING = ("training/test_continued_words.py",), ("training/test_alike_senses.py",)
OF_TRENDS = ("analysis/test_trends.py",)
METRICS, PROTOCOL = ("evaluation/test_small_metrics.py",), ("evaluation/test_protocol.py",)
FAULTS = [
    Fault(
        "an unborn stick without its E[log beta]",
        "posterior[k] = log_rest + digamma(1.0 + own) - whole - log_p",
        "posterior[k] = log_rest - log_p",
    ),
    Fault(
        "only the next stick is scored", "        if left < TAIL:\n            return k + 1\n", "        return k + 1\n"
    ),
    Fault("births at half of the posterior", "BIRTH = 1e-3", "BIRTH = 0.5"),
    Fault("births at nearly nothing", "BIRTH = 1e-3", "BIRTH = 1e-9"),
    Fault("one birth at most", "    while unborn > BIRTH and live < scored:", "    if unborn > BIRTH:"),
    Fault(
        "the unborn are never counted",
        "(1.0 - step) * senses.pending[w] + gain * unborn",
        "(1.0 - step) * senses.pending[w]",
    ),
    Fault(
        "the count of the unborn does not fade",
        "(1.0 - step) * senses.pending[w] + gain * unborn",
        "senses.pending[w] + gain * unborn",
    ),
    Fault(
        "a newborn without a count",
        "senses.counts[row] = senses.pending[w] * work.shares[k]",
        "senses.counts[row] = 0.0",
    ),
    Fault(
        "a newborn takes the count of all unborn sticks",
        "senses.counts[row] = senses.pending[w] * work.shares[k]",
        "senses.counts[row] = senses.pending[w]",
    ),
    Fault(
        "the unborn keep what the newborn took",
        "    senses.pending[w] = max(0.0, senses.pending[w] - senses.counts[row])\n",
        "",
    ),
    Fault(
        "a newborn's gradient reversed",
        "(nodes.lefts[b, u] - np.float32(0.5) * nodes.visits[b, u])",
        "(np.float32(0.5) * nodes.visits[b, u] - nodes.lefts[b, u])",
    ),
    Fault(
        "a newborn is linked to the first sense",
        "senses.next_row[work.sense_rows[k - 1]] = row",
        "senses.next_row[work.sense_rows[0]] = row",
    ),
    Fault(
        "newborn vectors off centre",
        "(uniform(key, stream * NUMBERS_OF_STREAM + d) - 0.5) / dim",
        "uniform(key, stream * NUMBERS_OF_STREAM + d) / dim",
    ),
    Fault(
        "newborn vectors of all sticks alike",
        "np.int64(token) * STREAMS_OF_WORD + k",
        "np.int64(token) * STREAMS_OF_WORD",
    ),
    Fault("initial vectors off centre", "dtype=np.float32) - np.float32(0.5)", "dtype=np.float32) - np.float32(0.0)"),
    Fault("counts without (1 - rate)", "(1.0 - step) * senses.counts[row] + gain", "senses.counts[row] + gain"),
    Fault("the last stick breaks too", "        if k == max_senses - 1:\n", "        if k == max_senses:\n"),
    Fault("a slope with the wrong sign", "scales[a] * (left - visit * sigma)", "scales[a] * (visit * sigma - left)"),
    Fault(
        "sticks in the wrong order of counts",
        "others = digamma(alpha + after[k + 1])",
        "others = digamma(alpha + after[k])",
    ),
    Fault(
        "a token that waits for room is scored, and lost",
        "work, alpha)\n"
        "            born, unborn = decide_births(live, scored, work.posterior)\n"
        "            births += born - live\n"
        "            if b == 0 and births > work.spare[1] - work.spare[0]:\n"
        "                return j\n",
        "work, alpha)\n"
        "            born, unborn = decide_births(live, scored, work.posterior)\n"
        "            births += born - live\n"
        "            if b == 0 and births > work.spare[1] - work.spare[0]:\n"
        "                continue\n",
    ),
    Fault(
        "a block waits for no room",
        "    if work.spare[1] - work.spare[0] < min(MAX_BIRTHS, n * max_senses - n_senses):\n",
        "    if False:\n",
    ),
    Fault(
        "a sense moves by its slope alone, not by its posterior",
        "row, weight = work.sense_rows[k], work.sense_rates[k] * np.float32(work.posterior[k])",
        "row, weight = work.sense_rows[k], work.sense_rates[k]",
    ),
    Fault(
        "a context word too many is tallied",
        "span.right[j] - span.left[j] - 1",
        "span.right[j] - span.left[j]",
        ("systems/test_adagram_system.py",),
    ),
    Fault(
        "known words are moved by windows that hardly fit",
        "DOUBTFUL if is_known else NEGLIGIBLE",
        "NEGLIGIBLE",
        CONTINUED,
    ),
    Fault("the 5 % rule asks for a half", "DOUBTFUL = 0.05", "DOUBTFUL = 0.5", CONTINUED),
    Fault(
        "new senses of known words have the rate of the word",
        "        if rate < base_rate and k >= n_learned[w]:\n",
        "        if False:\n",
        CONTINUED,
    ),
    Fault(
        "learned senses have the rate of their own uses too",
        "rate < base_rate and k >= n_learned[w]",
        "rate < top",
        CONTINUED,
    ),
    Fault(
        "merged senses lose pairs of which the second use is of an earlier sense",
        "member.T @ pairs @ member",
        "member.T @ np.triu(pairs) @ member",
        MERGING,
    ),
    Fault(
        "merged senses lose pairs of which the first use is of an earlier sense",
        "member.T @ pairs @ member",
        "member.T @ np.tril(pairs) @ member",
        MERGING,
    ),
    Fault("groups without counts", "vectors * counts[:, None]", "vectors", MERGING),
    Fault("groups without a threshold", "< least:", "< 0.0:", MERGING),
    Fault(
        "a lower threshold of likeness", "MIN_LIKENESS = 0.3", "MIN_LIKENESS = 0.2", ("training/test_merge_senses.py",)
    ),
    Fault(
        "Cohen's kappa for Scott's pi",
        "float((both.sum(axis=1) ** 2).sum())",
        "float((pairs.sum(axis=0) * pairs.sum(axis=1)).sum() / total**2)",
        ("training/test_agreement.py",),
    ),
    Fault("q is p", "q = benjamini_hochberg(p)", "q = p", OF_TRENDS),
    Fault("--min-sources is ignored", "frequencies.sources >= options.min_sources", "True", OF_TRENDS),
    Fault("falling senses rank last", "-np.abs(np.nan_to_num(use))", "-np.nan_to_num(use)", OF_TRENDS),
    Fault("significance does not rank", "~(q <= SIGNIFICANT)", "q < 0", OF_TRENDS),
    Fault(
        "AvgSimC without the second posterior",
        "expected = float(p @ cosines @ q)",
        "expected = float((p @ cosines).mean())",
        PROTOCOL,
    ),
    Fault(
        "AvgSimC without the first posterior",
        "expected = float(p @ cosines @ q)",
        "expected = float((cosines @ q).mean())",
        PROTOCOL,
    ),
    Fault(
        "tied words have the best rank of their group",
        "[is_changed[found >= value].mean() for value in found[is_changed > 0]]",
        "[is_changed[np.append(np.flatnonzero(found > v), np.flatnonzero(is_changed * (found == v)))].mean()"
        " for v in found[is_changed > 0]]",
        METRICS,
    ),
    Fault("S-precision without its tolerance", "recall * n_subtopics - 1e-9", "recall * n_subtopics", METRICS),
    Fault(
        "S-precision with a tolerance of a subtopic",
        "recall * n_subtopics - 1e-9",
        "recall * n_subtopics - 0.9",
        METRICS,
    ),
    Fault(
        "the best sense ignores what was merged or hidden",
        "{self.numbers[int(self.argmax())]}",
        "{int(self.argmax())}",
        ("model/test_posterior.py",),
    ),
    Fault(
        "the rate of counts ignores passes",
        "np.maximum(passes * new, 1.0)",
        "np.maximum(new, 1.0)",
        ("paper/test_schedule.py",),
    ),
    Fault("1/n for 40/n", "WEIGHT = 40.0", "WEIGHT = 1.0", ("paper/test_schedule.py",)),
    Fault(
        "minutes of checkpoints as seconds", ">= 60 * self._minutes", ">= self._minutes", ("training/test_resume.py",)
    ),
    Fault("a hyphen is not a range", r"(?:\.\.|[-–—])", r"\.\.", OF_TRENDS),
]


def main() -> int:
    wanted = " ".join(sys.argv[1:])
    faults = [fault for fault in FAULTS if wanted in fault.name]
    with tempfile.TemporaryDirectory() as temporary:
        package = Path(temporary) / "adagram"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOME / "src" / "adagram", package, ignore=ignore)
        for fault in faults:
            find(fault, package)  # before anything is run
        if not passes(package, sorted({name for fault in faults for name in fault.tests})):
            print("the tests fail without a fault", file=sys.stderr)
            return 2
        survived = [fault for fault in faults if not is_caught(fault, package)]
    return 1 if survived else 0


def is_caught(fault: Fault, package: Path) -> bool:
    file = find(fault, package)
    right = file.read_text(encoding="utf-8")
    file.write_text(right.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        caught = not passes(package, fault.tests)
    finally:
        file.write_text(right, encoding="utf-8")
    print(f"{'caught  ' if caught else 'survived'}  {fault.name}", flush=True)
    return caught


def find(fault: Fault, package: Path) -> Path:
    """Return the file of the package that has the text of a fault; it must occur once."""
    counts = {file: file.read_text(encoding="utf-8").count(fault.right) for file in package.rglob("*.py")}
    if sum(counts.values()) != 1:
        raise SystemExit(f"{fault.name}: its text occurs {sum(counts.values())} times, not once")
    return next(file for file, count in counts.items() if count)


def passes(package: Path, tests: Sequence[str]) -> bool:
    """Return whether the tests pass with this copy; its compiled kernels are cached beside it."""
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
