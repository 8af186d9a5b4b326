# Every target sets up .venv if necessary. `make` without a target lists them.

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip --disable-pip-version-check -q
# Versions of build requirements: older pips read the first variable, newer ones the second.
LOCKED := PIP_CONSTRAINT=requirements.lock PIP_BUILD_CONSTRAINT=requirements.lock
BUILD_WITH = $(shell sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml)

# Without compiled files each program that a test starts would compile devchain anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help start test coverage test-lowest test-clients test-projects test-traces test-vectors test-eels dist fuzz bench soak check fix docs docs-site lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1:/p' Makefile | while IFS=: read -r name what; do \
	  printf '  make %-12s %s\n' "$$name" "$$what"; done

start: .venv/.runtime ## start a node with the rules of the test network; ARGS="--port 0" adds options
	@exec $(BIN)/devchain start --network test $(ARGS)

test: check ## run every check, as CI does
	$(BIN)/python docs/render.py --check
	$(BIN)/pytest -n auto

coverage: .venv/.installed ## run the tests with coverage, which has to be 95 %
	$(BIN)/pytest -n auto --cov

test-lowest: .venv-lowest/.installed ## run tests with the lowest versions of dependencies; ARGS="tests/client" chooses them
	.venv-lowest/bin/python -m pytest -n auto -W ignore::DeprecationWarning -p no:cacheprovider \
	  $(or $(ARGS),tests/cli tests/client tests/contracts tests/server tests/testing)

test-clients: .venv/.installed ## run ethers, Hardhat and cast against a node, and forks of anvil and ganache; needs npm
	$(BIN)/pytest -rs tests/clients

test-projects: .venv/.installed ## run other projects' tests on their own chain and here; needs npm; ARGS="--quick"
	$(BIN)/python -m tests.projects $(ARGS)

test-traces: .venv/.installed ## check source traces of what OpenZeppelin's tests make revert; needs npm; ARGS="FOLDER"
	$(BIN)/python -m tests.failures.openzeppelin $(ARGS)

test-vectors: .venv/.installed ## run Ethereum's tests on both engines; ARGS="FOLDER" has the fixtures
	$(BIN)/python -m tests.vectors $(ARGS)

test-eels: .venv/.installed .venv-eels/.installed ## run drawn programs on Ethereum's specification, too; ARGS="--seeds 1000"
	$(BIN)/python -m tests.eels $(ARGS)

dist: .venv-dist/.installed ## build wheel and sdist in dist/, check them, use the wheel in a new environment; writes its SBOM
	rm -rf dist
	.venv-dist/bin/uv build -q --build-constraints requirements.lock
	.venv-dist/bin/twine check --strict dist/*
	.venv-dist/bin/python -m tests.release

fuzz: .venv/.installed ## run the fuzzers of tests/fuzzing; ARGS=server chooses, MINUTES=60 for an hour each
	$(BIN)/python -m tests.fuzzing $(ARGS) --minutes $(or $(MINUTES),5)

bench: .venv/.installed ## run the benchmarks; ARGS="--quick", URLS="anvil=http://127.0.0.1:8545" compares
	@$(BIN)/python -m bench $(ARGS) $(URLS)

soak: .venv/.runtime ## run mixed load; prints memory slope, latency drift and errors; MINUTES=60 for an hour
	@$(BIN)/python -m bench.soak $(or $(MINUTES),5)

check: .venv/.installed ## run the fast checks: format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy devchain
	$(BIN)/lint-imports --no-logo

fix: .venv/.installed ## fix lint and formatting, regenerate docs/
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .
	$(BIN)/python docs/render.py

docs: .venv/.runtime ## regenerate docs/ from the code
	$(BIN)/python docs/render.py

docs-site: .venv/.installed ## build the documentation site into site/; ARGS=serve shows it while you write
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs $(or $(ARGS),build --quiet)

# Resolved with the oldest Python, so that every pin works with newer ones. Wheels only: no compiler needed.
lock: ## update requirements.lock to the newest compatible versions
	python3.11 -m venv --clear .venv-lock
	.venv-lock/bin/python $(PIP) install --only-binary :all: '.[dev]' $(BUILD_WITH)
	echo '# The exact versions that CI tests with, for every supported Python. Made by `make lock`.' \
	  > .venv-lock/requirements.lock
	.venv-lock/bin/python $(PIP) freeze --exclude devchain >> .venv-lock/requirements.lock
	for version in 3.11 3.12 3.13; do \
	  .venv-lock/bin/python $(PIP) install --dry-run --no-deps --only-binary :all: \
	    --python-version $$version --target .venv-lock/none -r .venv-lock/requirements.lock || exit 1; \
	done
	mv .venv-lock/requirements.lock requirements.lock
	rm -rf .venv-lock

clean: ## remove .venv and all generated files
	rm -rf .venv .venv-dist .venv-lock .venv-lowest .venv-eels build dist site .coverage .coverage.* .hypothesis .import_linter_cache \
	  .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) \
	  and "devchain needs Python 3.11 or newer, $(PYTHON) is " + v + "; choose another: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/.runtime: pyproject.toml requirements.lock | .venv/bin/python
	@echo "Installing devchain into .venv ..."
	@$(LOCKED) $(BIN)/python $(PIP) install -e .
	@touch $@

.venv/.installed: pyproject.toml requirements.lock | .venv/bin/python
	@echo "Installing devchain and its checks into .venv ..."
	@$(LOCKED) $(BIN)/python $(PIP) install -e '.[dev]'
	@touch .venv/.runtime $@

# pip chooses what these packages need. Old ones warn of what is deprecated in newer ones.
.venv-lowest/.installed: pyproject.toml tests/lowest.py
	@echo "Installing the lowest versions into .venv-lowest ..."
	@$(PYTHON) -m venv --clear .venv-lowest
	@$(PYTHON) -m tests.lowest > .venv-lowest/constraints.txt
	@.venv-lowest/bin/python $(PIP) install -c .venv-lowest/constraints.txt -e '.[fuzz,tui,web3]' \
	  pytest pytest-xdist httpx jsonschema mypy pyyaml redis vyper
	@touch $@

# The specification needs another version of coincurve than devchain.
.venv-eels/.installed: tests/eels/requirements.txt
	@echo "Installing Ethereum's executable specification into .venv-eels ..."
	@$(PYTHON) -m venv .venv-eels
	@.venv-eels/bin/python $(PIP) install -r tests/eels/requirements.txt
	@touch $@

.venv-dist/.installed: tests/release/requirements.txt
	@echo "Installing what builds and checks packages into .venv-dist ..."
	@$(PYTHON) -m venv --clear .venv-dist
	@.venv-dist/bin/python $(PIP) install "$$(grep '^uv==' tests/release/requirements.txt)"
	@.venv-dist/bin/uv pip install -q -p .venv-dist -r tests/release/requirements.txt
	@touch $@
