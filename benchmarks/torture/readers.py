"""Every reader with a good file for it."""

from __future__ import annotations

import bz2
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import adagram
from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.encoded import EncodedCorpus
from adagram.evaluation.keys import read_key
from adagram.evaluation.pair_sets import read_analogies, read_scws, read_similarity
from adagram.evaluation.search_sets import read_clusters, read_search_set
from adagram.evaluation.semeval_xml import read_xml
from adagram.evaluation.wsi_sets import read_instances
from adagram.formats import export, import_model
from adagram.training.checkpoint import Saving, checkpoint_folder
from adagram.training.interrupt import Interrupted
from adagram.training.run import train_encoded
from adagram.web.concordance import Concordance
from adagram.whole.sums import write_sums
from adagram.wwsi import load_rules
from adagram.wwsi.multistream import read_offsets
from torture.samples import CONFIG, PACE, corpus, model

PAGES = "".join(
    f"<page><title>T{i}</title><ns>0</ns><revision><text>The ''cat'' [[sat|sits]] &amp;lt; {{{{x|y=1}}}} on &lt;b&gt; "
    f"mat {i}.\n{{| class=a\n| b\n|}}</text></revision></page>\n"
    for i in range(20)
)
XML = (
    '<?xml version="1.0"?><corpus><lexelt item="add.v"><instance id="add.v.1">to <head>add</head> &amp; more</instance>'
    '<instance id="add.v.2" lemma="add" partOfSpeech="v" token="add" tokenStart="3" tokenEnd="6">to add it</instance>'
    "</lexelt><access.n.1>the <TargetSentence>access was free</TargetSentence> here</access.n.1></corpus>"
)
TEXTS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "task.xml": (XML, read_xml),
    "instances.xml": (XML, read_instances),
    "ratings.txt": ("1\tbank\tn\tshore\tn\tby the <b> bank </b> x\tthe <b>shore</b>\t5.5\t5\t6\n" * 5, read_scws),
    "similarity.csv": ("word1,word2,score\ncat,dog,7.5\nsun,moon,3\n" * 5, read_similarity),
    "analogies.txt": (": capital\nathens greece oslo norway\n" * 5, read_analogies),
    "gold.key": ("add.v add.v.1 add.1/3 add.2/1\nadd.v add.v.2 add.2\n" * 3, read_key),
    "clusters.txt": ("subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n", read_clusters),
    "rules.toml": ('min_count = 7\nwindow = 4\n[tokenizer]\nlowercase = false\n', lambda path: load_rules(path)),
}  # fmt: skip
SEARCH = {
    "topics.txt": "ID\tdescription\n1\tthe_bank\n2\tjava\n",
    "results.txt": "ID\turl\ttitle\tsnippet\n1.1\tu\tt\ta <b>bank</b> &amp; &#65; x\n1.2\tu\tt\ts\n2.1\tu\tt\ts\n",
    "STRel.txt": "subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n2.1\t2.1\n",
}
SOURCES = {
    "plain.txt": "The cat sat on the mat. It slept!\n" * 20,
    "records.jsonl": '{"text": "the cat sat", "id": 3}\n' * 10,
    "dump.xml": f'<?xml version="1.0" encoding="utf-8"?><mediawiki>{PAGES}</mediawiki>',
    "wiki_00": '<doc id="1" title="T">\nT\n\nthe cat &amp; &#65; dog\n</doc>\n' * 5,
}


@dataclass(frozen=True)
class Sample:
    name: str
    folder: Path
    read: Callable[[Path], object]  # of a folder with the same files
    cost: int = 1  # how many times longer than others it takes

    @property
    def files(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def copy(self, place: Path) -> Path:
        return Path(shutil.copytree(self.folder, place, dirs_exist_ok=True))


def samples(folder: Path) -> list[Sample]:
    """All of them, with their files made below `folder`."""
    return [*_small_files(folder), *_sources(folder), *_models(folder), _checkpoint(folder)]


def _place(folder: Path, name: str) -> Path:
    place = folder / "samples" / name
    place.mkdir(parents=True)
    return place


def _small_files(folder: Path) -> list[Sample]:
    found = []
    for name, (text, read) in TEXTS.items():
        place = _place(folder, name)
        (place / name).write_text(text, encoding="utf-8")
        found.append(Sample(name, place, lambda copy, name=name, read=read: read(copy / name)))
    place = _place(folder, "search")
    for name, text in SEARCH.items():
        (place / name).write_text(text, encoding="utf-8")
    found.append(Sample("search set", place, read_search_set))
    place = _place(folder, "index")
    (place / "dump").write_bytes(bz2.compress(b"x" * 99) * 9)
    (place / "index.txt").write_text("0:1:A\n40:2:B\n80:3:C\n")
    found.append(Sample("index", place, lambda copy: read_offsets(copy / "index.txt", copy / "dump")))
    return found


def _sources(folder: Path) -> list[Sample]:
    found = []
    for name, text in SOURCES.items():
        place = _place(folder, name)
        (place / name).write_text(text, encoding="utf-8")
        found.append(Sample(name, place, lambda copy, name=name: _encode(copy / name), cost=4))
    place = _place(folder, "counts")
    (place / "counts.txt").write_text("the\t9\ncat\t3\nsat 2\n")
    found.append(
        Sample("--vocabulary", place, lambda copy: _encode([["the", "cat"]], copy / "counts.txt"), cost=2)
    )
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return found
    place = _place(folder, "parquet")
    parquet.write_table(pyarrow.table({"text": ["the cat sat", "on the mät"] * 30}), place / "rows.parquet")
    return [*found, Sample("parquet", place, lambda copy: _encode(copy / "rows.parquet"), cost=4)]


def _encode(source: object, vocabulary: Path | None = None) -> None:
    place = source.parent if isinstance(source, Path) else vocabulary.parent if vocabulary else Path()
    options = EncodeOptions(min_count=1, threads=1, vocabulary=str(vocabulary) if vocabulary else None)
    encode(source, place / "encoded", options, overwrite=True)  # type: ignore[arg-type]


def _models(folder: Path) -> list[Sample]:
    model(0).save(folder / "samples" / "model" / "m")
    words = [[corpus(0).vocabulary.words[t] for t in corpus(0).tokens[i : i + 10]] for i in range(0, 500, 10)]
    encode(words, folder / "samples" / "corpus" / "c", EncodeOptions(min_count=1))
    found = [
        Sample("model", folder / "samples" / "model", lambda copy: _use(adagram.load(copy / "m"))),
        Sample("corpus", folder / "samples" / "corpus", _read_corpus, cost=4),
    ]
    for format, form in (("word2vec", "word2vec"), ("word2vec", "word2vec-bin"), ("julia", "julia")):
        place = _place(folder, form)
        export(model(0), place / "vectors", form)
        found.append(
            Sample(
                form, place, lambda copy, format=format: _use(import_model(copy / "vectors", format)), cost=2
            )
        )
    return found


def _use(found: adagram.Model) -> None:
    word = found.vocabulary.words[0]
    found.senses(word, top=3)
    found.disambiguate(word, found.vocabulary.words[1])


def _read_corpus(copy: Path) -> None:
    opened = EncodedCorpus.open(copy / "c")
    Concordance(model(0), opened).examples(model(0).vocabulary.words[0], 3)
    train_encoded(opened, CONFIG, Saving(), lambda progress: None, PACE)


def _checkpoint(folder: Path) -> Sample:
    """Checksums are made anew, so that all that follows them is put to the test by training that goes on."""
    place = _place(folder, "checkpoint")
    n_reports = 0

    def stop(progress: object) -> None:
        nonlocal n_reports
        n_reports += 1
        if n_reports == 2:
            signal.raise_signal(signal.SIGINT)

    with suppress(Interrupted):
        train_encoded(corpus(0), CONFIG, Saving(place / "m"), stop, PACE)
    return Sample("checkpoint", place, _resume, cost=4)


def _resume(copy: Path) -> None:
    folder = checkpoint_folder(copy / "m")
    (folder / "SHA256SUMS").unlink()
    write_sums(folder)
    train_encoded(corpus(0), CONFIG, Saving(copy / "m", resume=True), lambda progress: None, PACE)
