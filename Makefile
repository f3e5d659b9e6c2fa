# Everything runs in .venv, made from this folder's pyproject.toml; PYTHON chooses the interpreter.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all test-other test-lowest mutations lint docs bench torture clean

.venv/.stamp-%: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	touch $@

demo: .venv/.stamp-demo
	$(BIN)/adagram demo

test: .venv/.stamp-test
	$(BIN)/python -m pytest -n auto --dist loadfile

test-all: .venv/.stamp-test
	$(BIN)/python -m pytest -n auto --dist loadfile -m ""

# The fast suite by another Python: make test-other OTHER=python3.10
test-other:
	test -x .venv-other/bin/python || $(OTHER) -m venv .venv-other
	.venv-other/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test-core]"
	.venv-other/bin/python -m pytest -n auto --dist loadfile

# The core of the fast suite with the lowest versions that pyproject.toml allows, which are for Python 3.10 to 3.12.
LOWEST ?= $(PYTHON)
test-lowest: .venv/.stamp-test
	test -x .venv-lowest/bin/python || $(LOWEST) -m venv .venv-lowest
	$(BIN)/python tests/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test-core]" \
		--constraint .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pytest -n auto --dist loadfile tests/model tests/systems tests/training tests/golden tests/test_options.py

mutations: .venv/.stamp-test
	$(BIN)/python tests/mutations.py

lint: .venv/.stamp-lint .venv/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, into site/; broken links and missing pages are errors.
docs: .venv/.stamp-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

bench: .venv/.stamp-test
	$(BIN)/python benchmarks/run.py

# Kills, damaged files, attacks, full disks; SECONDS says for how long, SEED which, UNTIL how many:
# make torture SECONDS=7200 UNTIL="--kills 1000 --inputs 200000 --bounds"
SECONDS ?= 600
UNTIL ?=
SEED ?= 0
REPORT ?= ../benchmarks/results/torture.json
torture: .venv/.stamp-test
	cd tests && ../$(BIN)/python -m torture --seconds $(SECONDS) --seed $(SEED) $(UNTIL) $(if $(REPORT),--output $(REPORT))

clean:
	rm -rf site .venv .venv-other .venv-lowest build dist .pytest_cache .mypy_cache .ruff_cache
