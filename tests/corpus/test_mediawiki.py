"""Pages of a dump and the prose of wikitext: read as written, or an error that names the file."""

from __future__ import annotations

import io
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import cast
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.corpus.mediawiki import Page, iter_pages, strip_markup
from adagram.errors import InputError

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-{0}/" version="{0}" xml:lang="en">\n'
SITE = "<siteinfo><sitename>Test</sitename><namespaces><namespace key='0' /></namespaces></siteinfo>\n"


def page_xml(page: Page) -> str:
    redirect = "" if page.redirect is None else f"<redirect title={quoteattr(page.redirect)} />"
    return (
        f"<page>\n<title>{escape(page.title)}</title><ns>{page.namespace}</ns><id>1</id>{redirect}"
        f"<revision><id>2</id><comment>text</comment><text bytes='1'>{escape(page.text)}</text></revision>\n</page>\n"
    )


def dump_xml(*pages: Page, schema: str = "0.11") -> bytes:
    return (HEAD.format(schema) + SITE + "".join(map(page_xml, pages)) + "</mediawiki>\n").encode()


def read(xml: bytes) -> list[Page]:
    return list(iter_pages(io.BytesIO(xml), "wiki.xml"))


# XML has no place for control characters and surrogates, and turns \r into \n.
xml_text = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff") | st.just("\n")
)
titles = st.text(st.characters(whitelist_categories=("L", "N", "P")), min_size=1, max_size=20)
pages = st.builds(
    Page, titles, st.integers(-2, 3000), st.none() | titles, xml_text.map(lambda text: text.lstrip(" #\n"))
)


@given(st.lists(pages, max_size=4), st.sampled_from(["0.3", "0.5", "0.10", "0.11", "0.99"]))
def test_what_was_written_is_read(written: list[Page], schema: str) -> None:
    written = [page for page in written if not page.text.strip().startswith("#")]
    assert read(dump_xml(*written, schema=schema)) == written


PAIR = [Page("Mouse", 0, None, "A & <b>mouse</b> é\n"), Page("Mice", 0, "Mouse", "#REDIRECT [[Mouse]]")]


def test_every_cut_is_noticed() -> None:
    xml = dump_xml(*PAIR).rstrip()
    for end in range(len(xml)):
        with pytest.raises(InputError, match=r"wiki\.xml"):
            read(xml[:end])
    assert read(xml) == PAIR


@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_damage_is_an_input_error_or_other_text(place: int, junk: bytes) -> None:
    xml = dump_xml(*PAIR)
    with suppress(InputError):  # any other exception fails the test
        assert len(read(xml[:place] + junk + xml[place + len(junk) :])) <= len(PAIR)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_one_sentence(junk: bytes) -> None:
    with pytest.raises(InputError, match=r"^wiki\.xml [^\n]*$"):
        read(junk)


def test_the_last_revision_counts() -> None:
    revisions = "<revision><text>old</text></revision><revision><text>new</text></revision>"
    xml = HEAD.format("0.11") + f"<page><title>T</title><ns>0</ns>{revisions}</page></mediawiki>"
    assert read(xml.encode()) == [Page("T", 0, None, "new")]


def test_other_documents_are_named_as_such() -> None:
    with pytest.raises(InputError, match=r"wiki\.xml is not a MediaWiki dump: its first element is <html>"):
        read(b"<html><body/></html>")
    bomb = b'<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><mediawiki>&b;</mediawiki>'
    with pytest.raises(InputError, match="declares a document type"):
        read(bomb)


class Endless(io.RawIOBase):
    """A dump of so many pages of 100 kB, made while it is read."""

    def __init__(self, n_pages: int) -> None:
        self._parts: Iterator[bytes] = self._make(n_pages)

    def _make(self, n_pages: int) -> Iterator[bytes]:
        yield HEAD.format("0.11").encode()
        page = page_xml(Page("T", 0, None, "mouse " * 16_000)).encode()
        for _ in range(n_pages):
            yield page
        yield b"</mediawiki>"

    def read(self, size: int = -1) -> bytes:
        return next(self._parts, b"")


def test_memory_is_bounded_by_a_page() -> None:
    tracemalloc.start()
    try:
        n_pages = sum(1 for _ in iter_pages(cast(io.BufferedReader, Endless(300)), "wiki.xml"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert n_pages == 300  # 29 MB
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("wikitext", "prose"),
    [
        ("'''Apple''' is ''a'' fruit", "Apple is a fruit"),
        ("two [[dog]]s and a [[Felis catus|cat]]", "two dogs and a cat"),
        ("[[Star Trek: Voyager]] and [[a|b: c]]", "Star Trek: Voyager and b: c"),
        ("[[:Category:Trees|trees]] grow", "trees grow"),
        ("a {{b|{{c|{{{1|}}}}}|[[d]]}} e", "a e"),
        ("north{{sfn|X}}south, end{{sfn}}.", "north south, end."),
        ("{{a|{}}} after", "after"),
        ("x [[File:A b.jpg|thumb|a [[nested]] {{t}} caption]] y", "x y"),
        ("x [[Datei:A.jpg|mini|Baum]] y [[Категория:Деревья]] z", "x y z"),
        ("text [[Category:Trees|*]]\n[[de:Apfel]]\n[[zh-min-nan:Foo]]", "text"),
        ("before\n{| class=x\n! h\n|-\n| a || b\n {|\n| inner\n |}\n|}\nafter", "before\nafter"),
        (":{|\n| indented\n|}\nafter", "after"),
        ("{{T|\n{|\n| x\n|}\n}}after", "after"),
        ("a<ref>b</ref> c<ref name=x /> d<REF group=n>[[e]]</REF>", "a c d"),
        ("a <!-- b [[c <ref --> d", "a d"),
        ("a <!-- never closed", "a"),
        ("<gallery>\nFile:a.jpg|cap\n</gallery>\nafter <math>x^2</math>.", "after ."),
        ("H<sub>2</sub>O a<br />b <span style='x'>c</span>", "H2O a b c"),
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ("R&amp;D caf&eacute;&nbsp;x &#8211; &lt;b&gt;", "R&D café x – <b>"),
        ("see [http://a.b/c?d=e the site] or http://x.org/y.", "see the site or"),
        ("<nowiki>[[not|a link]] {{x}}</nowiki>", "not a link x"),
        ("== History ==\n* one\n#: two\n----\n;three", "History\none\ntwo\nthree"),
        ("__NOTOC__\ntext", "text"),
        ("an {{unclosed template\nand [[an unclosed link", "an unclosed template\nand an unclosed link"),
        ("a }} stray ]] closer |} here", "a stray closer | here"),
        ("a [[b {{c]] d}} e", "a b c d e"),
        ("| debris of a table\nprose", "prose"),
        ("<ref>unclosed reference", "unclosed reference"),
        ("{{", ""),
        ("", ""),
    ],
)
def test_prose_is_what_a_reader_sees(wikitext: str, prose: str) -> None:
    assert strip_markup(wikitext) == prose


PIECES = ["[[", "]]", "{{", "}}", "{{{", "}}}", "\n{|", "\n|}", "<ref>", "</ref>", "<ref", "/>", "<!--", "-->", "|"]
PIECES += [
    "<nowiki>",
    "</nowiki>",
    "File:",
    "Category:",
    "de:",
    "\n",
    "''",
    "=",
    "&amp;",
    "&#x",
    "http://",
    " ",
    "ж",
    "a",
]
soup = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=60).map("".join)


@given(soup)
def test_no_markup_survives_and_nothing_crashes(wikitext: str) -> None:
    prose = strip_markup(wikitext)
    assert "[[" not in prose
    assert "{{" not in prose
    assert "\n\n" not in prose
    assert len(prose) <= len(wikitext) + 8 * wikitext.count("&")


@given(soup, soup)
def test_a_comment_hides_whatever_it_holds(hidden: str, before: str) -> None:
    hidden, before = hidden.replace("-", ""), before.replace("<", "")
    assert strip_markup(f"{before}<!--{hidden}-->end") == strip_markup(f"{before}end")


@given(st.lists(st.sampled_from(["{{", "}}", "[[", "]]", "x", "|"]), max_size=40).map("".join))
def test_a_balanced_template_leaves_no_trace(inner: str) -> None:
    balanced = inner.replace("}", "").replace("{", "")
    assert strip_markup("A {{" + balanced + "}} B").replace("  ", " ") == "A B"


@given(st.text(alphabet="abc дé,.\n", max_size=200))
def test_plain_text_stays(text: str) -> None:
    assert strip_markup(text).split() == text.split()


HOSTILE = ["{{", "[[", "\n{|", "<ref>", "<!--", "<ref ", "[[{{", "}}", "]]", "<", "[[a|", "[[File:", "&", "'", "\n=="]
HOSTILE += ["{{{", "\n|}", " ", "[http://", "__A", "[[[[ |", "<nowiki>", "\n{|\n{{", "\n:", "[[ ]]{{ ", "-", "a:", "\\"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_markup_takes_linear_time(piece: str) -> None:
    """50 kB of one construct, opened and then closed, take a blink; a quadratic step would take minutes."""
    closer = {"[": "]]", "{": "}}", "<": "</ref>"}.get(piece.lstrip()[:1], ">")
    n = 50_000 // len(piece)
    started = time.process_time()
    strip_markup(piece * n)
    strip_markup(piece * n + closer * n)
    assert time.process_time() - started < 2
