"""docs/api.md: its examples run, and it has one of every public function and method."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from docs_support import ROOT, code_blocks, write_corpus

import adagram

PAGE = ROOT / "docs" / "api.md"
EXAMPLES = "\n".join(code_blocks(PAGE, "pycon"))


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "corpus.txt", ("bank",))
    parser, output = doctest.DocTestParser(), []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(parser.get_doctest(EXAMPLES, {}, PAGE.name, str(PAGE), 0), out=output.append)
    assert not runner.failures, "".join(output)


@pytest.mark.parametrize("name", adagram.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    assert f"adagram.{name}" in EXAMPLES


@pytest.mark.parametrize("name", [name for name in dir(adagram.Model) if not name.startswith("_")])
def test_every_method_of_a_model_has_an_example_and_a_sentence(name: str) -> None:
    assert re.search(rf"\.{name}\b", EXAMPLES)
    assert re.search(rf"`(Model\.)?{name}\b", PAGE.read_text(encoding="utf-8"))
