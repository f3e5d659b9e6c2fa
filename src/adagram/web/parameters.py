"""What a request may ask: read and checked, and refused if it is too large, before any work is done for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request

from adagram.errors import InputError

MAX_WORD = 200  # characters of a word or sense
MAX_TEXT = 20_000  # characters of a text or context
MAX_BODY = 100_000  # bytes of a request body
MAX_TOP = 100  # neighbours, completions or example lines


@dataclass(frozen=True)
class Parameter:
    """One input; `default` None means that it must be given."""

    name: str
    about: str
    longest: int = MAX_WORD  # characters, for text
    default: str | int | None = None
    example: str = ""

    @property
    def is_number(self) -> bool:
        return isinstance(self.default, int)


class TooLargeError(InputError):
    """The input is longer than the explorer accepts."""


async def read_parameters(request: Request, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Values of all parameters, from the path, the query or a JSON body."""
    given: Mapping[str, Any]
    if request.method == "POST":
        given = await read_object(request)
    else:
        # An empty path part gives way to the query: browsers cannot ask for the words "." and ".." in a path.
        given = {**request.query_params, **{k: v for k, v in request.path_params.items() if v}}
    return {p.name: _value(p, given.get(p.name)) for p in parameters}


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    return _object(await _body(request))


async def _body(request: Request) -> bytes:
    """The body, given up as soon as it is too long, whatever its header says."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > MAX_BODY:
                raise TooLargeError(f"the request has more than {MAX_BODY} bytes; send a shorter text")
            parts.append(part)
    except ClientDisconnect:
        raise InputError("the request ended before its body did") from None
    return b"".join(parts)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the request body is not valid JSON") from None
    if not isinstance(found, dict):
        raise InputError("the request body must be a JSON object")
    return found


def _value(parameter: Parameter, given: Any) -> str | int:
    if given is None or given == "":
        if parameter.default is None:
            raise InputError(f"'{parameter.name}' is missing: {parameter.about}")
        return parameter.default
    if parameter.is_number:
        return _number(parameter, given)
    if not isinstance(given, str):
        raise InputError(f"'{parameter.name}' must be text")
    if len(given) > parameter.longest:
        raise TooLargeError(
            f"'{parameter.name}' has {len(given)} characters; at most {parameter.longest} are accepted"
        )
    return given


def _number(parameter: Parameter, given: Any) -> int:
    text = str(given)
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= MAX_TOP):
        raise InputError(
            f"'{parameter.name}' is {text[:20]!r}; it must be a whole number from 1 to {MAX_TOP}"
        )
    return int(text)
