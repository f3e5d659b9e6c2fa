"""The documents, and the parts of them that can be run."""

from __future__ import annotations

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
