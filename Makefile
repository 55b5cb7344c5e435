# Everything a fresh machine needs: `make run` opens the program, `make test` passes the tests.
# Each sets up what it needs first: system libraries (Debian/Ubuntu), a virtual environment, packages.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test lint types check bench clean

run: $(STAMP)
	@sh scripts/run.sh $(BIN)

test: $(STAMP)
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -q

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)
	@$(BIN)/mypy

check: test lint types

$(STAMP): pyproject.toml scripts/setup.sh
	@PYTHON="$(PYTHON)" sh scripts/setup.sh $(VENV)
	@touch $(STAMP)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis screenshots out
