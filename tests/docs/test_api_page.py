"""docs/api.md: its examples run, and it has one of every public function."""

from __future__ import annotations

import doctest
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
