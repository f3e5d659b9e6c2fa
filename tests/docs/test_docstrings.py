"""The examples in docstrings are run; every public name has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docs_support import write_corpus

import adagram

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(adagram.__path__, "adagram.")
    if not module.name.endswith("__main__")
)
NEEDS = {
    "adagram.model.model": "gensim",
    "adagram.integrations.sklearn": "sklearn",
    "adagram.integrations.spacy": "spacy",
}
SLOW = {"adagram.integrations.spacy"}  # `make test` does not install what these need
METHODS = [name for name in dir(adagram.Model) if not name.startswith("_")]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What examples may use: `model`, in a folder that has it as model/."""
    folder = tmp_path_factory.mktemp("examples")
    write_corpus(folder / "corpus.txt", ("bank",))
    options = {"preset": "paper", "dim": 16, "min_count": 1, "epochs": 3, "threads": 1}
    adagram.train(folder / "corpus.txt", folder / "model", **options)
    return {
        "adagram": adagram,
        "model": adagram.load(folder / "model"),
        "np": np,
        "os": os,
        "Path": Path,
        "home": folder,
    }


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in MODULES])
def test_examples_of_docstrings(name: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(names["home"])
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS, extraglobs=names).failed == 0


@pytest.mark.parametrize("name", adagram.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    assert ">>> " in inspect.getdoc(getattr(adagram, name))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_a_model_has_an_example(name: str) -> None:
    assert f".{name}" in (inspect.getattr_static(adagram.Model, name).__doc__ or "")


def test_a_model_shows_few_names() -> None:
    assert len(METHODS) <= 30


def test_nothing_else_is_listed() -> None:
    assert dir(adagram) == sorted([*adagram.__all__, "__version__"])
