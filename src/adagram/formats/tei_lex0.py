"""TEI Lex-0, the baseline encoding of dictionaries: an entry per word, a sense per sense."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from adagram.formats.dictionary import DictionarySense, dictionary
from adagram.model import Model
from adagram.whole import new_file

_LANGUAGE = "und"  # a model does not know what language it is of
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" type="lex-0" xml:lang="{language}">
 <teiHeader>
  <fileDesc>
   <titleStmt><title>Word senses learned by {algorithm}</title></titleStmt>
   <publicationStmt><p>Exported by adagram.</p></publicationStmt>
   <sourceDesc><p>Learned from {words} words of text; corpus fingerprint {fingerprint}.</p></sourceDesc>
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
        for number, (word, senses) in enumerate(groupby(dictionary(model), key=lambda sense: sense.word)):
            _write_entry(file, model, f"w{number}", word, senses)
        file.write(_FOOTER)


def _write_entry(file: TextIO, model: Model, id: str, word: str, senses: Iterable[DictionarySense]) -> None:
    file.write(f'   <entry xml:id="{id}" xml:lang="{_LANGUAGE}">\n')
    file.write(f'    <form type="lemma"><orth>{_text(word)}</orth></form>\n')
    for sense in senses:
        k = sense.name.rpartition("#")[2]
        file.write(f'    <sense xml:id="{id}.{k}" n="{k}">\n')
        file.write(f'     <usg type="frequency">{sense.share:.4f}</usg>\n')
        if sense.label:
            file.write(f"     <def>{_text(sense.label)}</def>\n")
        for example in sense.examples:
            source = ", ".join(part for part in (example.document, example.date) if part)
            file.write(f'     <cit type="example"><quote>{_text(example.text)}</quote>')
            file.write(f"<bibl>{_text(source)}</bibl></cit>\n" if source else "</cit>\n")
        for near in sense.neighbours:
            file.write(f'     <xr type="related"><ref type="sense" target={_target(model, near.name)}>')
            file.write(f"{_text(near.name)}</ref></xr>\n")
        file.write("    </sense>\n")
    file.write("   </entry>\n")


def _target(model: Model, name: str) -> str:
    word, _, k = name.rpartition("#")
    return quoteattr(f"#w{model.vocabulary.id(word)}.{k}")


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
