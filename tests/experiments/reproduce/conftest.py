"""A tiny corpus in which 'bank' has two senses, and a tiny edition of every data set."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

MONEY, RIVER = "loan money cash account", "river water shore mud"
HEADER = "target\tinstance_id\tsense\tleft\tright\tsurface\n"


def lines_of(n: int) -> str:
    """Sentences about money or rivers in random order; 'bank' occurs in all of them."""
    draw = random.Random(0)
    lines = []
    for _ in range(n):
        words = draw.choices(draw.choice((MONEY, RIVER)).split(), k=9)
        words.insert(draw.randint(3, 6), "bank")
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "corpus.txt").write_text(lines_of(600), encoding="utf-8")
    (folder / "heldout.txt").write_text(lines_of(50), encoding="utf-8")
    return folder / "corpus.txt"


def contexts(targets: tuple[str, ...]) -> str:
    rows = [
        f"{target}\t{target}.{i}\t{sense}\tthe {side}\t{side}\tbank\n"
        for target in targets
        for i, (sense, side) in enumerate([("m", MONEY), ("r", RIVER)] * 3)
    ]
    return HEADER + "".join(rows)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    files = {
        "wwsi/train.tsv": contexts(("bank",)),
        "semeval2010/contexts.tsv": contexts(("bank.n", "bank.v")),
        "semeval2013-13/contexts.tsv": contexts(("bank.n",)).replace("\tm\t", "\tm/4|r/1\t"),
        "scws/ratings.txt": "".join(
            f"1\tbank\tn\tcash\tn\t{side} <b>bank</b>\t<b>cash</b> money\t{rating}\t0\n"
            for side, rating in ((MONEY, 9), (RIVER, 1))
        ),
    }
    for place, query in (("semeval2013-11", "bank"), ("moresque", "river_bank")):
        files |= {
            f"{place}/topics.txt": f"ID\tdescription\n1\t{query}\n",
            f"{place}/results.txt": f"ID\turl\ttitle\tsnippet\n1.1\tu\tt\t{MONEY}\n1.2\tu\tt\t{RIVER}\n",
            f"{place}/STRel.txt": "subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n",
        }
    for place, text in files.items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    return folder
