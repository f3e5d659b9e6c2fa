"""The palette of the page: readable in both themes, and distinct for any colour vision together with the numbers."""

from __future__ import annotations

import re
from importlib import resources

import numpy as np
import pytest

STYLE = resources.files("adagram.web").joinpath("static", "style.css").read_text(encoding="utf-8")
PAIRS = re.findall(r"(?:--(\w+)|\.(s\d) \{ --c): light-dark\((#\w{6}), (#\w{6})\)", STYLE)
THEMES = [{name or sense: pair[i] for name, sense, *pair in PAIRS} for i in (0, 1)]
# Linear RGB as seen without the red, green and blue cones (Viénot, Brettel and Mollon 1999; Brettel 1997, one plane).
BLIND = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "tritan": [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.805, 0.11911]],
}


def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """As WCAG defines it, from 1 to 21."""
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_text_and_marks_stand_out(theme: dict[str, str]) -> None:
    for ground in ("page", "card"):
        for text in ("ink", "quiet", "link", "alert"):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
        for sense in (f"s{k}" for k in range(8)):
            assert contrast(theme[sense], theme[ground]) >= 3.0, (sense, ground)


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
@pytest.mark.parametrize("kind", [None, *BLIND])
def test_the_first_senses_differ_for_any_colour_vision(theme: dict[str, str], kind: str | None) -> None:
    seen = [np.clip((BLIND[kind] if kind else np.eye(3)) @ linear(theme[f"s{k}"]), 0, 1) for k in range(4)]
    srgb = [np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055) for v in seen]
    apart = [np.linalg.norm(srgb[i] - srgb[j]) for i in range(4) for j in range(i)]
    assert min(apart) > 0.15
