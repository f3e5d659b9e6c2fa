"""What a release says of itself agrees: versions, supported Pythons, workflows and targets that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import adagram
from tests_support import tomllib

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYTHONS = [found[1] for name in PROJECT["classifiers"] if (found := re.search(r":: (3\.\d+)$", name))]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_one_version() -> None:
    cited = read("CITATION.cff")
    assert cited["version"] == PROJECT["version"] == adagram.__version__
    assert {"cff-version", "message", "title", "authors", "license", "references"} <= set(cited)
    assert f"\n## {adagram.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_pythons_that_are_claimed_are_those_that_are_tested() -> None:
    assert read(".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]["python"] == PYTHONS
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert set(re.findall(r"python_of (3\.\d+)", ci)) | {"3.11"} == set(PYTHONS), "3.11 is that of .venv"
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_and_templates_can_be_read_and_run_targets_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    for target in re.findall(r"run: make ([\w-]+)", text):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_the_site_is_built_strictly() -> None:
    (command,) = re.findall(r"mkdocs build.*", MAKEFILE)
    assert command == "mkdocs build --strict", "--quiet drops warnings before they are counted"


def test_publishing_needs_no_secret() -> None:
    release = read(".github/workflows/release.yml")["jobs"]["publish"]
    assert release["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
