"""MediaWiki export XML as a stream of pages; memory is bounded by one page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO
from xml.parsers import expat

from adagram.errors import InputError
from adagram.text.mediawiki_markup import strip_markup
from adagram.text.mediawiki_names import REDIRECT_WORDS

__all__ = ["Page", "iter_pages", "strip_markup"]

CHUNK_BYTES = 1 << 18
FRAGMENT_START, FRAGMENT_END = b"<mediawiki>", b"</mediawiki>"
_REDIRECT = re.compile(
    rf"\s*#\s*(?:{'|'.join(REDIRECT_WORDS)})\s*:?\s*\[\[([^\[\]|#\n]{{1,255}})", re.IGNORECASE
)
_NAMESPACE = re.compile(r"-?[0-9]{1,9}")
_KEPT = frozenset(("title", "ns", "text"))


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a wiki: its newest stored revision as raw wikitext; `redirect` is the target's title."""

    title: str
    namespace: int
    redirect: str | None
    text: str


def iter_pages(stream: BinaryIO, name: str) -> Iterator[Page]:
    """Pages of MediaWiki export XML, any schema; InputError with `name` if it is cut off or damaged."""
    parser = _PageParser(name)
    while chunk := stream.read(CHUNK_BYTES):
        yield from parser.feed(chunk)
    yield from parser.feed(b"", is_final=True)


def iter_fragment(pages_xml: bytes, name: str, offset: int = 0) -> Iterator[Page]:
    """Pages of a run of whole `<page>` elements cut out of a dump, such as one part of a multistream file.

    `offset` is where the run starts in the dump, for the message if it is damaged.
    """
    parser = _PageParser(name, offset)
    yield from parser.feed(FRAGMENT_START)
    view = memoryview(pages_xml)
    for start in range(0, len(view), CHUNK_BYTES):
        yield from parser.feed(bytes(view[start : start + CHUNK_BYTES]))
    yield from parser.feed(FRAGMENT_END, is_final=True)


class _PageParser:
    """Expat with handlers that keep title, namespace, redirect and text of each page, and nothing else."""

    def __init__(self, name: str, offset: int = 0) -> None:
        self._name = name
        self._offset = offset
        self._ready: list[Page] = []
        self._field: str | None = None
        self._parts: list[str] = []
        self._values: dict[str, str] = {}
        self._redirect: str | None = None
        self._is_mediawiki = False
        self._in_page = False
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.buffer_size = 1 << 16
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._doctype

    def feed(self, data: bytes, is_final: bool = False) -> list[Page]:
        """Parse `data` and return the pages that ended in it."""
        try:
            self._expat.Parse(data, is_final)
        except expat.ExpatError as error:
            raise InputError(self._sentence(error)) from error
        except (ValueError, LookupError) as error:  # an encoding that expat does not know
            raise InputError(f"{self._name} is no dump in UTF-8: {error}; fetch it again") from error
        ready, self._ready = self._ready, []
        return ready

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _KEPT:
            if self._in_page:
                self._field = tag
                self._parts = []
                self._expat.CharacterDataHandler = self._parts.append
        elif tag == "page":
            self._in_page = True
            self._values.clear()
            self._redirect = None
        elif tag == "redirect":
            self._redirect = attributes.get("title", "")
        elif not self._is_mediawiki:
            if tag != "mediawiki":
                raise InputError(f"{self._name} is not a MediaWiki dump: its first element is <{tag[:40]}>")
            self._is_mediawiki = True

    def _end(self, tag: str) -> None:
        if tag == self._field:
            self._values[tag] = "".join(self._parts)
            self._field = None
            self._expat.CharacterDataHandler = None
        elif tag == "page":
            self._in_page = False
            self._ready.append(self._page())

    def _page(self) -> Page:
        title = self._values.get("title")
        if title is None:
            raise InputError(f"{self._name} is damaged: a page without a title near line {self._line()}")
        namespace = self._values.get("ns", "0").strip()
        if not _NAMESPACE.fullmatch(namespace):
            raise InputError(f"{self._name} is damaged: page {title!r} has the namespace {namespace[:40]!r}")
        text = self._values.get("text", "")
        redirect = self._redirect
        if not redirect and (match := _REDIRECT.match(text)):  # dumps before 2012 do not name the target
            redirect = match[1].strip()
        return Page(title, int(namespace), redirect, text)

    def _doctype(self, *_: object) -> None:
        raise InputError(f"{self._name} is not a MediaWiki dump: it declares a document type")

    def _line(self) -> int:
        return self._expat.CurrentLineNumber

    def _sentence(self, error: expat.ExpatError) -> str:
        if error.code in _CUT_CODES:
            where = "in the middle" if self._is_mediawiki else "before its first page"
            return f"{self._name} is cut off {where} (the XML ends before </mediawiki>); fetch it again"
        reason = expat.ErrorString(error.code)
        part = f" of the part at byte {self._offset}" if self._offset else ""
        return f"{self._name} is damaged: {reason} in line {error.lineno}{part}; fetch it again"


_CUT_CODES = frozenset(
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
