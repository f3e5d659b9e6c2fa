"""XML to a tree of elements, without document types that define anything, and not deeper than real data."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from adagram.errors import InputError

DEEPEST = 200  # elements inside each other


def parse_xml(text: str, name: str) -> Element:
    """The root element. A document type may name a file, which is not read; definitions are refused."""
    return _Parser(name).parse(text)


class _Parser:
    def __init__(self, name: str) -> None:
        self._name, self._depth = name, 0
        self._tree = TreeBuilder()
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._tree.data
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._expat.EntityDeclHandler = self._refuse

    def parse(self, text: str) -> Element:
        try:
            self._expat.Parse(text, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(f"{self._name} line {error.lineno}: not well-formed XML ({reason})") from None
        except ValueError as error:  # characters that UTF-8 cannot have
            raise InputError(f"{self._name}: not well-formed XML ({error})") from None
        return self._tree.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            line = self._expat.CurrentLineNumber
            raise InputError(f"{self._name} line {line}: more than {DEEPEST} elements inside each other")
        self._tree.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(tag)

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if has_subset:
            self._refuse()

    def _refuse(self, *_: object) -> None:
        line = self._expat.CurrentLineNumber
        raise InputError(f"{self._name} line {line}: it defines a document type; remove the definitions")
