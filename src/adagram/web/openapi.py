"""The OpenAPI description of the API: the shapes of its answers, and what is made from the table of endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adagram import __version__
from adagram.web.parameters import MAX_TOP, Parameter

if TYPE_CHECKING:
    from adagram.web.endpoints import Endpoint

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
CLAIM: Schema = {"type": "boolean"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1.000001}


def record(**fields: Schema) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def many(item: Schema) -> Schema:
    return {"type": "array", "items": item}


_NEIGHBOURS = many(record(sense=TEXT, similarity=NUMBER))
_PROBABILITIES = many(record(sense=TEXT, probability=SHARE))

INFO = record(
    words=WHOLE,
    senses=WHOLE,
    ambiguous=WHOLE,
    dim=WHOLE,
    window=WHOLE,
    algorithm=TEXT,
    alpha=NUMBER,
    corpus_words=WHOLE,
    epochs=WHOLE,
    has_examples=CLAIM,
    has_sheet=CLAIM,
    **{"try": many(TEXT)},
)
COMPLETIONS = record(words=many(record(word=TEXT, senses=WHOLE)))
SENSES = record(
    word=TEXT,
    count=WHOLE,
    senses=many(record(sense=TEXT, prior=SHARE, count=NUMBER, neighbours=_NEIGHBOURS)),
)
CARDS = record(
    word=TEXT,
    count=WHOLE,
    epochs=many(TEXT),
    senses=many(
        record(
            sense=TEXT,
            prior=SHARE,
            count=NUMBER,
            label=TEXT,
            is_labelled=CLAIM,
            gist=TEXT,
            is_marginal=CLAIM,
            neighbours=_NEIGHBOURS,
            collocates=many(record(word=TEXT, count=WHOLE, of_word=WHOLE, ratio=NUMBER, dice=NUMBER)),
            examples=many(
                record(left=TEXT, match=TEXT, right=TEXT, document=TEXT, date=TEXT, posterior=SHARE)
            ),
            trend=many({"type": ["number", "null"]}),
        )
    ),
)
NEIGHBOURS = record(sense=TEXT, neighbours=_NEIGHBOURS)
POSTERIOR = record(word=TEXT, context=many(TEXT), senses=_PROBABILITIES)
TAGGED = record(
    tokens=many(record(text=TEXT, word={"type": ["string", "null"]}, is_content=CLAIM, senses=_PROBABILITIES))
)
MAP = record(
    word=TEXT,
    senses=many(record(sense=TEXT, x=NUMBER, y=NUMBER, of=TEXT, prior=SHARE, gist=TEXT)),
    neighbours=many(record(sense=TEXT, x=NUMBER, y=NUMBER, of=TEXT)),
    explained=many(SHARE),
    left_out=WHOLE,
)
EXAMPLES = record(
    word=TEXT,
    senses=many(
        record(sense=TEXT, lines=many(record(left=TEXT, match=TEXT, right=TEXT, probability=SHARE))),
    ),
)
COMPARISON = record(
    left=POSTERIOR,
    right=POSTERIOR,
    similarities=many(many(NUMBER)),
    expected_similarity=NUMBER,
    best_similarity=NUMBER,
)
CHANGES = record(
    since=TEXT,
    changes=many(record(what=TEXT, name=TEXT, size=NUMBER, before=_NEIGHBOURS, after=_NEIGHBOURS)),
)
START = record(
    words=many(
        record(word=TEXT, senses=many(record(sense=TEXT, prior=SHARE, gist=TEXT, neighbours=_NEIGHBOURS)))
    ),
    text=TEXT,
    comparison=record(left=TEXT, left_context=TEXT, right=TEXT, right_context=TEXT),
)
ERROR = {
    "type": "object",
    "properties": {"error": TEXT, "near": many(TEXT)},
    "required": ["error"],
    "additionalProperties": False,
}


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "adagram explorer",
            "version": __version__,
            "description": "Senses of words, learned from raw text by Adaptive Skip-gram.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": {endpoint.path: _operations(endpoint) for endpoint in endpoints},
        "components": {"schemas": {"Error": ERROR}},
    }


def _operations(endpoint: Endpoint) -> dict[str, Any]:
    name = endpoint.path.split("/")[2]
    common = {"summary": endpoint.about, "responses": _responses(endpoint)}
    parameters = [_parameter(endpoint, p) for p in endpoint.parameters]
    operations: dict[str, Any] = {"get": {"operationId": name, **common, "parameters": parameters}}
    if endpoint.takes_body:
        body = {
            "type": "object",
            "properties": {p.name: _value_schema(p) for p in endpoint.parameters},
            "required": [p.name for p in endpoint.parameters if p.default is None],
            "additionalProperties": False,
        }
        content = {"application/json": {"schema": body}}
        post = {"operationId": f"{name}Body", **common, "requestBody": {"required": True, "content": content}}
        operations["post"] = post
    return operations


def _parameter(endpoint: Endpoint, parameter: Parameter) -> dict[str, Any]:
    in_path = f"{{{parameter.name}}}" in endpoint.path
    found: dict[str, Any] = {
        "name": parameter.name,
        "in": "path" if in_path else "query",
        "required": in_path or parameter.default is None,
        "description": parameter.about,
        "schema": _value_schema(parameter),
    }
    return found | ({"example": parameter.example} if parameter.example else {})


def _value_schema(parameter: Parameter) -> dict[str, Any]:
    if parameter.is_number:
        return {"type": "integer", "minimum": 1, "maximum": MAX_TOP, "default": parameter.default}
    least = {"minLength": 1} if parameter.default is None else {"default": parameter.default}
    return {"type": "string", "maxLength": parameter.longest, **least}


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    def response(about: str, schema: Schema, media_type: str = "application/json") -> Schema:
        return {"description": about, "content": {media_type: {"schema": schema}}}

    error = {"$ref": "#/components/schemas/Error"}
    return {
        "200": response("The answer.", endpoint.schema or {}, endpoint.media_type),
        "400": response("A parameter is missing or wrong.", error),
        "404": response("The model does not have this word or sense.", error),
        "413": response("The input is too large.", error),
    }
