"""Options that do not exist, answered with the one that was meant."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from adagram.errors import InputError
from adagram.synonyms import SYNONYMS


class HintingGroup(TyperGroup):
    """The verbs; `--size 100` is told that it is called --dim here."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            # typer brings its own copy of click's errors in some versions, so they are known by their fields.
            option, verb = getattr(error, "option_name", None), getattr(error, "ctx", None)
            sentence = hint(option, verb.command) if isinstance(option, str) and verb else ""
            if not sentence:
                raise
            raise InputError(sentence) from None


def hint(option: str, command: Any) -> str:
    """What to say about an option that a verb does not have; nothing where nothing is known of it."""
    if any(option in parameter.opts for parameter in command.params):
        return ""  # it exists, and something else is wrong
    meant = SYNONYMS.get(option.lstrip("-").replace("-", "_"))
    known = {parameter.name: parameter.opts[0] for parameter in command.params}
    if meant in known:
        return f"there is no {option}; here it is called {known[meant]}"
    return f"there is no {option}; {meant}" if meant and " " in meant else ""
