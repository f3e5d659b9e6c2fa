"""The look of all figures, and files written complete or not at all."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adagram.errors import InputError, need
from adagram.files.atomic import check_new_file, new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
# Okabe and Ito's colours, distinct for people with any colour vision; markers and dashes repeat the distinction.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8000", "#4d4d4d")
INKS = ("white", "white", "white", "black", "black", "black", "white", "white")  # readable on each colour
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
# Scripts that the standard font lacks, if the machine has fonts for them.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK JP",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Arial Unicode MS",
)
_SETTINGS = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "text.parse_math": False,  # a word may contain a dollar sign
    "svg.hashsalt": "adagram",  # the same figure gives the same file
    "pdf.fonttype": 42,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw with our settings, whatever the user's own are."""
    matplotlib = need("matplotlib", "plot", "a figure")
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    fonts = [name for name in _FONTS if name in installed]
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | {"font.family": fonts})
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # `save` reports them once
            yield


def new_figure(width: float, height: float) -> Figure:
    """A figure of its own, without pyplot's global state or a window; a notebook shows it inline."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)

    def as_png() -> bytes:
        made = BytesIO()
        with styled():
            figure.savefig(made, format="png", dpi=100)
        return made.getvalue()

    figure._repr_png_ = as_png  # type: ignore[attr-defined]
    return figure


def shortened(name: str, longest: int = 24) -> str:
    """A name that fits; what is cut off is marked."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def quiet_grid(axes: Axes) -> None:
    axes.grid(color="#d9dbde", linewidth=0.6)
    axes.set_axisbelow(True)


def save(figure: Figure, path: str | Path, overwrite: bool = False) -> str:
    """Write PNG, SVG or PDF by the name's ending, complete or not at all.

    Returns the characters that no installed font has; they are drawn as boxes.
    """
    path = Path(path)
    check_new_file(path, overwrite)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"cannot write '{path.name}': a figure's name must end in {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"cannot write '{path}': there is no folder {path.parent}")
    kind = path.suffix.lower()[1:]
    # Without a date the same figure gives the same bytes.
    metadata = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with new_file(path, overwrite) as made, styled(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(made, format=kind, dpi=200, metadata=metadata)
    glyphs = (re.match(r"Glyph (\d+)", str(warning.message)) for warning in caught)
    return "".join(sorted({chr(int(found[1])) for found in glyphs if found}))
