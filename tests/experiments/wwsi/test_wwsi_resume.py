"""An interrupted run goes on from pass one; a changed dump or rule starts again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.dump import Dump
from adagram.experiments.wwsi.rules import SenseRules, load_rules
from adagram.types import StageProgress


class Watch:
    """Remembers which passes were started; may interrupt one."""

    def __init__(self, interrupt: str = "never") -> None:
        self.passes: list[str] = []
        self._interrupt = interrupt

    def __call__(self, progress: StageProgress) -> None:
        stage = progress.stage
        assert progress.total is not None
        assert progress.done <= progress.total
        if stage[:6] not in self.passes:
            self.passes.append(stage[:6])
        elif stage.startswith(self._interrupt):
            raise KeyboardInterrupt


@pytest.fixture
def dump(small: Path, tmp_path: Path) -> Path:
    return shutil.copy(small, tmp_path / "dump.xml")


def interrupt(dump: Path, files: Files, rules: SenseRules, during: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        build([Dump.open(dump)], files, rules, on_progress=Watch(during), overwrite=True)
    assert not files.all.exists()


def passes_of_next_run(dump: Path, files: Files, rules: SenseRules) -> list[str]:
    watch = Watch()
    build([Dump.open(dump)], files, rules, on_progress=watch, overwrite=True)
    return watch.passes


def test_interrupted_in_pass_two_goes_on_from_there(dump: Path, files: Files, rules: SenseRules, expected: str) -> None:
    interrupt(dump, files, rules, "pass 2")
    assert passes_of_next_run(dump, files, rules) == ["pass 2"]
    assert files.all.read_text(encoding="utf-8") == expected
    assert passes_of_next_run(dump, files, rules) == ["pass 1", "pass 2"]  # nothing is kept of a finished run


def test_interrupted_in_pass_one_starts_again(dump: Path, files: Files, rules: SenseRules, expected: str) -> None:
    interrupt(dump, files, rules, "pass 1")
    assert not list(files.all.parent.iterdir())
    assert passes_of_next_run(dump, files, rules) == ["pass 1", "pass 2"]
    assert files.all.read_text(encoding="utf-8") == expected


def test_other_thresholds_keep_pass_one_and_another_dump_does_not(dump: Path, files: Files, rules: SenseRules) -> None:
    interrupt(dump, files, rules, "pass 2")
    assert passes_of_next_run(dump, files, load_rules(min_count=7, min_contexts=2)) == ["pass 2"]
    files.all.unlink()
    interrupt(dump, files, rules, "pass 2")
    dump.write_text(dump.read_text(encoding="utf-8").replace("seeds", "beets"), encoding="utf-8")
    assert passes_of_next_run(dump, files, rules) == ["pass 1", "pass 2"]
    assert "eats beets" in files.all.read_text(encoding="utf-8")


def test_a_survey_file_cut_by_a_full_disk_is_not_taken(dump: Path, files: Files, rules: SenseRules) -> None:
    partial = files.all.with_name("wwsi.tsv.partial")
    partial.mkdir()
    (partial / "survey.gz").write_bytes(b"\x1f\x8b\x08\x00")
    assert passes_of_next_run(dump, files, rules) == ["pass 1", "pass 2"]
