"""An editor's decisions from the page: checked, written to the journal, and shown at once.

A foreign page can make a visitor's browser send requests, but it can neither read the token nor set a header, and it
cannot pretend to be this page: browsers name the page that sends in `Origin` and `Sec-Fetch-Site`. There is no cookie.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import compare_digest
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, Field

from adagram.errors import InputError
from adagram.model import Model
from adagram.model.edits import line_of, refreshed
from adagram.web.explorer import Explorer

TOKEN_HEADER = "x-adagram-edit"
MAX_WORD = 200  # characters of a word or sense
MAX_SENSES = 100  # that one decision names


class Decision(BaseModel):
    """What the page asks for; `last` is the decision that undo must take back."""

    verb: str = ""
    senses: list[Annotated[str, Field(max_length=MAX_WORD)]] = Field([], max_length=MAX_SENSES)
    label: str = Field("", max_length=MAX_WORD)
    last: str = ""


class ForbiddenError(InputError):
    """A request that does not come from the editor's own page."""


class Editor:
    """Holds the explorer as the last decision left it, and takes the next one."""

    def __init__(self, explorer: Explorer, token: str) -> None:
        self.explorer, self.token = explorer, token
        self._lock = Lock()

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse what another page, or somebody without the printed link, could have sent."""
        own = f"http://{headers.get('host', '')}"
        if headers.get("origin") != own or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise ForbiddenError("decisions are taken only from this page itself")
        if not compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode()):
            raise ForbiddenError("this page may not edit; open the link that adagram serve --edit printed")

    @property
    def last(self) -> str:
        """The decision that undo would take back."""
        return _last(self.explorer.model)

    def decide(self, given: Decision) -> str:
        """Take one decision and return the last one now; what the journal refuses is an InputError."""
        with self._lock:
            current = refreshed(self.explorer.model)  # InputError if another model has taken its place
            if given.verb == "undo" and given.last != _last(current):
                self.explorer = Explorer(current, self.explorer.texts, self.explorer)
                raise InputError(f"the last decision is now '{_last(current)}'; look again before you undo it")
            decided = current.decide(decision_line(given))
            self.explorer = Explorer(decided, self.explorer.texts, self.explorer)
            return self.last


def _last(model: Model) -> str:
    return line_of(model.decisions[-1], model._learned.names) if model.decisions else ""


def decision_line(given: Decision) -> str:
    """Return the line of the journal that a request asks for; the journal refuses what it cannot follow.

    >>> decision_line(Decision(verb="merge", senses=["bank#0", "bank#2"]))
    'merge bank 0 2'
    >>> decision_line(Decision(verb="label", senses=["bank#1"], label="side of a river"))
    'label bank#1 side of a river'
    """
    for text in (given.verb, *given.senses, given.label):
        if not text.isprintable():  # nothing that would break a line
            raise InputError(f"{text[:40]!r} has characters that cannot be printed; a decision is one line of text")
    if given.verb != "merge":
        return " ".join([given.verb, *given.senses, given.label]).strip()
    words = sorted({sense.rpartition("#")[0] for sense in given.senses})
    if len(words) > 1:
        raise InputError(f"only senses of one word can be merged, not of {' and '.join(words)}")
    return " ".join(["merge", *words, *(sense.rpartition("#")[2] for sense in given.senses)])
