"""The XML forms of the SemEval word-sense-induction tasks.

* 2007 task 2 and the Senseval-2 form of 2013 task 13: <lexelt item="add.v"><instance id="add.v.1"> … <head>.
* 2010 task 14 (and the 2010 form of 2013 task 11): an element named after the instance, <access.n.1>, with a
  <TargetSentence> in which the target is not marked.
* 2013 task 13: <instance id="win.v.1" lemma="win" partOfSpeech="v" token="win" tokenStart="18" tokenEnd="21">
  places counted in characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from adagram.errors import InputError
from adagram.evaluation.instances import Instance
from adagram.evaluation.lines import numbered_lines
from adagram.evaluation.safe_xml import parse_xml

_BARE_AMPERSAND = re.compile(r"&(?!(?:#\d+|#x[0-9a-fA-F]+|\w+);)")
_PROLOGUE = re.compile(r"<\?xml[^<>]*\?>")
_PLACE = re.compile(r"[0-9]{1,9}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INSTANCE_TAG = re.compile(r"(.+\.[a-z])\.(\d+)")


def read_xml(path: Path) -> list[Instance]:
    """Read a file in any of the forms, or a folder of such files."""
    if path.is_dir():
        files = sorted(path.rglob("*.xml"))
        if not files:
            raise InputError(f"{path} holds no .xml file; expected the folder of a SemEval task's test data")
        return [instance for file in files for instance in read_xml(file)]
    instances = list(_instances(_parse(path), path))
    if not instances:
        raise InputError(f"{path} holds no instance in any of the SemEval XML forms")
    return instances


def _parse(path: Path) -> Element:
    # Some distributed files hold bare ampersands, and some are several files one after the other.
    text = "\n".join(line for _, line in numbered_lines(path))
    text = _PROLOGUE.sub(lambda found: "\n" * found[0].count("\n"), text)
    return parse_xml(_BARE_AMPERSAND.sub("&amp;", text), str(path))


def _instances(root: Element, path: Path) -> Iterator[Instance]:
    for element, lexelt in _with_lexelt(root):
        if element.tag == "instance":
            yield _marked(element, lexelt, path)
        elif match := _INSTANCE_TAG.fullmatch(element.tag):
            yield _unmarked(element, match[1])


def _with_lexelt(root: Element, lexelt: str = "") -> Iterator[tuple[Element, str]]:
    for element in root:
        item = element.get("item", lexelt)
        yield element, item
        if element.tag != "instance" and not _INSTANCE_TAG.fullmatch(element.tag):
            yield from _with_lexelt(element, item)


def _marked(element: Element, lexelt: str, path: Path) -> Instance:
    """An instance whose target is marked: by a <head> element or by character positions."""
    name = element.get("id", "")
    if not name:
        raise InputError(f"{path}: an <instance> has no id")
    lemma, pos = element.get("lemma", ""), element.get("partOfSpeech", "")
    target = f"{lemma}.{pos}" if lemma and pos else lexelt or lemma or name.rpartition(".")[0]
    left, surface, right = _around_head(element) or _around_token(element, target)
    return Instance(target, name, _squeeze(left), _squeeze(right), _squeeze(surface))


def _around_head(element: Element) -> tuple[str, str, str] | None:
    """Text before, in and after the first <head>."""
    parts: list[list[str]] = [[], [], []]
    place = 0

    def visit(node: Element) -> None:
        nonlocal place
        is_head = node.tag == "head" and place == 0
        if is_head:
            place = 1
        parts[place].append(node.text or "")
        for child in node:
            if child.tag != "answer":
                visit(child)
            parts[place].append(child.tail or "")
        if is_head:
            place = 2

    visit(element)
    return None if place == 0 else ("".join(parts[0]), "".join(parts[1]), "".join(parts[2]))


def _around_token(element: Element, target: str) -> tuple[str, str, str]:
    """Text before, in and after the target given by character places; places that lie are not believed."""
    text = "".join(element.itertext())
    token = element.get("token", "")
    start, end = element.get("tokenStart", ""), element.get("tokenEnd", "")
    is_place = _PLACE.fullmatch(start) and _PLACE.fullmatch(end)
    if is_place and text[int(start) : int(end)].lower() == token.lower() != "":
        return text[: int(start)], text[int(start) : int(end)], text[int(end) :]
    return split_at_target(text, token or target)


def _unmarked(element: Element, target: str) -> Instance:
    """An instance with a <TargetSentence>: text around it belongs to the context."""
    sentence = element.find("TargetSentence")
    if sentence is None:
        left, surface, right = split_at_target("".join(element.itertext()), target)
    else:
        left, surface, right = split_at_target("".join(sentence.itertext()), target)
        left = f"{element.text or ''} {left}"
        right = f"{right} {''.join((child.tail or '') for child in element)}"
    return Instance(target, element.tag, _squeeze(left), _squeeze(right), surface)


def split_at_target(text: str, target: str) -> tuple[str, str, str]:
    """Text before, in and after the word most like the target's lemma.

    The lemma itself wins; otherwise the word that shares the longest beginning with it and differs least in
    length, which finds inflected forms, irregular ones included (swear, swore; stick, stuck).

    >>> split_at_target("He swore that she swam .", "swear.v")
    ('He ', 'swore', ' that she swam .')
    """
    lemma = re.sub(r"\.[a-z]$", "", target).lower()

    def likeness(match: re.Match[str]) -> tuple[bool, int, int]:
        word = match[0].lower()
        return word == lemma, _shared_beginning(word, lemma), -abs(len(word) - len(lemma))

    best = max(_WORD.finditer(text), key=likeness, default=None)
    if best is None or likeness(best)[1] == 0:
        return text, "", ""
    return text[: best.start()], best[0], text[best.end() :]


def _shared_beginning(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _squeeze(text: str) -> str:
    return " ".join(text.split())
