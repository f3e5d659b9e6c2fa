# Everything runs in .venv, made from this folder's pyproject.toml; PYTHON chooses the interpreter.
PYTHON ?= python3
BIN := .venv/bin
# Bytecode is written when a module is first imported: installing is faster, and smaller.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
PYTEST := -m pytest -n auto --dist loadfile
# The tests start some hundred interpreters, which would each compile every module that they import.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-other test-lowest test-newest mutations lint docs wheel bench torture clean

.venv/.stamp-%: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(INSTALL) --editable ".[$*]"
	touch $@

demo: .venv/.stamp-demo
	$(BIN)/adagram demo

test: .venv/.stamp-test
	$(BIN)/python $(PYTEST)

test-all: .venv/.stamp-test-all
	$(BIN)/python $(PYTEST) -m "" --hypothesis-profile all

# What other versions run of the fast suite.
CORE := tests/model tests/systems tests/training tests/golden tests/test_options.py tests/test_public.py

# The core of the fast suite by another Python: make test-other OTHER=python3.12
test-other:
	test -x .venv-other/bin/python || $(OTHER) -m venv .venv-other
	.venv-other/bin/python $(INSTALL) --editable ".[test-core]"
	.venv-other/bin/python $(PYTEST) $(CORE)

# The core of the fast suite with the lowest versions that pyproject.toml allows, which are for Python 3.10 to 3.12.
LOWEST ?= $(PYTHON)
test-lowest:
	test -x .venv-lowest/bin/python || $(LOWEST) -m venv .venv-lowest
	.venv-lowest/bin/python $(INSTALL) tomli
	.venv-lowest/bin/python tests/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python $(INSTALL) --editable ".[test-core]" --constraint .venv-lowest/constraints.txt
	.venv-lowest/bin/python $(PYTEST) $(CORE)

# The core of the fast suite with the newest versions that there are today.
NEWEST ?= $(PYTHON)
test-newest:
	test -x .venv-newest/bin/python || $(NEWEST) -m venv .venv-newest
	.venv-newest/bin/python $(INSTALL) --upgrade --upgrade-strategy eager --editable ".[test-core]"
	.venv-newest/bin/python $(PYTEST) $(CORE)

mutations: .venv/.stamp-test-all
	$(BIN)/python tests/mutations.py

lint: .venv/.stamp-lint .venv/.stamp-test-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, into site/; broken links and missing pages are errors (not with --quiet, which drops warnings uncounted).
docs: .venv/.stamp-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Wheel and sdist, into dist/. The wheel is installed into an empty environment, where a user's program runs and the demo.
wheel: .venv/.stamp-release .venv/.stamp-lint
	rm -rf dist .venv-wheel
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python $(INSTALL) "$$(ls dist/*.whl)[demo]"
	cd tests && ../.venv-wheel/bin/python -m wheel_test
	$(BIN)/mypy --config-file= --strict --python-executable .venv-wheel/bin/python tests/user_program.py

bench: .venv/.stamp-test
	$(BIN)/python benchmarks/run.py

# Kills, damaged files, attacks, full disks; SECONDS says for how long, SEED which, UNTIL how many:
# make torture SECONDS=7200 UNTIL="--kills 1000 --inputs 200000 --bounds"
SECONDS ?= 600
UNTIL ?=
SEED ?= 0
REPORT ?= ../benchmarks/results/torture.json
torture: .venv/.stamp-test-all
	cd tests && ../$(BIN)/python -m torture --seconds $(SECONDS) --seed $(SEED) $(UNTIL) $(if $(REPORT),--output $(REPORT))

clean:
	rm -rf site .venv .venv-other .venv-lowest .venv-newest .venv-wheel build dist .pytest_cache .mypy_cache .ruff_cache
