"""An export to TEI Lex-0 keeps the rules of its schema, whatever the words and sentences look like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, parse

import pytest

import adagram
from adagram.export.tables import write_tei
from adagram.model.sheet import SHEET, Collocate, Entry, Example
from model_support import random_model

TEI, XML = "{http://www.tei-c.org/ns/1.0}", "{http://www.w3.org/XML/1998/namespace}"
ODD = ["c++", "3d", "o'neill", "new york", "a<b", "at&t", '"', "#", "x#1", "日本", "-", "w0", "bell\x07", "ﬁn"]
EXAMPLE = 'She said: "3 < 4 & 5 > 2" \x00 ]]>'
NAME = re.compile(r"[^\W\d][\w.-]*")  # an NCName, but for some rare letters


@dataclass(frozen=True)
class Rule:
    """What an element of TEI Lex-0 0.9.5 may and must have, as far as it concerns what is written here."""

    section: str  # of the guidelines at lex-0.org
    children: str = ""  # that it may have
    needed: str = ""  # children that it must have
    values: dict[str, str] = field(default_factory=dict)  # attributes it must have; values where they are listed
    has_text: bool = False
    is_sequence: bool = False  # children stand in this order


IN_SENSE = "c cit def entry etym figure form gloss gramGrp hi lang lbl metamark note num pc ref ruby seg sense usg xr"
USAGE = "temporal geographic socioCultural domain frequency attitude normativity meaningType textType hint"
LANGUAGES = "objectLanguage workingLanguage sourceLanguage targetLanguage"
RULES = {
    "TEI": Rule("1", "teiHeader text", "teiHeader text", {"type": "lex-0"}, is_sequence=True),
    "teiHeader": Rule(
        "1",
        "fileDesc encodingDesc profileDesc xenoData revisionDesc",
        "fileDesc profileDesc",
        is_sequence=True,
    ),
    "fileDesc": Rule(
        "1.1",
        "titleStmt editionStmt extent publicationStmt seriesStmt notesStmt sourceDesc",
        "titleStmt publicationStmt",
        is_sequence=True,
    ),
    "titleStmt": Rule("1.1", "title author editor respStmt", "title"),
    "title": Rule("1.1", has_text=True),
    "publicationStmt": Rule(
        "1.1", "publisher authority availability ref date idno pubPlace", "publisher availability"
    ),
    "publisher": Rule("1.1", has_text=True),
    "availability": Rule("1.1", "p licence"),
    "p": Rule("1.1", has_text=True),
    "notesStmt": Rule("1.1", "note", "note"),
    "note": Rule("1.1", has_text=True),
    "profileDesc": Rule("1.3", "langUsage settingDesc", "langUsage"),
    "langUsage": Rule("1.3", "p language", "language"),
    "language": Rule("1.3", values={"role": LANGUAGES, "ident": ""}, has_text=True),
    "text": Rule("1", "front body back", "body"),
    "body": Rule("2", "entry div"),
    "entry": Rule(
        "2.1",
        "sense pc form gramGrp usg xr etym num lbl note bibl entry ref",
        "form",
        {f"{XML}id": "", f"{XML}lang": "", "type": "mainEntry wordFamily homonymicEntry relatedEntry"},
    ),
    "form": Rule("3.2", "orth pron hyph form gramGrp usg lbl", "orth", {"type": "lemma"}),
    "orth": Rule("3.2", has_text=True),
    "sense": Rule("4", IN_SENSE, values={f"{XML}id": ""}),
    "def": Rule("4.1", has_text=True),
    "gramGrp": Rule("2.2", "gram gramGrp usg"),
    "gram": Rule("2.2.2", values={"type": "pos aspect case gender number collocate"}, has_text=True),
    "cit": Rule("4.2.1", "quote bibl ref note", "quote", {"type": "example translation etymon cognate"}),
    "quote": Rule("4.2.1", has_text=True),
    "bibl": Rule("4.2.1", has_text=True),
    "usg": Rule("7.2", values={"type": USAGE}, has_text=True),
    "xr": Rule("6.1", "ref lbl usg", "ref", {"type": "related synonymy antonymy hypernymy hyponymy meronymy"}),
    "ref": Rule("6.1.1", values={"type": "entry sense bibliography example", "target": ""}, has_text=True),
}  # fmt: skip


def check(element: Element) -> None:
    """An element and all within it keep the rules."""
    name = element.tag.removeprefix(TEI)
    rule, children = RULES[name], [child.tag.removeprefix(TEI) for child in element]
    allowed = rule.children.split()
    assert set(rule.needed.split()) <= set(children) <= set(allowed), name
    if rule.is_sequence:
        assert children == sorted(children, key=allowed.index), name
    for attribute, values in rule.values.items():
        assert element.get(attribute), (name, attribute)
        assert not values or element.get(attribute) in values.split(), (name, element.get(attribute))
    outside = [element.text, *(child.tail for child in element)]
    assert rule.has_text or not "".join(text or "" for text in outside).strip(), name
    for child in element:
        check(child)


@pytest.fixture
def written(tmp_path: Path) -> tuple[adagram.Model, Element]:
    """A model of odd words with a sheet, and its export."""
    folder = tmp_path / "model"
    random_model(words=ODD + [f"usual{i}" for i in range(20)]).save(folder)
    model = adagram.load(folder)
    entries = [
        Entry(
            name, 1.0, 1, "a <label> & more", 1, 1, 1,
            [Collocate("<c>", 3, 3, 9.0, 9.0)],
            [Example(EXAMPLE, "speech.txt", "1999", 0.9), Example("Plain.", "", "", 0.9)],
        )
        for name in model.names(slice(0, model.n_senses))
    ]  # fmt: skip
    (folder / SHEET).write_text("".join(entry.to_json() + "\n" for entry in entries), encoding="utf-8")
    write_tei(adagram.load(folder), tmp_path / "senses.xml")
    return model, parse(tmp_path / "senses.xml").getroot()


def test_the_export_keeps_the_rules_of_the_schema(written: tuple[adagram.Model, Element]) -> None:
    check(written[1])
    roles = [language.get("role") for language in written[1].iter(f"{TEI}language")]
    assert roles == ["objectLanguage", "workingLanguage"]


def test_ids_are_unique_names_and_references_lead_to_them(written: tuple[adagram.Model, Element]) -> None:
    model, root = written
    ids = [element.get(f"{XML}id") for element in root.iter() if element.get(f"{XML}id")]
    assert len(ids) == len(set(ids)) == len(model.vocabulary) + model.n_senses
    assert all(NAME.fullmatch(id) for id in ids)
    owner = {
        f"#{sense.get(f'{XML}id')}": (entry.findtext(f"{TEI}form/{TEI}orth"), sense.get("n"))
        for entry in root.iter(f"{TEI}entry")
        for sense in entry.iter(f"{TEI}sense")
    }
    refs = list(root.iter(f"{TEI}ref"))
    assert refs
    for ref in refs:
        word, k = owner[ref.get("target")]
        assert ref.text == f"{word}#{k}"


def test_words_and_sentences_come_out_as_they_are(written: tuple[adagram.Model, Element]) -> None:
    model, root = written
    lemmas = [entry.findtext(f"{TEI}form/{TEI}orth") for entry in root.iter(f"{TEI}entry")]
    assert lemmas == [word.replace("\x07", "\ufffd") for word in model.vocabulary.words]
    assert {quote.text for quote in root.iter(f"{TEI}quote")} == {EXAMPLE.replace("\x00", "\ufffd"), "Plain."}
    assert {definition.text for definition in root.iter(f"{TEI}def")} == {"a <label> & more"}
    assert {gram.text for gram in root.iter(f"{TEI}gram")} == {"<c>"}
    sources = [cit.findtext(f"{TEI}bibl") for cit in root.iter(f"{TEI}cit")]
    assert set(sources) == {"speech.txt, 1999", None}


def test_the_shares_of_a_word_are_its_priors(written: tuple[adagram.Model, Element]) -> None:
    model, root = written
    shares = [float(usg.text or "") for usg in root.iter(f"{TEI}usg")]
    assert shares == pytest.approx(model.priors.tolist(), abs=1e-4)
