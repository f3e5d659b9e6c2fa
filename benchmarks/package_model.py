"""Build a small model for the package from any text: train, merge, cut, round, describe, measure.

    python benchmarks/package_model.py CORPUS --output src/adagram/models/en --text "English Wikipedia" \
        --licence "CC BY-SA 4.0" --data DATA

The model is trained with the defaults of `adagram train`, on all words, and kept in --work with the encoded text, so
that a second call does not train again. Of it are taken the --words most frequent words. Senses of a word merge from a
likeness of --merge on, and each row is rounded to --levels steps on either side of zero, which the deflate of a wheel
packs well. Labels, collocates and a short example of each sense come from the text, or from a part of it, --sample.
DATA, if given, has wwsi/train.tsv, semeval2010/contexts.tsv and scws/ratings.txt; the figures go to the model card.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import zlib
from pathlib import Path

import numpy as np

import adagram
from adagram.analysis.describe import describe
from adagram.corpus import encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.options import DocumentOptions
from adagram.corpus.readers import read_as_trained
from adagram.evaluation.report import Resampling
from adagram.evaluation.similarity import read_scws, score_scws
from adagram.evaluation.wsi import ContextRule, disambiguate, graded_answers, score_wsi
from adagram.evaluation.wsi_data import gold_key, read_tsv
from adagram.files.folders import write_sums
from adagram.model import Model
from adagram.model.compact import model_of_frequent
from adagram.model.display import model_card
from adagram.model.edits import Decision
from adagram.model.neighbours import nearest
from adagram.model.sheet import LABEL_WORDS, PACKED_SHEET, SHEET
from adagram.training.merge_senses import groups_to_merge, near_pairs

LENGTHS = (3, 5, 9, 16)  # words of an example, as in `adagram.analysis.describe`
CANDIDATES = 4  # examples of which the shortest is kept
COLLOCATES = 3
WITH_EXAMPLE = 0.92  # of the senses: the longest examples are left out
MIN_COUNT = 20.0  # of a sense that names another
MANTISSA = 0xFFFF0000  # of a float32: sign, exponent and 7 bits of the fraction
SETS = {"WWSI train": "wwsi/train.tsv", "SemEval-2010": "semeval2010/contexts.tsv"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("package-model"))
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--merge", type=float, default=0.1)
    parser.add_argument("--levels", type=int, default=4)
    parser.add_argument("--text", default="", help="what the text is, for the card")
    parser.add_argument("--licence", default="", help="of the text")
    parser.add_argument("--sample", type=Path, help="a part of the text, to describe the senses by")
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    corpus, model = trained(given.corpus, given.work)
    small = rounded(merged(model, corpus, given.words, given.merge), given.levels)
    small.info["source"] = {"text": given.text, "licence": given.licence}
    small.save(given.output, overwrite=True, dtype="int8")
    describe_briefly(given.output, given.sample or given.corpus)
    figures = measure(adagram.load(given.output), given.data) if given.data else {}
    write_card(given.output, figures)
    print(json.dumps(figures | {"wheel, MB": round(packed_size(given.output) / 1e6, 2)}))


def trained(text: Path, work: Path) -> tuple[EncodedCorpus, Model]:
    """Return the encoded text and the model of it, both made if they are not there."""
    encoded, folder = work / "encoded", work / "model"
    work.mkdir(parents=True, exist_ok=True)
    corpus = EncodedCorpus.open(encoded) if encoded.exists() else encode(text, encoded)
    return corpus, adagram.load(folder) if folder.exists() else adagram.train(encoded, folder)


def merged(model: Model, corpus: EncodedCorpus, n_words: int, least: float) -> Model:
    """Return the most frequent words, with those senses merged that follow each other in the text and are alike."""
    cut = model_of_frequent(model, n_words)
    tokens = np.asarray(corpus.tokens)
    number = np.full(len(corpus.vocabulary), -1, np.int64)
    number[[corpus.vocabulary.index[word] for word in cut.vocabulary.words]] = np.arange(len(cut))
    kept = number[tokens] >= 0
    ends = np.append(0, kept.cumsum())[np.asarray(corpus.ends, dtype=np.int64)]
    text = EncodedCorpus(
        number[tokens[kept]].astype(np.uint32), ends.astype(np.uint64), cut.vocabulary, corpus.fingerprint
    )
    groups = groups_to_merge(cut, near_pairs(cut, text), least)
    decisions = [Decision("merge", tuple(int(cut.offsets[w]) + k for k in group)) for w, group in groups]
    joined = Model(cut.learned_arrays, cut.vocabulary, cut.info, decisions)
    return Model({name: np.asarray(joined.arrays[name]) for name in joined.arrays}, cut.vocabulary, cut.info)


def rounded(model: Model, levels: int) -> Model:
    """Return the model with few different values in each row, and numbers of two or three digits elsewhere."""
    arrays = dict(model.learned_arrays)
    for name in ("vectors", "output"):
        rows = np.asarray(arrays[name])
        step = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12) / levels
        arrays[name] = (np.rint(rows / step) * step).astype(np.float32)
    for name in ("counts", "priors", "agreement"):
        if name in arrays:
            short = (arrays[name].astype(np.float32).view(np.uint32) & np.uint32(MANTISSA)).view(np.float32)
            arrays[name] = short.astype(np.float64)
    return Model(arrays, model.vocabulary, model.info)


def describe_briefly(folder: Path, text: Path) -> None:
    """Write the sense sheet, with few collocates and the shortest of the good examples of each sense, packed.

    A sense without typical collocates is labelled by its nearest words.
    """
    model = adagram.load(folder)
    documents, _ = read_as_trained([text], model.info, DocumentOptions())
    describe(model, documents, folder, lambda _: "", CANDIDATES, overwrite=True, lengths=LENGTHS)
    lines = [brief(json.loads(line)) for line in (folder / SHEET).read_text(encoding="utf-8").splitlines()]
    bare = np.array([row for row, line in enumerate(lines) if not line["label"]], np.int64)
    for row, (near, _) in zip(bare.tolist(), nearest(model, bare, LABEL_WORDS, MIN_COUNT), strict=True):
        lines[row]["label"] = ", ".join(name.rpartition("#")[0] for name in model.names(near))
    without_long_examples(lines)
    sheet = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / PACKED_SHEET).write_bytes(lzma.compress(sheet.encode(), preset=9 | lzma.PRESET_EXTREME))
    (folder / SHEET).unlink()
    with_example = sum(bool(line["examples"]) for line in lines)
    print(f"{len(lines):,} senses, {with_example:,} with an example", flush=True)


def without_long_examples(lines: list[dict]) -> None:
    lengths = [len(e["text"]) for line in lines for e in line["examples"]]
    longest = sorted(lengths)[min(len(lengths) - 1, int(WITH_EXAMPLE * len(lines)))]
    for line in lines:
        line["examples"] = [e for e in line["examples"] if len(e["text"]) <= longest]


def brief(entry: dict) -> dict:
    collocates = [
        c | {"ratio": round(c["ratio"]), "dice": round(c["dice"], 1)} for c in entry["collocates"][:COLLOCATES]
    ]
    best = max((example["posterior"] for example in entry["examples"]), default=0.0)
    clear = [example for example in entry["examples"] if example["posterior"] >= best - 0.1]
    examples = [
        {"text": e["text"], "document": "", "date": "", "posterior": round(e["posterior"], 2)}
        for e in sorted(clear, key=lambda example: len(example["text"]))[:1]
    ]
    kept = {"sense": entry["sense"], "expected": round(entry["expected"]), "hard": entry["hard"]}
    return kept | {"label": entry["label"], "collocates": collocates, "examples": examples}


def measure(model: Model, data: Path) -> dict[str, float]:
    figures = {}
    for name, file in SETS.items():
        instances = read_tsv(data / file)
        answers = graded_answers(model, disambiguate(model, instances, ContextRule()), share=1.0)
        figures[f"{name}, ARI"] = round(score_wsi(gold_key(instances), answers, Resampling(0)).value("ARI"), 3)
    scws = score_scws(model, read_scws(data / "scws/ratings.txt"), ContextRule(), Resampling(0))
    return figures | {f"SCWS, {name}": round(scws.value(name), 1) for name in ("AvgSimC", "MaxSimC")}


def write_card(folder: Path, figures: dict[str, float]) -> None:
    """Put the figures into config.json and renew the card and the checksums."""
    path = folder / "config.json"
    info = json.loads(path.read_text(encoding="utf-8"))
    info["source"] |= {name: str(value) for name, value in figures.items()}
    info["source"]["size in the wheel, MB"] = f"{packed_size(folder) / 1e6:.1f}"
    path.write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(model_card(adagram.load(folder)), encoding="utf-8")
    write_sums(folder)
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)


def packed_size(folder: Path) -> int:
    """Return the size of the files as a wheel packs them."""
    return sum(len(zlib.compress(file.read_bytes())) for file in folder.iterdir() if file.is_file())


if __name__ == "__main__":
    main()
