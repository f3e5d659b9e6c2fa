"""The cards of a word as a table that spreadsheets open."""

from __future__ import annotations

import csv
from io import StringIO

from adagram.model.display import plain_cell
from adagram.web.cards import cards
from adagram.web.explorer import Explorer

COLUMNS = ("word", "sense", "label", "share", "count", "neighbours", "collocates", "examples")


def table(explorer: Explorer, word: str) -> str:
    """CSV with a row per sense, as `adagram export --format csv` has them."""
    found = cards(explorer, word)
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for card in found["senses"]:
        cells = [
            found["word"],
            card["sense"],
            card["label"],
            f"{card['prior']:.4f}",
            f"{card['count']:.1f}",
            ", ".join(near["sense"] for near in card["neighbours"]),
            ", ".join(collocate["word"] for collocate in card["collocates"]),
            "\n".join(e["left"] + e["match"] + e["right"] for e in card["examples"]),
        ]
        writer.writerow([plain_cell(cell) for cell in cells])
    return out.getvalue()
