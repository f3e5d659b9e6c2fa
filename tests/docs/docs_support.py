"""The documents, and the parts of them that can be run."""

from __future__ import annotations

import random
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def code_blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language; "" is a block that names none: commands."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands(path: Path) -> list[str]:
    """The lines of shell blocks, without comments."""
    lines = [line for block in code_blocks(path, "") for line in block.splitlines()]
    return [bare for line in lines if (bare := re.sub(r"(^|\s+)# .*", "", line).strip())]


def write_corpus(path: Path, ambiguous: tuple[str, ...], n_lines: int = 4000) -> None:
    """Lines about money or about water; the ambiguous words are in both, all other words in one of them."""
    draw = random.Random(1)
    topics = {"money": "loan cash credit deposit interest", "water": "river shore fish boat stream"}
    lines = []
    for _ in range(n_lines):
        topic = draw.choice([name.split() + words.split() for name, words in topics.items()])
        line = draw.choices(topic, k=8)
        line[draw.randrange(2, 6)] = draw.choice(ambiguous)
        lines.append(" ".join(line) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
