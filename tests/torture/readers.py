"""Every reader with good files for it, made before any child is started."""

from __future__ import annotations

import bz2
import gzip
import json
import re
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import adagram
from adagram.analysis.concordance import EncodedTexts, sample_uses
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.evaluation.change import read_change_set
from adagram.evaluation.search import read_clusters, read_search_set
from adagram.evaluation.similarity import read_analogies, read_scws, read_similarity
from adagram.evaluation.wsi_data import read_dataset_txt, read_instances, read_key, read_wwsi_txt, read_xml
from adagram.experiments.wwsi.rules import load_rules
from adagram.export import export, import_model
from adagram.training.checkpoint import Saving
from adagram.training.progress import Interrupted
from adagram.training.run import train_encoded
from adagram.web.explorer import Explorer
from torture import texts
from torture.samples import CHUNKS, CONFIG, configured, corpus, curated, model

Read = Callable[[Path], object]
ONE_FILE: dict[str, tuple[str, Read]] = {
    "task.xml": (texts.XML, read_xml),
    "instances.tsv": (texts.INSTANCES, read_instances),
    "dataset.txt": ("bank 2\nthe\tloan\nriver\tmud\n", read_dataset_txt),
    "wwsi.txt": ("T\tbank\t1\t1\nm\t1\t1\n1\nthe bank lends\n", read_wwsi_txt),
    "ratings.txt": ("1\tbank\tn\tshore\tn\tby the <b> bank </b> x\tthe <b>shore</b>\t5.5\t5\t6\n" * 5, read_scws),
    "similarity.csv": ("word1,word2,score\n" + "cat,dog,7.5\nsun,moon,3\n" * 5, read_similarity),
    "analogies.txt": (": capital\nathens greece oslo norway\n" * 5, read_analogies),
    "gold.key": ("add.v add.v.1 add.1/3 add.2/1\nadd.v add.v.2 add.2\n" * 3, read_key),
    "clusters.txt": ("subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n", read_clusters),
    "rules.toml": (texts.RULES, load_rules),
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """Files of a folder by name, and what reads them there."""

    name: str
    files: dict[str, bytes]
    read: Read

    def write(self, place: Path) -> None:
        for name, content in self.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)

    def restore(self, place: Path, name: str) -> None:
        """Put one file back, and what the reader removed; remove what it wrote.

        The file is a new one, because the damaged one may still be mapped.
        """
        (place / name).unlink(missing_ok=True)
        tops = {name.partition("/")[0] for name in self.files}
        for path in place.iterdir():
            if path.name not in tops:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in self.files.items():
            if not (place / name).exists():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(content)


def samples(folder: Path) -> list[Sample]:
    """All of them; `folder` is used to make some."""
    small = [_one(name, text.encode(), read) for name, (text, read) in ONE_FILE.items()]
    found = [*small, *_sets(), *_sources(folder), *_models(folder), *_trained(folder)]
    for sample in found:  # once undamaged: what is broken here would refuse everything and hide all else
        place = folder / "undamaged"
        sample.write(place)
        sample.read(place)
        shutil.rmtree(place)
    return found


def _one(name: str, content: bytes, read: Read) -> Sample:
    return Sample(name, {name: content}, lambda place: read(place / name))


def _sets() -> list[Sample]:
    task = {"instances.xml": texts.XML.encode(), "key.txt": texts.KEY.encode()}
    return [
        Sample("instances.xml", task, lambda place: read_instances(place / "instances.xml")),
        Sample("search set", {name: text.encode() for name, text in texts.SEARCH.items()}, read_search_set),
        Sample("change set", {name: text.encode() for name, text in texts.CHANGES.items()}, read_change_set),
    ]


def _sources(folder: Path) -> list[Sample]:
    found = [_one(name, text.encode(), _encode) for name, text in texts.SOURCES.items()]
    found.append(_one("plain.txt.gz", gzip.compress(texts.SOURCES["plain.txt"].encode()), _encode))
    found.append(_one("dump.xml.bz2", bz2.compress(texts.DUMP.encode()), _encode))
    counts = b"the\t9\ncat\t3\nsat 2\n"
    found.append(_one("counts.txt", counts, lambda path: _encode([["the", "cat"]], path)))
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return found
    rows = folder / "rows.parquet"
    parquet.write_table(pyarrow.table({"text": ["the cat sat", "on the mät"] * 30}), rows)
    return [*found, _one("rows.parquet", rows.read_bytes(), _encode)]


def _encode(source: object, vocabulary: Path | None = None) -> None:
    place = source.parent if isinstance(source, Path) else vocabulary.parent if vocabulary else Path()
    options = EncodeOptions(min_count=1, threads=1, vocabulary=str(vocabulary) if vocabulary else None)
    encode(source, place / "encoded", options, overwrite=True)  # type: ignore[arg-type]


def _below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def _models(folder: Path) -> list[Sample]:
    words = [[corpus(0).vocabulary.words[t] for t in corpus(0).tokens[i : i + 10]] for i in range(0, 500, 10)]
    encode(words, folder / "encoded", EncodeOptions(min_count=1))
    model(0).save(folder / "plain")
    curated(folder / "curated")
    found = [
        Sample("model", _below(folder / "plain"), lambda place: _use(adagram.load(place))),
        Sample("sheet, journal and trends", _below(folder / "curated"), _look),
        Sample("model for export", _below(folder / "plain"), _export_all),
        Sample("corpus", _below(folder / "encoded"), _train_on),
        Sample("corpus for examples", _below(folder / "encoded"), _find_examples),
    ]
    for form in ("zip", "gztar"):
        packed = Path(shutil.make_archive(str(folder / "packed"), form, folder / "plain"))
        found.append(_one(packed.name, packed.read_bytes(), lambda path: _use(adagram.load(path))))
    for format, form in (("word2vec", "word2vec"), ("word2vec", "word2vec-bin"), ("julia", "julia")):
        export(model(0), folder / form, form)
        content = (folder / form).read_bytes()
        found.append(_one(form, content, lambda path, format=format: _use(import_model(path, format))))
    return found


def _use(found: adagram.Model) -> None:
    """What is asked of a model, as JSON that any program can read."""
    word = found.vocabulary.words[0]
    found.senses(word, top=3)
    found.disambiguate(word, found.vocabulary.words[1])
    explorer = Explorer(found)
    json.dumps([explorer.senses(word, 3), explorer.map(word, 3)], allow_nan=False)


def _look(place: Path) -> None:
    found = adagram.load(place)
    explorer = Explorer(found)
    for word in found.vocabulary.words[:3]:
        json.dumps(explorer.cards(word), allow_nan=False)


def _train_on(place: Path) -> None:
    """With and without merging, which has kernels of its own."""
    opened = EncodedCorpus.open(place)
    for config in (CONFIG, replace(CONFIG, merge_senses=False)):
        train_encoded(opened, config, Saving(), lambda progress: None, CHUNKS)


def _find_examples(place: Path) -> None:
    sample_uses(model(0), model(0).vocabulary.words[0], EncodedTexts(EncodedCorpus.open(place)))


def _export_all(place: Path) -> None:
    """What is exported is finite, or refused."""
    found = adagram.load(place)
    for format in ("word2vec", "csv", "projector"):
        export(found, place / "exported" / format, format, overwrite=True)
        text = "".join(path.read_text() for path in (place / "exported").rglob("*") if path.is_file())
        assert not any(re.search(r"[\t, ]-?(nan|inf)\b", line) for line in text.splitlines()), f"{format}: not finite"
        shutil.rmtree(place / "exported")


def _trained(folder: Path) -> list[Sample]:
    """Stopped runs, which training goes on from."""
    found = []
    for algorithm in ("adagram", "np-mssg"):
        made = folder / f"stopped-{algorithm}"
        made.mkdir()
        n_reports = 0

        def stop(progress: object) -> None:
            nonlocal n_reports
            n_reports += 1
            if n_reports == 2:
                signal.raise_signal(signal.SIGINT)

        with suppress(Interrupted):
            train_encoded(corpus(0), configured(algorithm), Saving(made / "m"), stop, CHUNKS)
        read = lambda place, algorithm=algorithm: _resume(place, algorithm)  # noqa: E731
        found.append(Sample(f"checkpoint of {algorithm}", _below(made), read))
    return found


def _resume(place: Path, algorithm: str) -> None:
    train_encoded(corpus(0), configured(algorithm), Saving(place / "m", resume=True), lambda progress: None, CHUNKS)
