"""An interrupted run leaves nothing behind, and the next one gives the whole data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.rules import SenseRules
from adagram.types import StageProgress


@pytest.mark.parametrize("stage", ["pass 1", "pass 2"])
def test_an_interrupted_run(stage: str, small: Path, files: Files, rules: SenseRules, expected: str) -> None:
    def interrupt(progress: StageProgress) -> None:
        assert progress.total is not None
        assert progress.done <= progress.total
        if progress.stage.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([small], files, rules, on_progress=interrupt)
    assert not list(files.all.parent.iterdir())
    build([small], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected
    assert set(files.all.parent.iterdir()) == set(vars(files).values())
