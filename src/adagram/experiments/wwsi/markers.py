"""Parse a page: word and sense in the title; categories, links and disambiguation marks in the wikitext."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adagram.corpus.mediawiki import CATEGORY_NAMESPACES, drop_comments
from adagram.corpus.tokenize import TokenizerConfig, clean, make_tokenizer
from adagram.experiments.wwsi.rules import SenseRules, plain_name

_CATEGORY_WORDS = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(CATEGORY_NAMESPACES))
_CATEGORY = re.compile(rf"\[\[\s*(?:{_CATEGORY_WORDS})\s*:([^\[\]|{{}}\n]{{1,255}})", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{([^{}|<>\[\]]{1,100})(?:\|([^{}]{0,1000}))?")
_LINK = re.compile(r"\[\[([^\[\]|#{}<>\n]{1,255})")
_NOWIKI = re.compile(r"<nowiki>[^<]*</nowiki>", re.IGNORECASE)


def normal_title(title: str) -> str:
    """Normalise a title as MediaWiki does: spaces for underscores, first letter upper-case.

    >>> normal_title("mouse_(computing) ")
    'Mouse (computing)'
    """
    title = " ".join(title.replace("_", " ").split())
    return title[:1].upper() + title[1:]


class TitleReader:
    """Splits `WORD (qualifier)`, if WORD is one token."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._tokenize = make_tokenizer(config)
        self._fold = bool(config.fold_case)

    def read(self, title: str) -> tuple[str, str | None]:
        """Return the word ("" if the name is not a single word) and the qualifier in brackets, if any.

        >>> reader = TitleReader(TokenizerConfig())
        >>> reader.read("Mouse (computing)"), reader.read("Mouse"), reader.read("Ice cream (food)")
        (('mouse', 'computing'), ('mouse', None), ('', 'food'))
        """
        name, bracket, qualifier = title.partition(" (")
        if not bracket or not qualifier.endswith(")"):
            return self._word(title), None
        return self._word(name), qualifier[:-1]

    def _word(self, name: str) -> str:
        if " " in name:
            return ""
        tokens = self._tokenize(name)
        # As long as the name: "C++" is not the word "c".
        is_whole = len(tokens) == 1 and len(tokens[0]) == len(clean(name, self._fold))
        return tokens[0] if is_whole else ""


def linked_titles(wikitext: str) -> Iterator[str]:
    """Yield the targets of all links as titles.

    >>> list(linked_titles("[[mouse_(zoo)]] [[Mouse |x]] [[Cat#Life]]"))
    ['Mouse (zoo)', 'Mouse', 'Cat']
    """
    return map(normal_title, _LINK.findall(wikitext))


def categories(wikitext: str) -> list[str]:
    """Return the categories of a page in `plain_name` form, without those in comments."""
    return [plain_name(name) for name in _CATEGORY.findall(_visible(wikitext))]


class DisambiguationMarks:
    """Finds disambiguation pages by template, category or magic word, and the categories they are in."""

    def __init__(self, rules: SenseRules) -> None:
        self._implied, self._by_parameter = rules.implied_categories, rules.implied_by_parameter
        self._templates = set(rules.disambiguation_templates) | set(rules.implied_categories)
        self._category_parts = rules.disambiguation_categories
        self._magic_words = rules.disambiguation_magic_words
        templates = "|".join(map(_loose, sorted(self._templates)))
        self._template = re.compile(rf"\{{\{{\s*(?:{templates})\s*[|}}<]", re.IGNORECASE)

    def categories(self, wikitext: str) -> list[str] | None:
        """Return the categories of a disambiguation page, explicit or implied by its templates; else None."""
        if not self._may_be_marked(wikitext):
            return None
        text = _visible(wikitext)
        found = categories(text)
        is_marked = any(part in name for name in found for part in self._category_parts)
        is_marked = is_marked or any(word in text for word in self._magic_words)
        for template, parameters in _TEMPLATE.findall(text):
            name = plain_name(template)
            if name not in self._templates:
                continue
            is_marked = True
            implied = [self._implied.get(name)]
            implied += [self._by_parameter.get(plain_name(parameter)) for parameter in parameters.split("|")]
            found += [category for category in implied if category is not None]
        return list(dict.fromkeys(found)) if is_marked else None

    def _may_be_marked(self, wikitext: str) -> bool:
        """Cheap test that excludes most pages."""
        if self._template.search(wikitext) or any(word in wikitext for word in self._magic_words):
            return True
        plain = wikitext.lower().replace("_", " ")
        return any(part in plain for part in self._category_parts)


def _visible(wikitext: str) -> str:
    text = drop_comments(wikitext) if "<!--" in wikitext else wikitext
    return _NOWIKI.sub("", text) if "<nowiki>" in text else text


def _loose(name: str) -> str:
    """Return a pattern for `name` in which spaces and underscores are equal."""
    return r"[\s_]+".join(re.escape(part) for part in name.replace("_", " ").split() if part) or re.escape(
        name
    )
