"""README's figures of speed are those of the result files."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from docs_support import ROOT


@pytest.fixture(scope="module")
def readme_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("readme_maker", ROOT / "benchmarks" / "readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_has_the_figures_of_the_result_files(readme_maker: ModuleType) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme_maker.speed_block(ROOT / "benchmarks" / "results")
    assert readme_maker.with_block(text, block) == text, "run: python benchmarks/readme.py"
    assert block.count("commit ") == 4


def test_a_missing_mark_is_named(readme_maker: ModuleType) -> None:
    with pytest.raises(SystemExit, match="lacks the marks"):
        readme_maker.with_block("no marks here", "block")
