"""The start page: words whose senses convince, and examples for the other views."""

from __future__ import annotations

from adagram.web.cards import card
from adagram.web.explorer import Answer, Explorer

SENSES = 3  # of each word that the start page shows
NEAR = 4  # neighbours of each
LEAST_SHARE = 0.12  # of a sense that is not among the first two


def start(explorer: Explorer) -> Answer:
    """Ambiguous words with their main senses; a text and a comparison to begin with."""
    words = [_word(explorer, word) for word in explorer.worth_trying]
    return {
        "words": [{"word": each["word"], "senses": [_brief(s) for s in each["senses"]]} for each in words],
        "text": "\n".join(_sentence(s) for each in words[:3] for s in each["senses"][:2]),
        "comparison": _comparison(words),
    }


def _word(explorer: Explorer, word: str) -> Answer:
    rows = explorer.shown.rows(word)[:SENSES]
    shown = [row for i, row in enumerate(rows) if i < 2 or explorer.model.priors[row] >= LEAST_SHARE]
    return {"word": word, "senses": [card(explorer, row, NEAR) for row in shown]}


def _brief(sense: Answer) -> Answer:
    return {name: sense[name] for name in ("sense", "prior", "gist", "neighbours")}


def _sentence(sense: Answer) -> str:
    """The clearest example of a sense; without a sheet the word among its neighbours."""
    examples: list[str] = [e["left"] + e["match"] + e["right"] for e in sense["examples"] if e["match"]]
    if examples:
        return min(examples[:3], key=len)
    words = [near["sense"].rpartition("#")[0] for near in sense["neighbours"]]
    word = sense["sense"].rpartition("#")[0]
    return " ".join([*words[:2], word, *words[2:]])


def _comparison(words: list[Answer]) -> Answer:
    """One word in the contexts of two of its senses, or nothing."""
    for each in words:
        if len(each["senses"]) > 1:
            left, right = (_sentence(sense) for sense in each["senses"][:2])
            return {
                "left": each["word"],
                "left_context": left,
                "right": each["word"],
                "right_context": right,
            }
    return {"left": "", "left_context": "", "right": "", "right_context": ""}
