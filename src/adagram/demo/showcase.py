"""What the demo shows of a model: ambiguous words that everyone knows, and new sentences with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adagram.model import Model
from adagram.model.ranking import FREQUENT, LEAST_COUNT, LEAST_SHARE, rank_words
from adagram.model.sheet import Entry
from adagram.text.stop_words import ENGLISH

NEIGHBOURS = 4
_LOOKED_AT = 4  # words for each that is shown
_LONG = 140  # letters of an example
_STEM = 4  # letters that words of one family have in common

# Two sentences for each word, neither from the text of the demo, each with another sense.
SENTENCES = {
    "bank": ("the bank refused the loan", "they sat on the bank of the river"),
    "banks": ("the banks lowered interest on deposits", "trees grow along the banks of the river"),
    "bear": ("they must bear the burden of taxes", "a brown bear and other animals live in the forest"),
    "branch": ("the executive branch must obey congress", "algebra is a branch of mathematics"),
    "capital": ("the capital is the largest city of the country", "foreign capital was invested in industry"),
    "cell": ("the nucleus of the cell contains dna", "the prisoner was locked in his cell"),
    "figure": ("he was a leading figure of french literature", "the figure is a sum of millions of dollars"),
    "interest": ("the interest on the debt is payable in gold", "they showed great interest in the arts"),
    "light": (
        "light is a wave in the visible spectrum",
        "in the light of experience we must reconsider the law",
    ),
    "mass": ("the mass of the particle is small", "weapons of mass destruction threaten peace"),
    "plant": ("the plant has green leaves and white flowers", "the plant burns coal to produce electricity"),
    "rock": ("the band played rock music on the guitar", "volcanic rock contains minerals"),
    "space": ("a point in euclidean space has three dimensions", "nasa sent astronauts into space"),
    "star": ("the star is brighter than the sun", "he became a star of hollywood film"),
    "turkey": ("turkey has a border with greece", "they ate roast turkey with vegetables"),
}


@dataclass(frozen=True)
class Shown:
    """A sense as a reader wants it; label and example come from the sense sheet."""

    sense: str
    prior: float
    label: str
    neighbours: list[str]
    example: str


@dataclass(frozen=True)
class Answer:
    """The likeliest sense of a word in a new sentence."""

    word: str
    sentence: str
    sense: str
    probability: float


def showcase(model: Model, n_words: int) -> dict[str, list[Shown]]:
    """The most clearly ambiguous words, well-known homographs first; all senses have an example if there is a sheet."""
    found: dict[str, list[Shown]] = {}
    for ranked in rank_words(model, _LOOKED_AT * n_words):
        senses = shown_senses(model, ranked.word)
        if model.sheet is None or all(sense.label and sense.example for sense in senses):
            found[ranked.word] = senses
        if len(found) == n_words:
            break
    return found


def shown_senses(model: Model, word: str) -> list[Shown]:
    """The senses of a word that are used enough to be shown, by falling prior."""
    found: list[Shown] = []
    senses = model.senses(word, top=20, min_count=LEAST_COUNT)
    for sense in sorted(senses, key=lambda sense: -sense.prior):
        if sense.prior < LEAST_SHARE and found:
            break
        entry = model.sheet.learned(sense.name) if model.sheet else None
        names = [neighbour.name.rpartition("#")[0] for neighbour in sense.neighbours]
        near = clean_neighbours(model, word, names)
        label = ", ".join(part for part in sense.label.split(", ") if part not in ENGLISH)
        found.append(Shown(sense.name, sense.prior, label, near, _readable(entry) if entry else ""))
    return found


def _readable(entry: Entry) -> str:
    """The first example that is not long, or the shortest."""
    texts = [example.text for example in entry.examples]
    return next((text for text in texts if len(text) <= _LONG), min(texts, key=len, default=""))


def clean_neighbours(model: Model, word: str, names: list[str]) -> list[str]:
    """The first few that tell a reader something: no word twice, none of the word's own family, no function words."""
    frequent = min(FREQUENT, len(model.vocabulary) // 20)
    stem = word[: max(_STEM, len(word) - 2)]
    telling = [n for n in dict.fromkeys(names) if model.vocabulary.id(n) >= frequent and n.isalpha()]
    return [n for n in telling if not n.startswith(stem) and not word.startswith(n)][:NEIGHBOURS]


def new_sentences(model: Model, words: Iterable[str]) -> list[Answer]:
    """What the model makes of both sentences of every word that has some."""
    found: list[Answer] = []
    for word in words:
        for sentence in SENTENCES.get(word, ()):
            posterior = model.posterior(word, " ".join("_" if w == word else w for w in sentence.split()))
            found.append(Answer(word, sentence, posterior.best, float(posterior.max())))
    return found


def told_apart(answers: list[Answer]) -> list[str]:
    """The words whose sentences got different senses."""
    senses: dict[str, set[str]] = {}
    for answer in answers:
        senses.setdefault(answer.word, set()).add(answer.sense)
    return [word for word, found in senses.items() if len(found) > 1]
