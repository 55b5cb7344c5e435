# Everything a fresh machine needs: `make run` opens the program, `make test` passes the tests.
# Each sets up what it needs first: system libraries (Debian/Ubuntu), a virtual environment, packages.

PYTHON ?= python3
VENV := .venv
BENCH := .venv-bench
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test lint types check bench exports clean

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

# Ratios to PyTorch and HIPS autograd, in an environment of their own: nothing else needs them.
bench: $(BENCH)/.installed
	@$(BENCH)/bin/python -m benchmarks.engine $(ARGS)

exports: $(BENCH)/.installed
	@$(BENCH)/bin/python -m benchmarks.check_exports $(ARGS)
	@$(BENCH)/bin/python -m benchmarks.check_torch_export $(ARGS)

$(BENCH)/.installed: pyproject.toml
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check \
		'numpy>=2.0' 'scipy>=1.13' 'networkx>=3.2' 'msgspec>=0.19' 'torch==2.13.0' autograd
	@touch $@

clean:
	rm -rf $(VENV) $(BENCH) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis screenshots out
