"""README and tutorial: their commands and their Python run, on a small text; every verb has help and a page."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from docs_support import DOCS, ROOT, code_blocks, commands, write_corpus
from typer.main import get_command

import adagram
from adagram.cli import build_app, main
from tests_support import tomllib

AMBIGUOUS = ("apple", "rock")
SUITE = ["README.md", "docs/tutorial.md"]
VERBS = sorted(get_command(build_app()).commands)
OTHER_WORDS = "the text to predict new iphone was announced today the band played loud lava and limestone\n"
HEADER = "target\tinstance_id\tsense\tleft\tright\tsurface\n"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that the pages speak of, and a model in which apple and rock have two senses."""
    folder = tmp_path_factory.mktemp("text")
    write_corpus(folder / "heldout.txt", AMBIGUOUS)
    with open(folder / "heldout.txt", "a", encoding="utf-8") as file:
        file.write(OTHER_WORDS * 30)
    subprocess.run(["gzip", "--keep", "heldout.txt"], cwd=folder, check=True)
    (folder / "heldout.txt.gz").rename(folder / "corpus.txt.gz")
    rows = [f"rock\trock.{i}\t{'AB'[i % 2]}\t{('cash loan', 'fish boat')[i % 2]}\t\trock\n" for i in range(8)]
    (folder / "dataset.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")
    options = {"preset": "paper", "dim": 16, "alpha": 0.5, "min_count": 1, "epochs": 5, "threads": 1}
    adagram.train(folder / "corpus.txt.gz", folder / "trained", **options)
    return folder


@pytest.fixture
def here(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    shutil.copytree(text, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("page", SUITE)
def test_commands_run(page: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they stand; those that train make a model, which a longer trained one replaces for the others to look at."""
    asked = [line for line in commands(ROOT / page) if "adagram " in line.partition("#")[0]]
    assert len(asked) > 2
    for line in asked:
        if "|" in line:
            line = line.replace("adagram ", f"{sys.executable} -m adagram ")
            piped = subprocess.run(line, shell=True, capture_output=True, text=True)
            assert piped.returncode == 0, f"{line}: {piped.stderr}"
            continue
        with pytest.raises(SystemExit) as done:
            main(shlex.split(line)[1:])
        assert not done.value.code, line
        if "--output model/" in line:
            assert adagram.load("model").n_senses
            shutil.rmtree("model")
            shutil.copytree("trained", "model")
    assert capsys.readouterr().out


def test_python_of_readme_runs(here: Path) -> None:
    (block,) = code_blocks(ROOT / "README.md", "python")
    look = block[block.index("model.senses") :]
    found: dict[str, object] = {}
    exec(block[: block.index("model.senses")], found)
    found["model"] = adagram.load("trained")
    exec(look, found)


def test_make_targets_and_extras_of_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\S+)", readme, flags=re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(
        r"`(\w+)`", readme.partition("Everything else is an extra:")[2].partition("A missing")[0]
    )
    assert set(named) == set(extras) - {"test", "test-core", "lint"}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_a_page(verb: str) -> None:
    command = get_command(build_app()).commands[verb]
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{verb} {option.name} does not say what it does"
    pages = [path.name for path in DOCS if re.search(rf"adagram {verb}\b", path.read_text(encoding="utf-8"))]
    assert "README.md" in pages
    assert verb == "demo" or len(pages) > 1, f"only README speaks of {verb}"


def test_pages_name_only_verbs_that_exist() -> None:
    for path in DOCS:
        for line in commands(path):
            for verb in re.findall(r"(?:^|\| )adagram ([a-z]+)", line):
                assert verb in VERBS, f"{path.name}: {line}"


def test_links_between_pages_lead_somewhere() -> None:
    for path in [*DOCS, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "benchmarks" / "results").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
