"""A compact int8 model beside the float32 model that it was made of: size, speed and quality.

    python benchmarks/compact.py MODEL DATA --rounds 9   # DATA has wwsi/, semeval2010/, scws/ and similarity/

`disambiguate -` is run on the contexts of WWSI train and SemEval-2010, the two models in turn, and the processor time
of the whole command counts, with its start. Once more with ten contexts: the start alone.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import adagram
from adagram.evaluation.report import Resampling
from adagram.evaluation.similarity import read_scws, read_similarity, score_scws, score_similarity
from adagram.evaluation.wsi import ContextRule, disambiguate, graded_answers, score_wsi
from adagram.evaluation.wsi_data import gold_key, read_tsv
from common import interleaved, median, write_result

SETS = {"WWSI train": "wwsi/train.tsv", "SemEval-2010": "semeval2010/contexts.tsv"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        small, lines = Path(scratch, "int8"), Path(scratch, "contexts.tsv")
        adagram.load(given.model).save(small, dtype="int8")
        n = write_contexts(lines, given.model, given.data)
        models = {"float32": given.model, "int8": small}
        sizes = {name: sum(file.stat().st_size for file in model.iterdir()) / 1e6 for name, model in models.items()}
        few = Path(scratch, "few.tsv")
        few.write_text("".join(lines.read_text(encoding="utf-8").splitlines(keepends=True)[:10]), encoding="utf-8")
        runs = {
            f"{name}, {count} contexts": lambda model=model, file=file: seconds(model, file)
            for name, model in models.items()
            for count, file in ((n, lines), (10, few))
        }
        for run in runs.values():
            run()  # compiles, and fills the disk cache
        taken = interleaved(runs, given.rounds)
        report = [f"# {adagram.load(given.model)!r}", "", "megabytes of the folder"]
        report += [f"{name}\t{size:.1f}\t{size / sizes['float32']:.3f}" for name, size in sizes.items()]
        report += [
            "",
            f"adagram disambiguate MODEL -, seconds of processor time, median of {given.rounds} in turn (best)",
        ]
        report += [f"{name}\t{median(values):.3f}\t({min(values):.3f})" for name, values in taken.items()]
        report += ["", "\t".join(["quality", *models])]
        found = [quality(model, given.data) for model in models.values()]
        report += ["\t".join([name, *(f"{each[name]:.4f}" for each in found)]) for name in found[0]]
    write_result("int8", "\n".join(report))


def write_contexts(path: Path, model: Path, data: Path) -> int:
    """Write a line of word and context for each instance whose target the model knows; return their number."""
    known, n = adagram.load(model).vocabulary, 0
    with path.open("w", encoding="utf-8") as out:
        for file in SETS.values():
            for instance in read_tsv(data / file):
                word = instance.target.partition(".")[0]
                if word in known:
                    out.write(f"{word}\t{instance.left} {instance.right}\n")
                    n += 1
    return n


def seconds(model: Path, contexts: Path) -> float:
    """Return the processor time of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with contexts.open("rb") as lines:
        command = [sys.executable, "-m", "adagram", "disambiguate", str(model), "-"]
        subprocess.run(command, stdin=lines, stdout=subprocess.DEVNULL, check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def quality(folder: Path, data: Path) -> dict[str, float]:
    model, figures = adagram.load(folder), {}
    for name, file in SETS.items():
        instances = read_tsv(data / file)
        answers = graded_answers(model, disambiguate(model, instances, ContextRule()), share=1.0)
        figures[f"{name}, ARI"] = score_wsi(gold_key(instances), answers, Resampling(0)).value("ARI")
    scws = score_scws(model, read_scws(data / "scws/ratings.txt"), ContextRule(), Resampling(0))
    figures |= {f"SCWS, {name}": scws.value(name) for name in ("AvgSimC", "MaxSimC")}
    men = score_similarity(model, read_similarity(data / "similarity/EN-MEN-TR-3k.txt"), Resampling(0))
    return figures | {"MEN, maxSim": men.value("maxSim")}


if __name__ == "__main__":
    main()
