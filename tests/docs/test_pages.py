"""The site and README: their commands and their Python run, on a small text; every command is documented."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from docs_support import PAGES, ROOT, code_blocks, commands, write_corpus, write_files_of_pages
from typer.main import get_command

import adagram
from adagram.cli import build_app, main
from tests_support import tomllib

NAMES = [path.name for path in PAGES]
SLOW = {"integrations.md"}  # `make test` does not install spaCy
LANGUAGES = {"sh", "python", "pycon", "text", "toml", "sql"}  # of blocks; those of the first three are run


def with_marks(paths: list[Path]) -> list[Any]:
    return [pytest.param(path.name, marks=[pytest.mark.slow] * (path.name in SLOW)) for path in paths]


WITH_COMMANDS = with_marks([path for path in PAGES if commands(path)])
WITH_PYTHON = with_marks([path for path in PAGES if code_blocks(path, "python")])
WITH_PROMPTS = [path.name for path in PAGES if code_blocks(path, "pycon")]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
APP = get_command(build_app())
# These need a network, a cluster or public data, or do not end: they are parsed here, and run by tests of tests/files,
# tests/experiments, tests/web, tests/cluster and tests/analysis.
PARSED_ONLY = re.compile(r"adagram (push|reproduce|serve)|hf:| --ray |evaluate change|wwsi\.test\.tsv")
NEEDS = {"integrations.md": ["sklearn", "spacy"], "formats.md": ["gensim", "pyarrow"], "plots.md": ["matplotlib"],
         "quickstart.md": ["matplotlib"], "trends.md": ["matplotlib"], "explorer.md": ["uvicorn"]}  # fmt: skip


def page(name: str) -> Path:
    return next(path for path in PAGES if path.name == name)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_files_of_pages(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files as the current folder, and the command of this interpreter on the path."""
    shutil.copytree(files, tmp_path / "here")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "adagram").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m adagram "$@"\n')
    (tmp_path / "bin" / "adagram").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_commands_run(name: str, here: Path, files: Path) -> None:
    for module in NEEDS.get(name, []):
        pytest.importorskip(module)
    for line in commands(page(name)):
        if line.startswith("pip install"):
            assert set(re.findall(r"(?:\[|,)([a-z]+)", line)) <= set(EXTRAS), line
        elif line.startswith("make "):
            assert re.search(rf"^{line.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
        elif PARSED_ONLY.search(line):
            parse(shlex.split(line)[1:])
        elif not line.startswith("curl "):
            run(line)
            if line.startswith("adagram train") and "--output model/" in line:
                assert adagram.load("model").n_senses
                shutil.rmtree("model")
                shutil.copytree(files / "model", "model")


def run(line: str) -> None:
    """Run a command of a page; what it writes may exist, from another page's point of view."""
    for old in re.findall(r"--output (\S+)/(?:\s|$)", line):
        shutil.rmtree(old, ignore_errors=True)
    if re.search(r"[|<>*]", line):
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        return
    for old in re.findall(r"(?:--output|--answers|-o) (\S+\.\w+)", line):
        Path(old).unlink(missing_ok=True)
    with pytest.raises(SystemExit) as done:
        main(shlex.split(line)[1:])
    assert not done.value.code, line


def parse(words: list[str]) -> None:
    """Parse a command without running it; an unknown option or a value of the wrong type is an error."""
    command: Any = APP
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    command.make_context("adagram", list(words))


@contextmanager
def serving(words: list[str]) -> Iterator[str]:
    """Serve as the command says, on a free port; the address of the page."""
    asked = [sys.executable, "-m", "adagram", "serve", *words, "--port", "0"]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            said = ""
            while not (found := re.search(r"http://127\.0\.0\.1:\d+/", said)):
                line = server.stderr.readline()
                assert line, said
                said += line
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)


def test_requests_of_the_explorer_page_are_answered(here: Path) -> None:
    pytest.importorskip("uvicorn")
    serve, *others = commands(page("explorer.md"))
    asked = [line for line in others if line.startswith("curl ")]
    assert asked
    with serving(shlex.split(serve)[2:]) as address:
        assert urllib.request.urlopen(address).status == 200
        for line in asked:
            _, *rest = shlex.split(line)
            url = next(word for word in rest if word.startswith("localhost"))
            body = rest[rest.index("-d") + 1].encode() if "-d" in rest else None
            path = url.partition("/")[2]
            assert urllib.request.urlopen(urllib.request.Request(address + path, data=body)).status == 200


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_python_runs(name: str, here: Path, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for module in NEEDS.get(name, []):
        pytest.importorskip(module)
    names: dict[str, Any] = {}
    for block in code_blocks(page(name), "python"):
        if (
            name == "README.md" and "model.save(" in block
        ):  # README trains a model, and asks another one of this text, which is small
            shutil.rmtree("model")
            train, mark, look = block.partition('model = adagram.load("model/")')
            exec(train, names)
            shutil.rmtree("model")
            shutil.copytree(files / "model", "model")
            block = mark + look
        exec(block, names)


@pytest.mark.parametrize("name", WITH_PROMPTS)
def test_examples_with_prompts_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "corpus.txt", ("bank",))
    examples = "\n".join(code_blocks(page(name), "pycon"))
    parser, output = doctest.DocTestParser(), []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(parser.get_doctest(examples, {}, name, name, 0), out=output.append)
    assert not runner.failures, "".join(output)


@pytest.mark.parametrize("name", NAMES)
def test_no_command_and_no_python_escapes(name: str) -> None:
    """Every block is fenced and has a language; what is not run is neither a command nor Python."""
    text = page(name).read_text(encoding="utf-8")
    fences = re.findall(r"^ *(?:```|~~~)(.*)$", text, re.MULTILINE)
    assert fences[1::2] == [""] * (len(fences) // 2)
    assert set(fences[::2]) <= LANGUAGES
    run = "".join(block for kind in ("sh", "python", "pycon") for block in code_blocks(page(name), kind))
    for line in text.splitlines():
        if re.match(r"\s*(\$ |>>> |import |from \w+ import |(adagram|pip|make|curl) [\w.\"-]+ )", line):
            assert line in run or line[:1].isalpha(), f"{name} has a command or Python outside of a block: {line}"


@pytest.mark.parametrize("name", NAMES)
def test_commands_in_the_text_exist(name: str) -> None:
    """A command in a sentence has a verb and options that exist."""
    for words in re.findall(r"`adagram ([a-z][^`]*)`", page(name).read_text(encoding="utf-8")):
        command, rest = APP, words.split()
        while hasattr(command, "commands"):
            assert rest[0] in command.commands, f"{name}: adagram {words}"
            command, rest = command.commands[rest[0]], rest[1:]
            if hasattr(command, "commands") and not (rest and rest[0].islower()):
                break  # `adagram evaluate TASK`
        options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
        asked = {word for word in rest if word.startswith("--")}
        assert asked <= options | {"--help"}, f"{name}: adagram {words}"


def test_readme_names_every_extra() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+)`", readme.partition("Everything else is an extra:")[2].partition("A missing")[0])
    assert set(named) == set(EXTRAS) - {"test", "test-core", "test-all", "lint", "docs", "release"}


def test_every_command_and_option_is_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "hooks"))
    import command_line

    text = command_line.on_page_markdown((ROOT / "docs" / "cli.md").read_text(encoding="utf-8"))
    for verb, command in APP.commands.items():
        assert f"\n## adagram {verb}\n" in text
        assert command.help
        for option in command.params:
            if option.param_type_name == "option":
                assert option.help, f"{verb} {option.name} does not say what it does"
                assert all(f"`{name}`" in text for name in option.opts)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page(name).read_text(encoding="utf-8")):
        assert (page(name).parent / target).exists(), f"{name} links to {target}"


def test_links_of_results_lead_somewhere() -> None:
    for path in sorted((ROOT / "benchmarks" / "results").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def numbers(text: str) -> list[str]:
    """Return the numbers of a text that are measured: with a decimal point, or of four digits and more.

    >>> numbers("0.25 of 12,345 in 2 runs")
    ['0.25', '12,345']
    """
    return re.findall(r"-?\d+\.\d+|\d{1,3}(?:,\d{3})+", text)


@pytest.mark.parametrize("name", ["README.md", "benchmarks.md"])
def test_figures_are_in_the_files_that_they_name(name: str) -> None:
    """Each section names its files with their commits, and its tables hold nothing that is not in them."""
    for section in re.split(r"^## ", page(name).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        tables = "\n".join(line for line in section.splitlines() if line.startswith("|"))
        flat = " ".join(section.split())
        files = [ROOT / found for found in re.findall(r"[`(](benchmarks/results/[\w/.-]+)[`)]", flat)]
        texts = {path: path.read_text(encoding="utf-8") for path in files}
        for path, commit in re.findall(r"(benchmarks/results/[\w/.-]+)[^`(]*?commit (\w{7})", flat):
            assert commit in texts[ROOT / path], f"{path} is not of commit {commit}"
        raw = [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*\.?\d*", " ".join(texts.values()))]
        for number in numbers(tables):
            digits, value = len(number.partition(".")[2]), abs(float(number.replace(",", "")))
            near = 0.51 * 10.0**-digits
            found = any(abs(figure * unit - value) <= near for figure in raw for unit in (1, 100, 1e-3))
            assert found or not files, f"{name}: {number} is in none of {[path.name for path in files]}"
        assert files or not numbers(tables), f"{name} has figures without a file: {section[:40]}"
