"""Word-sense-induction data: instances, answer keys, and the readers of all published forms.

Beside TSV, key files, dataset.txt and wwsi.txt, the XML forms of the SemEval tasks:
* 2007 task 2 and the Senseval-2 form of 2013 task 13: <lexelt item="add.v"><instance id="add.v.1"> … <head>.
* 2010 task 14 (and the 2010 form of 2013 task 11): an element named after the instance, <access.n.1>, with a
  <TargetSentence> in which the target is not marked.
* 2013 task 13: <instance id="win.v.1" lemma="win" partOfSpeech="v" token="win" tokenStart="18" tokenEnd="21">
  with positions counted in characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from xml.etree.ElementTree import XML, Element, ParseError
from xml.parsers import expat

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_count, parse_number, split_line, table_rows

Key = dict[str, dict[str, dict[str, float]]]  # target -> instance id -> sense -> weight
UNANSWERED = ""  # the cluster of instances that a key leaves out; never the name of a sense


def read_key(path: Path) -> Key:
    """Read a key file; if a sense of an instance lacks a weight, all senses of that instance get weight 1.

    A line may occur twice; two lines that give one instance different senses are an error.
    """
    key: Key = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if not fields:
            continue
        if len(fields) < 3:
            raise bad_line(path, number, f"expected target, instance and sense, found {line[:60]!r}")
        target, instance, *senses = fields
        answers = key.setdefault(target, {})
        labels = _labels(senses, path, number)
        if answers.setdefault(instance, labels) != labels:
            raise bad_line(path, number, f"instance {instance} of {target} was answered otherwise before")
    if not key:
        raise InputError(f"{path} holds no answers; expected lines of target, instance and sense")
    return key


def _labels(senses: list[str], path: Path, number: int) -> dict[str, float]:
    if any("/" not in sense for sense in senses):
        return {sense.rpartition("/")[0] or sense: 1.0 for sense in senses}
    labels: dict[str, float] = {}
    for item in senses:
        sense, _, weight = item.rpartition("/")
        labels[sense] = parse_number(weight, path, number, f"the weight of sense {sense}")
        if labels[sense] < 0:
            raise bad_line(path, number, f"the weight of sense {sense} is negative: {weight}")
    return labels


def key_text(key: Key) -> str:
    """The key as a file's text; a single full-weight sense is written without a weight.

    >>> key_text({"win.v": {"win.v.1": {"a": 1.0}, "win.v.2": {"a": 1.0, "b": 0.25}}})
    'win.v win.v.1 a\\nwin.v win.v.2 a/1.000000 b/0.250000\\n'
    """
    lines = []
    for target, answers in key.items():
        for instance, labels in answers.items():
            for name in (target, instance, *labels):
                if name.split() != [name]:
                    raise InputError(f"{name!r} cannot be written to a key file: names there have no blanks")
            is_sure = list(labels.values()) == [1.0]
            senses = labels if is_sure else [f"{sense}/{weight:.6f}" for sense, weight in labels.items()]
            lines.append(f"{target} {instance} {' '.join(senses)}\n")
    return "".join(lines)


def best_sense(labels: Mapping[str, float]) -> str:
    """The sense with the largest weight, the first of equals: a graded label made hard."""
    return max(labels, key=lambda sense: labels[sense], default=UNANSWERED)


COLUMNS = ("target", "instance_id", "sense", "left", "right")
_WEIGHTED = re.compile(r"(.+)/(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Instance:
    """One occurrence of a target word with the running text on both sides of it."""

    target: str
    id: str
    left: str
    right: str
    surface: str = ""
    senses: dict[str, float] = field(default_factory=dict)  # gold sense -> weight; empty: no gold label


def read_tsv(path: Path) -> list[Instance]:
    """Read a TSV with header `target instance_id sense left right surface` (any order, no quoting)."""
    instances = []
    for number, row in table_rows(path, COLUMNS, ["surface"]):
        target, name, senses, left, right = (row[column] for column in COLUMNS)
        if not target or not name:
            raise bad_line(path, number, "target and instance_id must not be empty")
        instances.append(Instance(target, name, left, right, row.get("surface", ""), parse_senses(senses)))
    return instances


def parse_senses(cell: str) -> dict[str, float]:
    """One sense, or several with weights joined by bars.

    >>> parse_senses("Time (magazine)"), parse_senses("add%1/4|add%2/2"), parse_senses("AC/DC")
    ({'Time (magazine)': 1.0}, {'add%1': 4.0, 'add%2': 2.0}, {'AC/DC': 1.0})
    """
    if not cell:
        return {}
    weighted = [_WEIGHTED.fullmatch(part) for part in cell.split("|")]
    if all(weighted):
        return {match[1]: float(match[2]) for match in weighted if match}
    return {cell: 1.0}


def gold_key(instances: Iterable[Instance]) -> Key:
    """The gold senses of the instances that have one, as a key."""
    key: Key = {}
    for instance in instances:
        if instance.senses:
            key.setdefault(instance.target, {})[instance.id] = dict(instance.senses)
    return key


_PROLOGUE = re.compile(r"<\?xml[^<>]*\?>|<!DOCTYPE[^<>\[\]]*>")
_NOT_A_REFERENCE = re.compile(r"&(?!(?:#\d+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);)")
_PLACE = re.compile(r"[0-9]{1,9}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INSTANCE_TAG = re.compile(r"(.+\.[a-z])\.(\d+)")

Lines = Iterator[tuple[int, str]]


def read_instances(path: Path, key: Path | None = None) -> list[Instance]:
    """Labelled instances of a data set; the form is recognised by its first line.

    Sets that keep their gold senses apart take them from `key`, or from key.txt or gold.key beside the data.
    """
    form = "xml" if path.is_dir() else _form(path)
    if form == "key":
        raise InputError(f"{path} is a key without contexts; give the contexts as DATA and this file by --key")
    instances = _READERS[form](path)
    if not instances:
        raise InputError(f"{path} holds no instances")
    (target, name), n = Counter((instance.target, instance.id) for instance in instances).most_common(1)[0]
    if n > 1:
        raise InputError(f"{path}: the instance id {name} of {target} occurs twice")
    if key is None and not any(instance.senses for instance in instances):
        folder = path if path.is_dir() else path.parent
        key = next((folder / name for name in ("key.txt", "gold.key") if (folder / name).is_file()), None)
        if key is None:
            raise InputError(f"{path} has no gold senses and no key.txt or gold.key is beside it; name it by --key")
    if key is None:
        return instances
    senses = read_key(key)  # an instance is found by its id, whatever the order
    labelled = [
        replace(instance, senses=senses[instance.target][instance.id])
        for instance in instances
        if instance.id in senses.get(instance.target, {})
    ]
    if not labelled:
        raise InputError(f"{key} names none of the {len(instances)} instances; is it the key of another set?")
    return labelled


def read_gold(path: Path, key: Path | None = None) -> Key:
    """The gold senses of a data set, or of a key file alone: all that is needed to score an answer file."""
    if key is not None:
        return read_key(key)
    if not path.is_dir() and _form(path) == "key":
        return read_key(path)
    return gold_key(read_instances(path))


def _form(path: Path) -> str:
    line = next((line for _, line in numbered_lines(path) if line.strip()), "")
    cells, fields = line.split("\t"), line.split()
    if line.lstrip().startswith("<"):
        return "xml"
    if "target" in cells:
        return "tsv"
    if len(cells) == 4 and cells[2].isdigit() and cells[3].isdigit():
        return "wwsi.txt"
    if len(fields) == 2 and fields[1].isdigit():
        return "dataset.txt"
    if len(fields) >= 3 and fields[1].startswith(fields[0]):
        return "key"
    raise InputError(
        f"{path} line 1: not a data set this program knows, found {line[:60]!r}; "
        "expected a TSV with the header target instance_id sense left right surface, SemEval XML, "
        "dataset.txt, wwsi.txt or a key"
    )


def read_dataset_txt(path: Path) -> list[Instance]:
    """Blocks of `target n_contexts` and that many lines `left<TAB>right`; the i-th is instance `target.i`."""
    lines = numbered_lines(path)
    instances = []
    for number, line in lines:
        if not line.strip():
            continue
        fields = split_line(line, path, number, 2, "a target and its number of contexts", None)
        target, count = fields[0], parse_count(fields[1], path, number, "the number of contexts")
        for i in range(1, count + 1):
            number, line = _next_line(lines, path, f"{target} has {i - 1} of its {count} contexts")
            left, tab, right = line.partition("\t")
            if not tab:
                raise bad_line(path, number, "expected left and right context with a tab between them")
            instances.append(Instance(target, f"{target}.{i}", left.strip(), right.strip()))
    return instances


def read_wwsi_txt(path: Path) -> list[Instance]:
    """Blocks of `title word weight n_senses`, for each sense `sense weight n_contexts`, then the contexts.

    Cells are separated by tabs; a context is two lines: the place of the target among the words (from 0), and
    the words, separated by blanks. The i-th context of a word is instance `word.x.i`.
    """
    lines = numbered_lines(path)
    instances = []
    for number, line in lines:
        if not line.strip():
            continue
        cells = split_line(line, path, number, 4, "title, word, weight, number of senses")
        word = cells[1].lower()
        n_senses = parse_count(cells[3], path, number, "the number of senses")
        contexts = (c for _ in range(n_senses) for c in _wwsi_contexts(lines, path, word))
        for i, (sense, place, words) in enumerate(contexts, 1):
            left, right = " ".join(words[:place]), " ".join(words[place + 1 :])
            surface = " ".join(words[place : place + 1])
            instances.append(Instance(word, f"{word}.x.{i}", left, right, surface, {sense: 1.0}))
    return instances


def _wwsi_contexts(lines: Lines, path: Path, word: str) -> Iterator[tuple[str, int, list[str]]]:
    """(sense, place of the target, words) of the contexts of one sense."""
    number, line = _next_line(lines, path, f"a sense of {word} is missing")
    cells = split_line(line, path, number, 3, "sense, weight, number of contexts")
    for _ in range(parse_count(cells[2], path, number, "the number of contexts")):
        number, text = _next_line(lines, path, f"a context of {cells[0]} is missing")
        place = parse_count(text.strip(), path, number, "the place of the target")
        number, text = _next_line(lines, path, f"a context of {cells[0]} is missing")
        words = text.split()
        if place > len(words):
            raise bad_line(path, number, f"the target's place {place} is past the {len(words)} words")
        yield cells[0], place, words


def _next_line(lines: Lines, path: Path, trouble: str) -> tuple[int, str]:
    found = next(lines, None)
    if found is None:
        raise InputError(f"{path} ends too early: {trouble}; the file seems cut off")
    return found


def read_xml(path: Path) -> list[Instance]:
    """Read a file in any of the forms, or a folder of such files."""
    if path.is_dir():
        files = sorted(path.rglob("*.xml"))
        if not files:
            raise InputError(f"{path} holds no .xml file; expected the folder of a SemEval task's test data")
        return [instance for file in files for instance in read_xml(file)]
    try:
        instances = list(_instances(_parse_xml(path), path))
    except RecursionError:
        raise InputError(f"{path}: too many elements inside each other") from None
    if not instances:
        raise InputError(f"{path} holds no instance in any of the SemEval XML forms")
    return instances


def _instances(root: Element, path: Path, lexelt: str = "") -> Iterator[Instance]:
    for element in root:
        if element.tag == "instance":
            yield _marked(element, lexelt, path)
        elif match := _INSTANCE_TAG.fullmatch(element.tag):
            yield _unmarked(element, match[1])
        else:
            yield from _instances(element, path, element.get("item", lexelt))


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
    """Text before, in and after the first <head>, told by a character that XML cannot have."""
    head = element.find(".//head")
    if head is None:
        return None
    head.text, head.tail = f"\0{head.text or ''}", f"\0{head.tail or ''}"
    left, surface, right = "".join(element.itertext()).split("\0")
    return left, surface, right


def _around_token(element: Element, target: str) -> tuple[str, str, str]:
    """Text before, in and after the target given by character positions, if the token is there."""
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
        shared = list(takewhile(lambda pair: pair[0] == pair[1], zip(word, lemma, strict=False)))
        return word == lemma, len(shared), -abs(len(word) - len(lemma))

    best = max(_WORD.finditer(text), key=likeness, default=None)
    if best is None or likeness(best)[1] == 0:
        return text, "", ""
    return text[: best.start()], best[0], text[best.end() :]


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _parse_xml(path: Path) -> Element:
    """Parse XML; a document type may name a file, which is not read, but must not define anything."""
    text = "\n".join(line for _, line in numbered_lines(path))
    # Some distributed files hold bare ampersands, and some are several files one after the other.
    text = _PROLOGUE.sub(lambda found: "\n" * found[0].count("\n"), text)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{path}: it defines a document type; remove the definitions")
    try:
        return XML(_NOT_A_REFERENCE.sub("&amp;", text))
    except ParseError as error:
        reason = expat.ErrorString(error.code)
        raise bad_line(path, error.position[0], f"not well-formed XML ({reason})") from None
    except ValueError as error:  # characters that UTF-8 cannot have
        raise InputError(f"{path}: not well-formed XML ({error})") from None


_READERS = {"tsv": read_tsv, "xml": read_xml, "dataset.txt": read_dataset_txt, "wwsi.txt": read_wwsi_txt}
