"""TEI Lex-0, the baseline encoding of dictionaries: an entry per word, a sense per sense."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape

from adagram.export.tables import DictionarySense, dictionary
from adagram.files.atomic import new_file
from adagram.model import Model

_LANGUAGE = "und"  # a model does not record its language
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" type="lex-0" xml:lang="{language}">
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
    <language role="objectLanguage" ident="{language}"/>
    <language role="workingLanguage" ident="{language}"/>
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
    """Definitions are labels, citations the examples, references the nearest senses."""
    corpus = model.info.get("corpus", {})
    header = _HEADER.format(
        language=_LANGUAGE,
        algorithm=_text(model.config.algorithm),
        words=_text(str(corpus.get("tokens", "an unknown number of"))),
        fingerprint=_text(str(corpus.get("fingerprint", "unknown"))),
    )
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8") as file:
        file.write(header)
        for word, senses in groupby(dictionary(model), key=lambda sense: sense.word):
            _write_entry(file, model, word, senses)
        file.write(_FOOTER)


def _write_entry(file: TextIO, model: Model, word: str, senses: Iterable[DictionarySense]) -> None:
    entry = _id(model, word)
    file.write(f'   <entry xml:id="{entry}" xml:lang="{_LANGUAGE}" type="mainEntry">\n')
    file.write(f'    <form type="lemma"><orth>{_text(word)}</orth></form>\n')
    for sense in senses:
        k = sense.name.rpartition("#")[2]
        file.write(f'    <sense xml:id="{entry}.{k}" n="{k}">\n')
        file.write(f'     <usg type="frequency">{sense.share:.4f}</usg>\n')
        if sense.label:
            file.write(f"     <def>{_text(sense.label)}</def>\n")
        if sense.collocates:
            grams = "".join(f'<gram type="collocate">{_text(c.word)}</gram>' for c in sense.collocates)
            file.write(f"     <gramGrp>{grams}</gramGrp>\n")
        for example in sense.examples:
            source = ", ".join(part for part in (example.document, example.date) if part)
            file.write(f'     <cit type="example"><quote>{_text(example.text)}</quote>')
            file.write(f"<bibl>{_text(source)}</bibl></cit>\n" if source else "</cit>\n")
        for near in sense.neighbours:
            word, _, k = near.name.rpartition("#")
            file.write(f'     <xr type="related"><ref type="sense" target="#{_id(model, word)}.{k}">')
            file.write(f"{_text(near.name)}</ref></xr>\n")
        file.write("    </sense>\n")
    file.write("   </entry>\n")


def _id(model: Model, word: str) -> str:
    """The number of the word in the vocabulary: many words, such as 3d and c++, are not names in XML."""
    return f"w{model.vocabulary.id(word)}"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
