# Everything runs in .venv, made from this folder's pyproject.toml; PYTHON chooses the interpreter.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all mutations lint bench torture clean

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

mutations: .venv/.stamp-test
	$(BIN)/python tests/mutations.py

lint: .venv/.stamp-lint .venv/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/.stamp-test
	$(BIN)/python benchmarks/run.py

# Kills, damaged files, loads while saving, full disks; SECONDS says for how long, SEED which.
SECONDS ?= 600
SEED ?= 0
REPORT ?= results/torture.json
torture: .venv/.stamp-test
	cd benchmarks && ../$(BIN)/python -m torture --seconds $(SECONDS) --seed $(SEED) $(if $(REPORT),--output $(REPORT))

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache
