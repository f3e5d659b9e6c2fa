"""The shapes of the API's answers, as JSON schemas."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
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
    dim=WHOLE,
    window=WHOLE,
    algorithm=TEXT,
    alpha=NUMBER,
    has_examples={"type": "boolean"},
    **{"try": many(TEXT)},
)
COMPLETIONS = record(words=many(record(word=TEXT, senses=WHOLE)))
SENSES = record(
    word=TEXT,
    count=WHOLE,
    senses=many(record(sense=TEXT, prior=SHARE, count=NUMBER, neighbours=_NEIGHBOURS)),
)
NEIGHBOURS = record(sense=TEXT, neighbours=_NEIGHBOURS)
POSTERIOR = record(word=TEXT, context=many(TEXT), senses=_PROBABILITIES)
TAGGED = record(tokens=many(record(text=TEXT, word={"type": ["string", "null"]}, senses=_PROBABILITIES)))
MAP = record(
    word=TEXT,
    senses=many(record(sense=TEXT, x=NUMBER, y=NUMBER, of=TEXT, prior=SHARE)),
    neighbours=many(record(sense=TEXT, x=NUMBER, y=NUMBER, of=TEXT)),
    explained=many(SHARE),
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
ERROR = {
    "type": "object",
    "properties": {"error": TEXT, "near": many(TEXT)},
    "required": ["error"],
    "additionalProperties": False,
}
