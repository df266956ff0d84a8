# Two commands matter: `make demo` and `make test`. Each builds .venv once and is fast afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help board demo test test-adapters test-lowest test-newest fast long lint check format data measure docs site constraints bench bench-compare mutants browser clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# The demo needs neither test tools nor databases, so it does not wait for them; once all is
# installed, it uses that.
DEMO_STAMP := $(if $(wildcard $(STAMP)),$(STAMP),$(VENV)/.installed-for-demo)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Holdfast needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "== Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml src/holdfast/_version.py | $(BIN)/python
	@echo "== Installing Holdfast with what it and its tests need (once, about a minute)"
	@$(PIP) install --editable '.[dev]'
	@touch $@
	@echo "== Installed"

$(VENV)/.installed-for-demo: pyproject.toml src/holdfast/_version.py | $(BIN)/python
	@echo "== Installing Holdfast with numpy, scipy and numba, and what draws its figures and page (once, about half a minute)"
	@$(PIP) install --editable '.[audit]'
	@touch $@
	@echo "== Installed"

demo: $(DEMO_STAMP)  ## overfit a hidden test set with the paper's attacks, then audit a real one: figure, page and verdict
	@echo "== holdfast demo"
	@$(BIN)/holdfast demo
	@echo "== holdfast audit --report out/audit.html"
	@$(BIN)/holdfast audit --report out/audit.html

# The board needs no test tools either.
BOARD_STAMP := $(if $(wildcard $(STAMP)),$(STAMP),$(VENV)/.installed-for-board)

$(VENV)/.installed-for-board: pyproject.toml src/holdfast/_version.py | $(BIN)/python
	@echo "== Installing Holdfast with what its board needs (once, about half a minute)"
	@$(PIP) install --editable '.[server]'
	@touch $@
	@echo "== Installed"

board: $(BOARD_STAMP)  ## serve a demo board with two teams, and print its address (PORT=8000)
	@$(BIN)/python examples/board/demo.py --port $(or $(PORT),8000)

test: $(STAMP)  ## run the tests, the slow ones too
	@$(BIN)/python -m pytest -m 'not long'

fast: $(STAMP)  ## run the fast tests
	@$(BIN)/python -m pytest -m 'not slow and not long'

long: $(STAMP)  ## run more cells, seeds and kills of what make test shows on a few, as CI does
	@$(BIN)/python -m pytest -m long

lint: $(STAMP)  ## check format, style, types, the import contract, and that generated files fit together
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m benchmarks.generated --check

# The lowest versions that pyproject.toml allows, in an environment of its own.
LOWEST := .venv-lowest
$(LOWEST)/.installed: pyproject.toml scripts/lowest.py | $(BIN)/python
	@echo "== Installing the lowest versions that pyproject.toml allows into $(LOWEST)"
	@$(PYTHON) -m venv $(LOWEST)
	@$(PYTHON) scripts/lowest.py > $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip --disable-pip-version-check --no-input install --quiet \
	  --constraint $(LOWEST)/lowest.txt --editable '.[dev]'
	@touch $@

test-lowest: $(LOWEST)/.installed  ## run the fast tests on the lowest versions that are allowed
	@NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba $(LOWEST)/bin/python -m pytest -m 'not slow and not long and not record'

# The newest Python that starts: a shim may be there and lead nowhere.
NEWEST := .venv-newest
NEWEST_PYTHON = $(shell for version in 3.14 3.13 3.12; do \
  for each in python$$version "$$HOME"/.pyenv/versions/$$version.*/bin/python; do \
  "$$each" -c 'import ssl, venv' 2>/dev/null && echo "$$each" && exit; done; done)

test-newest:  ## run the fast tests on the newest Python of this machine, 3.12 or newer
	@if [ -z "$(NEWEST_PYTHON)" ]; then echo "== No Python from 3.12 on starts here: not tested on one"; \
	else $(MAKE) --no-print-directory $(NEWEST)/.installed NEWEST_PYTHON="$(NEWEST_PYTHON)" && \
	  NUMBA_CACHE_DIR=$(CURDIR)/$(NEWEST)/numba $(NEWEST)/bin/python -m pytest -m 'not slow and not long and not record'; fi

$(NEWEST)/.installed: pyproject.toml
	@echo "== Installing Holdfast with what it and its tests need into $(NEWEST): $$($(NEWEST_PYTHON) --version)"
	@$(NEWEST_PYTHON) -m venv --clear $(NEWEST)
	@$(NEWEST)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --editable '.[dev]'
	@touch $@

# The frames of loops, at the versions in tests/adapters/requirements*.txt, in an environment of its own.
ADAPTERS := .venv-adapters
$(ADAPTERS)/.installed: pyproject.toml $(wildcard tests/adapters/requirements*.txt)
	@echo "== Installing the frames that the adapters are for into $(ADAPTERS) (once, about a minute)"
	@$(PYTHON) -m venv --clear $(ADAPTERS)
	@$(ADAPTERS)/bin/python -m pip --disable-pip-version-check --no-input install --quiet \
	  --editable '.[cli,frames,inspect,server]' --requirement tests/adapters/requirements.txt
	@$(ADAPTERS)/bin/python -m pip --disable-pip-version-check --no-input install --quiet \
	  --requirement tests/adapters/requirements-shinka.txt
	@touch $@

test-adapters: $(ADAPTERS)/.installed  ## run the adapters in the real frames of loops: Optuna, Inspect, OpenEvolve, ShinkaEvolve, GEPA, pytest
	@$(ADAPTERS)/bin/python -m pytest --confcutdir tests/adapters --override-ini addopts= -q tests/adapters

check: lint fast  ## what a contributor runs before a commit: make lint, then make fast

format: $(STAMP)  ## format the code and mend what ruff can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

data: $(STAMP)  ## renew generated files that lack a row or whose quickest numbers come out differently, then the pages (NAMES=...: these; all: every one)
	@$(BIN)/python -m benchmarks.generated $(NAMES)
	@$(MAKE) --no-print-directory docs

measure: $(STAMP)  ## compute again every cell of the generated files that takes seconds, and the README's audit (ten minutes)
	@$(BIN)/python -m benchmarks.generated --measure

docs: $(STAMP)  ## renew the pages and lists that are generated from the code, and put numbers into pages
	@$(BIN)/python scripts/cli_page.py
	@$(BIN)/python scripts/rule_table.py
	@$(BIN)/python scripts/metric_table.py
	@$(BIN)/python scripts/attack_table.py
	@$(BIN)/python scripts/audit_schema.py
	@$(BIN)/python scripts/attack_pictures.py
	@$(BIN)/python scripts/marks.py
	@$(BIN)/python scripts/recording.py
	@$(BIN)/holdfast paper statements --write > /dev/null
	@$(BIN)/python -m benchmarks.generated --pages

# The site's tools, in an environment of their own.
SITE := .venv-site
$(SITE)/.installed: pyproject.toml docs/requirements.txt
	@echo "== Installing what builds the site into $(SITE) (once, about a minute)"
	@$(PYTHON) -m venv --clear $(SITE)
	@$(SITE)/bin/python -m pip --disable-pip-version-check --no-input install --quiet \
	  --editable '.[attacks]' --requirement docs/requirements.txt
	@touch $@

site: $(SITE)/.installed  ## build the documentation with its search and API pages into out/site, without network
	@$(SITE)/bin/python -m sphinx --fresh-env --fail-on-warning --keep-going --quiet -d out/site-doctrees docs out/site
	@$(SITE)/bin/python scripts/site_links.py out/site
	@echo "Site: out/site/index.html"

constraints: $(STAMP)  ## record the versions in .venv as the tested ones; after a full run of the tests
	@$(BIN)/python scripts/constraints.py

bench: $(STAMP)  ## print every kernel's speed as ratios, and keep them in out/bench-COMMIT.json (two minutes)
	@$(BIN)/python -m benchmarks.performance

bench-compare: $(STAMP)  ## compare the speed of this code with another commit's (BASE=commit; ten minutes)
	@$(BIN)/python -m benchmarks.performance compare "$(BASE)"

mutants: $(STAMP)  ## break the paper's attacks one by one, and see that a test of their statement notices (two minutes)
	@$(BIN)/python scripts/mutants.py

browser:  ## install Chromium for the page tests where it is missing and allowed (Debian, root)
	@if command -v chromium chromium-browser google-chrome >/dev/null; then echo "A browser is there."; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null && echo "Chromium installed."; \
	else echo "No browser found and none may be installed: the page tests will say so and skip."; fi

clean:  ## remove .venv, caches and results
	rm -rf $(VENV) $(LOWEST) $(NEWEST) $(ADAPTERS) $(SITE) docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
