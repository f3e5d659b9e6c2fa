"""An editor's decisions from the page: checked, written through the journal, and shown at once.

A foreign page can make a visitor's browser send requests, but it can neither read the token nor set a header, and it
cannot pretend to be this page: browsers name the page that sends in `Origin` and `Sec-Fetch-Site`. There is no cookie.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import compare_digest
from threading import Lock
from typing import Any

from adagram.errors import InputError
from adagram.model import Model
from adagram.model.edits import line_of
from adagram.web.explorer import Answer, Explorer
from adagram.web.parameters import MAX_WORD

TOKEN_HEADER = "x-adagram-edit"
MAX_LABEL = 200  # characters
MAX_SENSES = 100  # that one decision names
_NEEDS = {"merge": 2, "label": 1, "hide": 1, "undo": 0}  # senses


class ForbiddenError(InputError):
    """A request that does not come from the editor's own page."""


class Editor:
    """The explorer as the last decision left it, and the only way to make the next one."""

    def __init__(self, explorer: Explorer, token: str) -> None:
        self.explorer, self.token = explorer, token
        self._lock = Lock()

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse what another page, or somebody without the link that was printed, could have sent."""
        own = f"http://{headers.get('host', '')}"
        if headers.get("origin") != own or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise ForbiddenError("decisions are taken only from this page itself")
        if not compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode()):
            raise ForbiddenError("this page may not edit; open the link that adagram serve --edit printed")

    def state(self) -> Answer:
        """The decision that undo would take back."""
        return {"last": _last(self.explorer.model)}

    def decide(self, given: Mapping[str, Any]) -> Answer:
        """Take one decision; what the journal refuses is an InputError and changes nothing."""
        with self._lock:
            current = self.explorer.model.refreshed()  # InputError if another model has taken its place
            if given.get("verb") == "undo" and given.get("last") != _last(current):
                self.explorer = Explorer(current, self.explorer.corpus, self.explorer)
                raise InputError(
                    f"the last decision is now '{_last(current)}'; look again before you undo it"
                )
            decided = current.decide(decision_line(given))
            self.explorer = Explorer(decided, self.explorer.corpus, self.explorer)
            return self.state()


def _last(model: Model) -> str:
    return line_of(model.decisions[-1], model.learned.names) if model.decisions else ""


def decision_line(given: Mapping[str, Any]) -> str:
    """The line of the journal that a request asks for.

    >>> decision_line({"verb": "merge", "senses": ["bank#0", "bank#2"]})
    'merge bank 0 2'
    >>> decision_line({"verb": "label", "senses": ["bank#1"], "label": "side of a river"})
    'label bank#1 side of a river'
    """
    verb, senses, label = given.get("verb"), given.get("senses", []), given.get("label", "")
    if not isinstance(verb, str) or verb not in _NEEDS:
        raise InputError(f"'{verb}' is no decision; send merge, label, hide or undo")
    senses = _checked(verb, senses)
    if verb == "merge":
        words = {sense.rpartition("#")[0] for sense in senses}
        if len(words) > 1:
            raise InputError(f"only senses of one word can be merged, not of {' and '.join(sorted(words))}")
        return " ".join(["merge", *words, *(sense.rpartition("#")[2] for sense in senses)])
    if verb == "label":
        if not isinstance(label, str) or len(label) > MAX_LABEL or not label.isprintable():
            raise InputError(f"a label is text of at most {MAX_LABEL} characters on one line")
        return f"label {senses[0]} {label}"
    return " ".join([verb, *senses])


def _checked(verb: str, senses: Any) -> list[str]:
    """Names of senses, as many as the verb needs, without anything that would break a line."""
    if not isinstance(senses, list) or not all(isinstance(sense, str) for sense in senses):
        raise InputError("'senses' must be a list of names such as bank#1")
    needed = _NEEDS[verb]
    if len(senses) < needed or (verb != "merge" and len(senses) > needed) or len(senses) > MAX_SENSES:
        raise InputError(
            f"{verb} needs {needed}{' or more' * (verb == 'merge')} senses; {len(senses)} were sent"
        )
    for sense in senses:
        if sense != "".join(sense.split()) or not sense.isprintable() or len(sense) > MAX_WORD:
            raise InputError(f"'{sense[:40]}' is no name of a sense")
    return senses
