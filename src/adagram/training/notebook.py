"""The progress of a training in a notebook: one bar, drawn anew in its place."""

from __future__ import annotations

import sys
from typing import Any

from adagram.training.progress import Progress, Report


def notebook_report(objective: str) -> Report | None:
    """A report that draws in the cell that runs, or None where there is no notebook."""
    if not _is_notebook():
        return None
    from IPython.display import HTML, display

    shown: Any = None

    def report(progress: Progress) -> None:
        nonlocal shown
        html = HTML(bar(progress, objective))
        if shown is None:
            shown = display(html, display_id=True)
        else:
            shown.update(html)

    return report


def bar(progress: Progress, objective: str) -> str:
    """The state of a training as HTML."""
    share = f"value='{progress.words}' max='{progress.total}' " if progress.total else ""
    time_left = f"{progress.time_left} to go, " if progress.total else ""
    return (
        f"<progress {share}style='width: 20em'></progress> "
        f"{progress.how_far.strip()}, {progress.words_per_second / 1000:.0f} k words/s, "
        f"{time_left}{objective} {progress.objective:.3f}, {progress.live_senses:.2f} senses/word"
    )


def _is_notebook() -> bool:
    """Whether this runs in the kernel of a notebook; IPython in a terminal is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None
