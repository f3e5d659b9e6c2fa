"""Semantic resolution at use: word sense induction with one model at several levels.

    python benchmarks/levels.py MODEL DATA      # DATA: a folder with wwsi/, semeval2010/ and semeval2013-13/

Of SemEval-2010 and -2013 the first half of the targets, by alphabet, is for choosing and the second for reporting.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from adagram import load
from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi import ContextRule, Disambiguated, disambiguate, graded_answers, score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import Instance, Key, gold_key, read_instances, read_key
from adagram.model import Model
from common import write_result

LEVELS = (1.0, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.4)
SHARES = (0.1, 0.01, 0.001)  # of fuzzy answers, `adagram evaluate fuzzy --share`


def halves(instances: list[Instance]) -> Iterator[tuple[str, list[Instance]]]:
    targets = sorted({instance.target for instance in instances})
    first = set(targets[: len(targets) // 2])
    yield "first half", [instance for instance in instances if instance.target in first]
    yield "second half", [instance for instance in instances if instance.target not in first]


def at_level(fine: Disambiguated, model: Model, coarse: Model) -> Disambiguated:
    """Sum the posteriors of senses that are one at a level."""
    if coarse.curation is None:
        return fine
    posteriors = []
    for word, posterior in zip(fine.words, fine.posteriors, strict=True):
        rows = coarse.curation.row_of[model.rows(word)]
        posteriors.append(np.bincount(rows - rows.min(), np.asarray(posterior)))
    return Disambiguated(fine.instances, fine.words, posteriors)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    model, data = load(sys.argv[1], raw=True), Path(sys.argv[2])
    hard = [("WWSI train", read_instances(data / "wwsi/train.tsv", None))]
    hard += [
        (f"SemEval-2010 {name}", half) for name, half in halves(read_instances(data / "semeval2010/contexts.tsv", None))
    ]
    graded = [
        (f"SemEval-2013 {name}", half)
        for name, half in halves(read_instances(data / "semeval2013-13/contexts.tsv", None))
    ]
    keys: dict[str, Key] = {name: gold_key(instances) for name, instances in hard}
    gold = read_key(data / "semeval2013-13/gold.key")
    for name, instances in graded:
        keys[name] = {target: gold[target] for target in {each.target for each in instances}}
    found = {name: disambiguate(model, instances, ContextRule()) for name, instances in hard + graded}
    lines = [f"# {model!r}", "resolution\tsenses\tset\tARI\tclusters\tfuzzy NMI " + str(SHARES)]
    for level in LEVELS:
        coarse = model.at(level)
        for name in keys:
            answers = at_level(found[name], model, coarse)
            is_hard = name in dict(hard)
            cells = ["", "", ""]
            if is_hard:
                result = score_wsi(keys[name], graded_answers(coarse, answers, 1.0), Resampling(0, 0))
                scores = {s.metric: s.value for s in result.scores if s.subset in ("", "all")}
                cells[:2] = (
                    f"{scores['ARI']:.4f}",
                    f"{scores[next(k for k in scores if k.startswith('clusters'))]:.2f}",
                )
            else:
                fuzzy = [
                    score_fuzzy(keys[name], graded_answers(coarse, answers, share), Resampling(0, 0))
                    for share in SHARES
                ]
                nmi = [{s.metric: s.value for s in each.scores}["fuzzy-NMI"] for each in fuzzy]
                cells[2] = " ".join(f"{value:.4f}" for value in nmi)
            lines.append("\t".join([f"{level:g}", str(coarse.n_senses), name, *cells]))
            print(lines[-1], flush=True)
    write_result("levels", "\n".join(lines))


if __name__ == "__main__":
    main()
