"""The pages of the site, the parts of them that can be run, and a folder with the files that they name."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import re
import shutil
from pathlib import Path

import adagram
from adagram.corpus import EncodeOptions, encode

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
AMBIGUOUS = ("apple", "bank", "light", "plant", "rock")
MONEY, WATER = "money loan cash credit deposit interest", "water river shore fish boat stream"
OTHER_WORDS = "the text to predict seeds and leaves in the garden coal power and machinery the band played loud\n"
WSI_HEADER = "target\tinstance_id\tsense\tleft\tright\tsurface\n"


def code_blocks(path: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands(path: Path) -> list[str]:
    """Return the lines of shell blocks, without comments."""
    lines = [line for block in code_blocks(path, "sh") for line in block.splitlines()]
    return [bare for line in lines if (bare := re.sub(r"(^|\s+)# .*", "", line).strip())]


def write_corpus(path: Path, ambiguous: tuple[str, ...], n_lines: int = 4000) -> None:
    """Write lines about money or about water; the ambiguous words are in both, all other words in one of them."""
    draw = random.Random(1)
    lines = [_line(draw, draw.choice((MONEY, WATER)), ambiguous) for _ in range(n_lines)]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _line(draw: random.Random, topic: str, ambiguous: tuple[str, ...]) -> str:
    line = draw.choices(topic.split(), k=8)
    line[draw.randrange(2, 6)] = draw.choice(ambiguous)
    return " ".join(line)


def write_files_of_pages(folder: Path) -> None:
    """Write every file that a command or a program of a page reads, and a model with two senses of ambiguous words."""
    write_corpus(folder / "heldout.txt", AMBIGUOUS, n_lines=2500)
    with open(folder / "heldout.txt", "a", encoding="utf-8") as file:
        file.write(OTHER_WORDS * 30)
    whole = (folder / "heldout.txt").read_bytes()
    (folder / "corpus.txt.gz").write_bytes(gzip.compress(whole))
    for name in ("extra.txt", "articles/one.txt", "2023.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(whole[:20_000])
    (folder / "more").mkdir()
    (folder / "more" / "two.txt.gz").write_bytes(gzip.compress(whole[:20_000]))
    dump = bz2.compress((ROOT / "tests" / "experiments" / "wwsi" / "small.xml").read_bytes())
    for name in ("dump", "enwiki-latest-pages-articles-multistream", "dewiki-latest-pages-articles"):
        (folder / f"{name}.xml.bz2").write_bytes(dump)
    draw = random.Random(2)
    with open(folder / "speeches.jsonl", "w", encoding="utf-8") as file:
        for year in range(1946, 2023):
            for country in ("France", "Ghana", "Peru"):
                topics = draw.choices((MONEY, WATER), (year - 1940, 2030 - year), k=6)
                text = "\n".join(_line(draw, topic, AMBIGUOUS) for topic in topics)
                file.write(json.dumps({"text": text, "year": year, "country": country}) + "\n")
    _write_data_sets(folder)
    encode(folder / "corpus.txt.gz", folder / "encoded", EncodeOptions(min_count=5))
    options = {"preset": "paper", "dim": 16, "alpha": 0.5, "min_count": 1, "epochs": 5, "threads": 1}
    adagram.train(folder / "corpus.txt.gz", folder / "model", **options)
    shutil.copytree(folder / "model", folder / "fine")


def _write_data_sets(folder: Path) -> None:
    """Write a small data set of each task of `adagram evaluate`."""
    sides = ("cash loan", "fish boat")
    rows = [f"rock\trock.{i}\t{'AB'[i % 2]}\t{sides[i % 2]}\t\trock\n" for i in range(8)]
    for name in ("dataset.tsv", "wwsi.tsv", "contexts.tsv"):
        (folder / name).write_text(WSI_HEADER + "".join(rows), encoding="utf-8")
    key = "".join(f"rock rock.{i} {'AB'[i % 2]}\n" for i in range(8))
    for name in ("gold.key", "all.key"):
        (folder / name).write_text(key, encoding="utf-8")
    search = folder / "semeval2013-11"
    search.mkdir()
    (search / "topics.txt").write_text("ID\tdescription\n1\trock\n")
    (search / "results.txt").write_text(f"ID\turl\ttitle\tsnippet\n1.1\tu\tt\t{MONEY}\n1.2\tu\tt\t{WATER}\n")
    (search / "STRel.txt").write_text("subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n")
    ratings = [
        f"1\trock\tn\tcash\tn\t{side} <b>rock</b>\t<b>cash</b> money\t{rating}\t0\n"
        for side, rating in ((MONEY, 9), (WATER, 1))
    ]
    (folder / "ratings.txt").write_text("".join(ratings))
    (folder / "EN-WS-353-ALL.txt").write_text("cash money 9\ncash river 1\n")
    (folder / "questions-words.txt").write_text(": s\ncash money river water\n")
