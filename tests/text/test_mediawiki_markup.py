"""strip_markup: what a reader of the page would see, and linear time on anything."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.text.mediawiki_markup import strip_markup


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


PIECES = [
    "[[",
    "]]",
    "{{",
    "}}",
    "{{{",
    "}}}",
    "\n{|",
    "\n|}",
    "<ref>",
    "</ref>",
    "<ref",
    "/>",
    "<!--",
    "-->",
    "|",
]
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


HOSTILE = [
    "{{",
    "[[",
    "\n{|",
    "<ref>",
    "<!--",
    "<ref ",
    "[[{{",
    "}}",
    "]]",
    "<",
    "[[a|",
    "[[File:",
    "&",
    "'",
    "\n==",
]
HOSTILE += [
    "{{{",
    "\n|}",
    " ",
    "[http://",
    "__A",
    "[[[[ |",
    "<nowiki>",
    "\n{|\n{{",
    "\n:",
    "[[ ]]{{ ",
    "-",
    "a:",
    "\\",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_markup_takes_linear_time(piece: str) -> None:
    """100 kB of one construct, opened and then closed, take a blink; a quadratic step would take minutes."""
    closer = {"[": "]]", "{": "}}", "<": "</ref>"}.get(piece.lstrip()[:1], ">")
    n = 100_000 // len(piece)
    started = time.perf_counter()
    strip_markup(piece * n)
    strip_markup(piece * n + closer * n)
    assert time.perf_counter() - started < 5
