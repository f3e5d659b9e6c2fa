"""What the wikitext of a page says about it: categories, links, whether it is a disambiguation page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adagram.text.mediawiki_markup import drop_comments
from adagram.text.mediawiki_names import CATEGORY_NAMESPACES
from adagram.wwsi.rules import Rules, plain_name

_CATEGORY_WORDS = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(CATEGORY_NAMESPACES))
_CATEGORY = re.compile(rf"\[\[\s*(?:{_CATEGORY_WORDS})\s*:([^\[\]|{{}}\n]{{1,255}})", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{([^{}|<>\[\]]{1,100})(?:\|([^{}]{0,1000}))?")
_LINK = re.compile(r"\[\[([^\[\]|#{}<>\n]{1,255})")
_NOWIKI = re.compile(r"<nowiki>[^<]*</nowiki>", re.IGNORECASE)


def normal_title(title: str) -> str:
    """The form in which MediaWiki keeps a title: spaces for underscores, first letter a capital.

    >>> normal_title("mouse_(computing) ")
    'Mouse (computing)'
    """
    title = " ".join(title.replace("_", " ").split())
    return title[:1].upper() + title[1:]


def linked_titles(wikitext: str) -> Iterator[str]:
    """Targets of all links, as titles.

    >>> list(linked_titles("[[mouse_(zoo)]] [[Mouse |x]] [[Cat#Life]]"))
    ['Mouse (zoo)', 'Mouse', 'Cat']
    """
    return map(normal_title, _LINK.findall(wikitext))


def categories(wikitext: str) -> list[str]:
    """Names of the categories a page puts itself in, in `plain_name` form; those in comments do not count."""
    return [plain_name(name) for name in _CATEGORY.findall(_visible(wikitext))]


class DisambiguationMarks:
    """Finds disambiguation pages by template, category or magic word, and the categories they are in."""

    def __init__(self, rules: Rules) -> None:
        self._implied, self._by_parameter = rules.implied_categories, rules.implied_by_parameter
        self._templates = set(rules.disambiguation_templates) | set(rules.implied_categories)
        self._category_parts = rules.disambiguation_categories
        self._magic_words = rules.disambiguation_magic_words
        templates = "|".join(map(_loose, sorted(self._templates)))
        self._template = re.compile(rf"\{{\{{\s*(?:{templates})\s*[|}}<]", re.IGNORECASE)

    def categories(self, wikitext: str) -> list[str] | None:
        """The categories of a disambiguation page, given by itself or implied by its templates; else None."""
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
        """A quick look, so that only few pages of the dump are looked at closely."""
        if self._template.search(wikitext) or any(word in wikitext for word in self._magic_words):
            return True
        plain = wikitext.lower().replace("_", " ")
        return any(part in plain for part in self._category_parts)


def _visible(wikitext: str) -> str:
    text = drop_comments(wikitext) if "<!--" in wikitext else wikitext
    return _NOWIKI.sub("", text) if "<nowiki>" in text else text


def _loose(name: str) -> str:
    """A pattern for `name` that takes any space or underscore where it has one."""
    return r"[\s_]+".join(re.escape(part) for part in name.replace("_", " ").split() if part) or re.escape(
        name
    )
