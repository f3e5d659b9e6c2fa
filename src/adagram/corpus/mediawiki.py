"""MediaWiki dumps: export XML to pages, and wikitext to prose.

Pages are parsed as a stream; memory is bounded by one page. Wikitext is stripped in one linear pass per construct:
delimiters are found by regexes that cannot backtrack and paired with a stack, and the cuts are made in one join. A
delimiter without a partner is plain text, as in MediaWiki.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers import expat

from adagram.corpus.decode import unescape
from adagram.errors import InputError


def _names(text: str) -> frozenset[str]:
    """Names of namespaces in the larger Wikipedias, lower-case."""
    return frozenset(name.replace("_", " ") for name in text.split())


FILE_NAMESPACES = _names("""
    file image media datei bild fichier archivo imagen ficheiro imagem arquivo immagine bestand afbeelding
    plik grafika soubor fil tiedosto kuva dosya resim fájl kép fitxer imatge fișier imagine súbor
    slika datoteka berkas gambar tập_tin hình attēls vaizdas pilt fitxategi irudi dosiero skrá mynd íomhá
    файл изображение зображення датотека слика выява картинка αρχείο εικόνα 文件 檔案 图像 圖像 ファイル 画像
    파일 그림 קובץ תמונה ملف صورة پرونده تصویر चित्र ছবি படிமம் ไฟล์ ภาพ պատկեր ფაილი სურათი
""")
CATEGORY_NAMESPACES = _names("""
    category kategorie catégorie categoría categoria categorie kategoria kategori luokka kategória kategorija
    thể_loại kategooria kategorio kategorija flokkur catagóir rummad kategoriya
    категория категорія категорија катэгорыя κατηγορία 分类 分類 カテゴリ 분류 קטגוריה تصنيف رده श्रेणी
    বিষয়শ্রেণী பகுப்பு หมวดหมู่ կատեգորիա კატეგორია
""")
CHUNK_BYTES = 1 << 18
_NAMESPACE = re.compile(r"-?[0-9]{1,9}")

# Elements whose content is not prose. Everything else loses its tags and keeps its content.
_DROPPED_TAGS = (
    "ref|references|gallery|math|chem|ce|source|syntaxhighlight|score|timeline|hiero|graph|mapframe|maplink|"
    "imagemap|templatedata|templatestyles|inputbox|categorytree|style|script|pre|indicator"
)
_RAW_TAG = re.compile(rf"<(/?)({_DROPPED_TAGS}|nowiki)(?![\w-])[^<>]*>", re.IGNORECASE)
_MARKUP_IN_NOWIKI = str.maketrans("[]{}|<>=*#:;'", " " * 13)

# Each alternative starts with a literal, which lets `re` skip ahead; hence the line break before table marks.
_DELIMITER = re.compile(r"\{\{+|\}\}+|\[\[|\]\]|\n\{\||\n\|\}(?!\})")
_INDENTED_TABLE = re.compile(r"\n[ \t:]+(?=\{\||\|\})")
_PLAIN_LINK = re.compile(r"\[\[(?:[^\[\]{}|:\n]*\|)?([^\[\]{}|:\n]*)\]\]")
_GONE_NAMESPACES = FILE_NAMESPACES | CATEGORY_NAMESPACES
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10}){0,2}")
_LONGEST_NAMESPACE = 40

_URL = re.compile(r"https?://[^\s\]<>\"|]*|ftp://[^\s\]<>\"|]*|(?<=\[)//[^\s\]<>\"|]*|mailto:[^\s\]]*")
_BLOCK_TAG = re.compile(
    r"<(?:/(?=[a-z]))?(?:br|p|div|hr|li|ul|ol|dl|dd|dt|td|th|tr|table|blockquote|center|poem|h[1-6])(?![\w-])[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SWITCH = re.compile(r"__[A-Z]{3,40}__")
_EMPHASIS = re.compile(r"''+")
_SPACES = re.compile("  +")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

_BRACE, _LINK, _TABLE = 0, 1, 2
_Cut = tuple[int, int, bool]  # start, end, and whether words on both sides of it stay apart


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a wiki: its newest stored revision as raw wikitext; `redirect` is the target's title."""

    title: str
    namespace: int
    redirect: str | None
    text: str


def iter_pages(stream: BinaryIO, name: str) -> Iterator[Page]:
    """Yield the pages of MediaWiki export XML, any schema; InputError with `name` if it is cut off or damaged."""
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    root: Element | None = None
    is_over = False
    try:
        while not is_over:
            chunk = stream.read(CHUNK_BYTES)
            is_over = not chunk
            if root is None and b"<!DOCTYPE" in chunk.partition(b"<mediawiki")[0]:
                raise InputError(f"{name} is not a MediaWiki dump: it declares a document type")
            parser.feed(chunk) if chunk else parser.close()
            for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                tag = _plain_tag(element)
                if root is None and tag != "mediawiki":
                    raise InputError(f"{name} is not a MediaWiki dump: its first element is <{tag[:40]}>")
                root = element if root is None else root
                if event == "end" and tag == "page":
                    yield _page(element, name)
                    root.clear()
    except ParseError as error:
        reason = f"{expat.ErrorString(error.code)} in line {error.position[0]}"
        raise InputError(f"{name} is damaged or cut off: {reason}; fetch it again") from error
    except (ValueError, LookupError) as error:  # an encoding that expat does not know
        raise InputError(f"{name} is not a dump in UTF-8: {error}; fetch it again") from error


def _plain_tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _page(element: Element, name: str) -> Page:
    found = {_plain_tag(part): part for part in element.iter()}  # of several revisions the last
    if "title" not in found:
        raise InputError(f"{name} is damaged: it has a page without a title")
    values = {tag: "".join(part.itertext()) for tag, part in found.items() if tag in ("title", "ns", "text")}
    namespace = values.get("ns", "0").strip()
    if not _NAMESPACE.fullmatch(namespace):
        raise InputError(f"{name} is damaged: page {values['title']!r} has the namespace {namespace[:40]!r}")
    redirect = found["redirect"].get("title", "") if "redirect" in found else None
    return Page(values["title"], int(namespace), redirect, values.get("text", ""))


def strip_markup(wikitext: str) -> str:
    """Return the prose of `wikitext`: link text and headings stay; templates, tables, refs, files and tags go.

    >>> strip_markup("A '''[[apple|red apple]]'''{{cite}} is a [[fruit]].<ref>Smith</ref>")
    'A red apple is a fruit.'
    """
    text = drop_comments(wikitext)
    if "<" in text:
        text = _drop_raw_elements(text)
    text = _drop_nested(text)
    if "//" in text or "mailto:" in text:
        text = _URL.sub(" ", text)
    if "<" in text:
        text = _TAG.sub("", _BLOCK_TAG.sub(" ", text))
    if "__" in text:
        text = _SWITCH.sub("", text)
    text = _EMPHASIS.sub("", text)
    for bracket in "[]{}":
        text = text.replace(bracket, "")
    if "&" in text:
        text = unescape(text).replace("\xa0", " ")
    return _clean_lines(text)


def drop_comments(text: str) -> str:
    """Remove `<!-- ... -->`; one that is never closed runs to the end, as in MediaWiki."""
    return _COMMENT.sub("", text)


def _drop_raw_elements(text: str) -> str:
    """Remove elements whose content is not prose, and markup inside nowiki."""
    tags = list(_RAW_TAG.finditer(text))
    last_closer = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    parts: list[str] = []
    kept_until = 0  # everything before it is in `parts` or left out
    open_name = ""
    for tag in tags:
        name = tag[2].lower()
        if open_name:
            if not (tag[1] and name == open_name):
                continue
            if open_name == "nowiki":
                parts.append(text[kept_until : tag.start()].translate(_MARKUP_IN_NOWIKI))
            open_name = ""
        else:
            parts.append(text[kept_until : tag.start()])
            is_opener = not tag[1] and not tag[0].endswith("/>")
            if is_opener and last_closer.get(name, -1) >= tag.end():
                open_name = name
        kept_until = tag.end()
    parts.append(text[kept_until:])
    return "".join(parts)


def _drop_nested(text: str) -> str:
    """Remove templates, tables, files and categories, however nested; links become their text."""
    text = "".join(_PLAIN_LINK.split("\n" + text))  # the same as sub(r"\1"), three times as fast
    if "{|" in text:
        text = _INDENTED_TABLE.sub("\n", text)
    cuts = _find_cuts(text)
    cuts.sort()
    parts: list[str] = []
    kept_until = 0
    for start, end, is_gap in cuts:
        if start >= kept_until:
            parts.append(text[kept_until:start])
            if is_gap and text[start - 1].isalnum() and text[end : end + 1].isalnum():
                parts.append(" ")
        kept_until = max(kept_until, end)
    parts.append(text[kept_until:])
    return "".join(parts)


def _find_cuts(text: str) -> list[_Cut]:
    """Pair the delimiters; an opener skipped by the closer of an outer construct stays plain text."""
    cuts: list[_Cut] = []
    delimiters = [(match.start(), match.end()) for match in _DELIMITER.finditer(text)]
    stack: list[tuple[int, int, int]] = []  # kind, index of the delimiter, braces still open
    n_open = [0, 0, 0]
    for index, (start, end) in enumerate(delimiters):
        last = text[end - 1]
        if last in "{[|":
            kind = _BRACE if last == "{" else _LINK if last == "[" else _TABLE
            stack.append((kind, index, end - start))
            n_open[kind] += 1
            continue
        kind = _LINK if last == "]" else _TABLE if text[end - 2] == "|" else _BRACE
        left = end - start  # braces of this closer not yet used
        while left >= 2 and n_open[kind]:
            while stack[-1][0] != kind:
                n_open[stack.pop()[0]] -= 1
            _, opener, width = stack.pop()
            opened = delimiters[opener][0]
            if kind != _BRACE:
                n_open[kind] -= 1
                left = 0
                if kind == _TABLE:
                    cuts.append((opened, end, True))
                else:
                    cuts += _link_cuts(text, opened, delimiters[opener + 1][0], end)
                continue
            used = min(left, width)
            left, width = left - used, width - used
            if width >= 2:
                stack.append((kind, opener, width))
                cuts.append((opened + width, end - left, True))
            else:
                n_open[kind] -= 1
                cuts.append((opened, end - left, True))
    return cuts


def _link_cuts(text: str, start: int, next_delimiter: int, end: int) -> list[_Cut]:
    """Return the cuts for the link text[start:end]: all of a file or category, else the target.

    Only the part before the next delimiter is searched, so that nested links cost no more than flat ones.
    """
    pipe = text.find("|", start + 2, next_delimiter)
    colon = text.find(":", start + 2, min(next_delimiter, start + 2 + _LONGEST_NAMESPACE))
    if colon > 0 and (pipe < 0 or colon < pipe):
        prefix = text[start + 2 : colon].strip()
        is_interlanguage = pipe < 0 and _LANGUAGE_CODE.fullmatch(prefix)
        if is_interlanguage or prefix.lower().replace("_", " ") in _GONE_NAMESPACES:
            return [(start, end, True)]
    return [(start, max(pipe + 1, start + 2), False), (end - 2, end, False)]


def _clean_lines(text: str) -> str:
    """Remove list and heading marks, empty lines and the rows of broken tables."""
    lines = []
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        first = line[0]
        if first == "|":
            continue
        if first in "=*#:;-":
            line = line.strip("= ") if first == "=" else line.lstrip("*#:;- ")
            if not line:
                continue
        lines.append(line)
    return _SPACES.sub(" ", "\n".join(lines))
