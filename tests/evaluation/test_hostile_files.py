"""Files made to hang or to break a reader are read in an instant, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.evaluation.search import read_search_set
from adagram.evaluation.similarity import read_scws
from adagram.evaluation.wsi_data import read_xml


def xml(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "task.xml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE[" * 40_000,
        "<?xml" * 100_000,
        "<a>" * 3_000 + "</a>" * 3_000,
        "<!DOC<!DOCTYPE x>TYPE r [<!ENTITY a 'boo'>]><r>&a;</r>",
        "<!DOCTYPE r [<!ENTITY a 'boo'><!ENTITY b '&a;&a;'>]><r><instance id='x.n.1'>&b;</instance></r>",
        "<r><instance id='x.n.1'>&#" + "9" * 5_000 + ";</instance></r>",
        "",
    ],
)
def test_xml_that_is_made_to_do_harm_is_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"task\.xml"):
        read_xml(xml(tmp_path, text))


def test_no_file_named_by_a_document_type_is_read(tmp_path):
    (tmp_path / "secret").write_text("password")
    text = f'<!DOCTYPE r SYSTEM "{tmp_path}/secret"><r><instance id="x.n.1">a <head>x</head> &b;</instance></r>'
    (instance,) = read_xml(xml(tmp_path, text))
    assert (instance.left, instance.right) == ("a", "&b;")


@pytest.mark.parametrize("place", ["²", "9" * 5_000, "-1"])
def test_places_that_are_no_numbers_are_not_believed(tmp_path, place):
    places = f'token="x" tokenStart="{place}" tokenEnd="4"'
    text = f'<r><instance id="x.n.1" lemma="x" partOfSpeech="n" {places}>an x</instance></r>'
    (instance,) = read_xml(xml(tmp_path, text))
    assert instance.left == "an"


def test_a_line_of_blanks_in_scws(tmp_path):
    cells = ["1", "bank", "n", "shore", "n", "<b>" + " " * 400_000, "a <b> shore </b> b", "5.0", "5.0"]
    (tmp_path / "ratings.txt").write_text("\t".join(cells) + "\n")
    with pytest.raises(InputError, match="line 1: the context of bank marks no target"):
        read_scws(tmp_path / "ratings.txt")


@pytest.mark.parametrize("snippet", ["<" * 100_000, "“" * 100_000, "&#" + "9" * 5_000 + ";"])
def test_snippets_of_a_search_set(tmp_path, snippet):
    (tmp_path / "topics.txt").write_text("ID\tdescription\n1\tbank\n")
    (tmp_path / "results.txt").write_text(f"ID\turl\ttitle\tsnippet\n1.1\tu\tt\t{snippet}\n", encoding="utf-8")
    (tmp_path / "STRel.txt").write_text("subTopicID\tresultID\n1.1\t1.1\n")
    (query,) = read_search_set(tmp_path)
    assert query.results["1.1"].startswith("t ")
