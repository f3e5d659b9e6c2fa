"""The routes of the API in one table: requests are checked by it, and the OpenAPI description is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adagram.web import openapi
from adagram.web.cards import cards
from adagram.web.changes import changes
from adagram.web.explorer import Answer, Explorer
from adagram.web.parameters import MAX_TEXT, MAX_TOP, Parameter
from adagram.web.start import start
from adagram.web.table import table

JSON = "application/json"


@dataclass(frozen=True)
class Endpoint:
    """`path` has at most one {part}, which is the first parameter."""

    path: str
    about: str
    answer: Callable[..., Answer | str]  # Explorer and the parameters by name; text where it is no JSON
    parameters: tuple[Parameter, ...] = ()
    schema: dict[str, Any] | None = None
    takes_body: bool = False  # also POST, with the parameters as a JSON object
    is_long: bool = False  # may take longer than others should wait
    media_type: str = JSON


def _top(default: int, what: str) -> Parameter:
    return Parameter("top", f"How many {what}, 1 to {MAX_TOP}.", default=default)


WORD = Parameter("word", "A word of the vocabulary.", example="rock")


def _disambiguate(explorer: Explorer, word: str, context: str, text: str) -> Answer:
    return explorer.disambiguate(word, context) if word else explorer.tag(text)


ENDPOINTS = (
    Endpoint("/api/info", "What the model is.", Explorer.info, schema=openapi.INFO),
    Endpoint(
        "/api/complete",
        "Words that begin with a prefix, most frequent first.",
        Explorer.complete,
        (Parameter("prefix", "What was typed so far.", default="", example="ro"), _top(10, "words")),
        openapi.COMPLETIONS,
    ),
    Endpoint(
        "/api/senses/{word}",
        "The senses of a word: prior, expected count and nearest senses of other words.",
        Explorer.senses,
        (WORD, _top(10, "nearest senses")),
        openapi.SENSES,
    ),
    Endpoint(
        "/api/neighbours/{sense}",
        "The senses of other words that are nearest to a sense, by cosine, exactly.",
        Explorer.neighbours,
        (
            Parameter("sense", "A sense, such as rock#1 (write # as %23).", example="rock#0"),
            _top(10, "senses"),
        ),
        openapi.NEIGHBOURS,
    ),
    Endpoint(
        "/api/disambiguate",
        "With `word` and `context`: the posterior over the senses of the word. With `text`: the same for every word "
        "of the text, from the words around it.",
        _disambiguate,
        (
            Parameter("word", "A word of the vocabulary.", default=""),
            Parameter("context", "The words around it, as running text.", MAX_TEXT, ""),
            Parameter("text", "A running text, instead of word and context.", MAX_TEXT, ""),
        ),
        {"oneOf": [openapi.POSTERIOR, openapi.TAGGED]},
        takes_body=True,
        is_long=True,
    ),
    Endpoint(
        "/api/map/{word}",
        "The senses of a word and their nearest senses on a plane (principal components).",
        Explorer.map,
        (WORD, _top(12, "neighbours of each sense")),
        openapi.MAP,
    ),
    Endpoint(
        "/api/examples/{word}",
        "Lines of the corpus with the word, for each sense those about which the model is surest.",
        Explorer.examples,
        (WORD, _top(5, "lines for each sense")),
        openapi.EXAMPLES,
        is_long=True,
    ),
    Endpoint(
        "/api/cards/{word}",
        "A card per sense of a word, the most frequent first: label, collocates and examples from the sense sheet, and "
        "its share of the word's uses in each epoch. `gist` says what it is about in any case; `is_marginal` marks "
        "senses with few uses or made of leftovers.",
        cards,
        (WORD, _top(8, "nearest senses of each")),
        openapi.CARDS,
        is_long=True,
    ),
    Endpoint(
        "/api/table/{word}",
        "The cards as a table for spreadsheets (CSV), a row per sense.",
        table,
        (WORD,),
        openapi.TEXT,
        is_long=True,
        media_type="text/csv",
    ),
    Endpoint(
        "/api/start",
        "Ambiguous words of the model with their main senses, and examples of a text and of a comparison.",
        start,
        schema=openapi.START,
        is_long=True,
    ),
    Endpoint(
        "/api/compare",
        "Two words, each in its context: their posteriors and the cosines of their senses.",
        Explorer.compare,
        (
            Parameter("left", "A word of the vocabulary.", example="rock"),
            Parameter("right", "Another word, or the same.", example="stone"),
            Parameter("left_context", "The words around the left word.", MAX_TEXT, ""),
            Parameter("right_context", "The words around the right word.", MAX_TEXT, ""),
        ),
        openapi.COMPARISON,
        takes_body=True,
    ),
    Endpoint(
        "/api/changes",
        "What the model has learned since the one that `serve --since` names, the biggest changes first: words that "
        "came, senses that were born, faded or moved, with the nearest senses before and after.",
        changes,
        (_top(20, "changes of each kind"),),
        openapi.CHANGES,
        is_long=True,
    ),
)
