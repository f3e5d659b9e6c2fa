"""Tables of a model's senses: Parquet, the Embedding Projector, CSV, and a TEI Lex-0 dictionary."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape

import numpy as np

from adagram.errors import need
from adagram.export.common import safe_names
from adagram.files.atomic import new_file, new_folder
from adagram.files.folders import PROJECTOR
from adagram.model import Model, Neighbour, Sense
from adagram.model.neighbours import nearest
from adagram.model.sheet import Collocate, Example, entry_of, label_of

NEIGHBOURS = 10
COLUMNS = ("word", "sense", "label", "share", "count", "neighbours", "collocates", "examples")
VECTORS, METADATA, CONFIG = "vectors.tsv", "metadata.tsv", "projector_config.pbtxt"
_CONFIG = f'embeddings {{\n  tensor_name: "senses"\n  tensor_path: "{VECTORS}"\n  metadata_path: "{METADATA}"\n}}\n'
_SENSES_AT_ONCE = 256  # whose neighbours are looked up together
_ROWS_AT_ONCE = 16384  # of a parquet file, so that memory does not grow with the model
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet computes a cell that begins so


def plain_cell(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> plain_cell("=1+1"), plain_cell("bank")
    ("'=1+1", 'bank')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def dictionary(
    model: Model, chosen: Sequence[int] | None = None
) -> Iterator[tuple[Sense, list[Collocate], list[Example]]]:
    """The senses in order, all or those of some rows; without a sheet they have no collocates and examples."""
    every = range(model.n_senses) if chosen is None else chosen
    for start in range(0, len(every), _SENSES_AT_ONCE):
        rows = np.array(every[start : start + _SENSES_AT_ONCE])
        around = nearest(model, rows, NEIGHBOURS, 1.0)
        for row, name, (near, cosines) in zip(rows.tolist(), model.names(rows), around, strict=True):
            entry = entry_of(model, row)
            neighbours = [Neighbour(n, c) for n, c in zip(model.names(near), cosines.tolist(), strict=True)]
            prior, count = float(model.priors[row]), float(model.counts[row])
            sense = Sense(name, prior, count, neighbours, label_of(model, row))
            yield sense, entry.collocates, entry.examples


def write_csv(model: Model, path: Path, overwrite: bool = False) -> None:
    """Columns COLUMNS; neighbours and collocates with commas between them, an example per line of its cell.

    A cell that a spreadsheet would compute, such as the word "=", begins with an apostrophe.
    """
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(csv_rows(model))


def csv_rows(model: Model, chosen: Sequence[int] | None = None) -> Iterator[list[str]]:
    """The rows of the table, of all senses or of some."""
    for sense, collocates, examples in dictionary(model, chosen):
        cells = (
            *(_word(sense), sense.name, sense.label, f"{sense.prior:.4f}", f"{sense.count:.1f}"),
            ", ".join(near.name for near in sense.neighbours),
            ", ".join(collocate.word for collocate in collocates),
            "\n".join(example.text for example in examples),
        )
        yield [plain_cell(cell) for cell in cells]


def write_parquet(model: Model, path: Path, overwrite: bool = False) -> None:
    """Columns word, sense ('apple#0'), prior, count (float64) and vector (a list of float32 of fixed size)."""
    pa = need("pyarrow", "parquet", "the parquet format")
    parquet = need("pyarrow.parquet", "parquet", "the parquet format")
    dim = model.config.dim
    kinds = (pa.string(), pa.string(), pa.float64(), pa.float64(), pa.list_(pa.float32(), dim))
    schema = pa.schema(list(zip(("word", "sense", "prior", "count", "vector"), kinds, strict=True)))
    with new_file(path, overwrite) as made, parquet.ParquetWriter(made, schema) as writer:
        for start in range(0, model.n_senses, _ROWS_AT_ONCE):
            rows = slice(start, min(start + _ROWS_AT_ONCE, model.n_senses))
            names = model.names(rows)
            values = pa.array(np.ascontiguousarray(model.vectors[rows]).ravel())
            columns = [
                pa.array([name.rpartition("#")[0] for name in names]),
                pa.array(names),
                pa.array(model.priors[rows]),
                pa.array(model.counts[rows]),
                pa.FixedSizeListArray.from_arrays(values, dim),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def write_projector(model: Model, path: Path, overwrite: bool = False) -> None:
    """A folder with the vectors, their names, priors and counts, and the configuration that TensorBoard reads."""
    names = safe_names(model, "projector", "\t")
    row_format = "\t".join(["%.9g"] * model.config.dim) + "\n"
    with new_folder(path, PROJECTOR, overwrite) as folder:
        with open(folder / VECTORS, "w", encoding="ascii", newline="\n") as file:
            file.writelines(row_format % tuple(row.tolist()) for row in model.vectors)
        with open(folder / METADATA, "w", encoding="utf-8", newline="\n") as file:
            file.write("sense\tword\tprior\tcount\n")
            for name, prior, count in zip(names, model.priors.tolist(), model.counts.tolist(), strict=True):
                file.write(f"{name}\t{name.rpartition('#')[0]}\t{prior:.6g}\t{count:.6g}\n")
        (folder / CONFIG).write_text(_CONFIG, encoding="ascii")


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" type="lex-0" xml:lang="und">
 <teiHeader>
  <fileDesc>
   <titleStmt><title>Word senses learned by {algorithm}</title></titleStmt>
   <publicationStmt>
    <publisher>adagram</publisher>
    <availability><p>No terms are stated; whoever publishes this file states them here.</p></availability>
   </publicationStmt>
   <notesStmt><note>Learned from {words} words of text; corpus fingerprint {fingerprint}.</note></notesStmt>
  </fileDesc>
  <profileDesc>
   <langUsage>
    <language role="objectLanguage" ident="und"/>
    <language role="workingLanguage" ident="und"/>
   </langUsage>
  </profileDesc>
 </teiHeader>
 <text>
  <body>
"""
_FOOTER = """  </body>
 </text>
</TEI>
"""


def write_tei(model: Model, path: Path, overwrite: bool = False) -> None:
    """Definitions are labels, citations the examples, references the nearest senses; the language is not known."""
    corpus = model.info.get("corpus", {})
    header = _HEADER.format(
        algorithm=_text(model.config.algorithm),
        words=_text(str(corpus.get("tokens", "an unknown number of"))),
        fingerprint=_text(str(corpus.get("fingerprint", "unknown"))),
    )
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8") as file:
        file.write(header)
        for word, senses in groupby(dictionary(model), key=lambda each: _word(each[0])):
            entry = _id(model, word)
            file.write(f'   <entry xml:id="{entry}" xml:lang="und" type="mainEntry">\n')
            file.write(f'    <form type="lemma"><orth>{_text(word)}</orth></form>\n')
            for sense in senses:
                _write_sense(file, model, entry, *sense)
            file.write("   </entry>\n")
        file.write(_FOOTER)


def _write_sense(
    file: TextIO, model: Model, entry: str, sense: Sense, collocates: list[Collocate], examples: list[Example]
) -> None:
    k = sense.name.rpartition("#")[2]
    file.write(f'    <sense xml:id="{entry}.{k}" n="{k}">\n')
    file.write(f'     <usg type="frequency">{sense.prior:.4f}</usg>\n')
    if sense.label:
        file.write(f"     <def>{_text(sense.label)}</def>\n")
    if collocates:
        grams = "".join(f'<gram type="collocate">{_text(c.word)}</gram>' for c in collocates)
        file.write(f"     <gramGrp>{grams}</gramGrp>\n")
    for example in examples:
        source = ", ".join(part for part in (example.document, example.date) if part)
        file.write(f'     <cit type="example"><quote>{_text(example.text)}</quote>')
        file.write(f"<bibl>{_text(source)}</bibl></cit>\n" if source else "</cit>\n")
    for near in sense.neighbours:
        word, _, k = near.name.rpartition("#")
        file.write(f'     <xr type="related"><ref type="sense" target="#{_id(model, word)}.{k}">')
        file.write(f"{_text(near.name)}</ref></xr>\n")
    file.write("    </sense>\n")


def _word(sense: Sense) -> str:
    return sense.name.rpartition("#")[0]


def _id(model: Model, word: str) -> str:
    """The number of the word in the vocabulary: many words, such as 3d and c++, are not names in XML."""
    return f"w{model.vocabulary.id(word)}"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
