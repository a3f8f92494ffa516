# `make run` serves the example fleet, `make test` runs everything. No target uses sudo.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?=
export PYTHON
BIN := .venv/bin
LISTEN ?= 127.0.0.1:22623

.PHONY: help setup lint check tools test vectors fuzz boot run load bench bench-ignition bench-render soak lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-22s%s\n", $$1, $$2 }'

setup: .venv/.installed ## make .venv from requirements.lock (PYTHON=... names the interpreter)

# An interpreter that is named is looked at each time, so that naming another one takes effect.
.venv/.installed: requirements.lock pyproject.toml tools/setup.sh tools/find_python.sh $(if $(PYTHON),FORCE)
	@tools/setup.sh .venv requirements.lock .

.venv-load/.installed: requirements-load.lock tools/setup.sh tools/find_python.sh
	@tools/setup.sh .venv-load requirements-load.lock

lint: setup ## formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint ## lint and the fast tests: under a minute, needs neither root nor Go
	$(BIN)/python -m pytest -q -m 'not real and not slow'

tools: setup ## the real Ignition clients, and a machine that boots, cached outside the tree (eight minutes the first time)
	@$(BIN)/python -m tools.ignition_clients
	@$(BIN)/python -m tools.machine

test: ## everything: set-up, real clients, lint, all tests with branch coverage
	@echo 'Setting up, linting, running every test: some minutes; about eight more where the Ignition clients are not built yet.'
	@$(MAKE) --no-print-directory setup tools .venv-load/.installed lint
	@rm -f .coverage .coverage.*
	@failed=0; \
	  $(BIN)/coverage run -m pytest || failed=1; \
	  $(BIN)/coverage combine --quiet || failed=1; \
	  $(BIN)/coverage report || failed=1; \
	  exit $$failed

# A relative folder is looked for where make runs, then where it was called from: `make -C` changes the one only.
vectors: setup ## run the vectors of Ignition and rendering in VECTORS=DIR, by default the test suite's own (a second)
	@$(BIN)/python -m tests.vectors --called-from '$(PWD)' $(if $(VECTORS),'$(VECTORS)')

fuzz: setup ## fuzz mcs.ignition for SECONDS=60 (TARGET=parse, RUNS=1000000); what it learns is kept outside the tree
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) $(if $(RUNS),--runs $(RUNS)) $(if $(TARGET),--target $(TARGET))

boot: setup ## boot a machine from the server, emulated, and show its console (half a minute; as root the first time)
	@$(BIN)/python -m tools.machine
	@$(BIN)/python -m pytest -q --capture=no tests/machine/test_first_boot.py

run: setup ## serve the example fleet on loopback (LISTEN=127.0.0.1:22623), state in ./run
	@$(BIN)/python tools/example.py run --listen $(LISTEN)

load: setup .venv-load/.installed ## boot machines against the example server for 30 s; fails on any lost boot
	@$(BIN)/python tools/example.py load

bench: setup ## measure speed and memory beside nginx, not a test (ten minutes; BENCH='--sizes 300kB --rounds 3')
	@$(BIN)/python -m loadtests.bench $(BENCH)

bench-ignition: setup ## measure parsing, conversion and merging beside json.loads, not a test (seconds; BENCH='--rounds 50')
	@$(BIN)/python -m loadtests.bench.ignition $(BENCH)

bench-render: setup ## measure rendering 51 MachineConfigs, not a test (seconds; BENCH='--profile' shows where it goes)
	@$(BIN)/python -m loadtests.bench.rendering $(BENCH)

soak: setup ## make 100,000 requests and look for what grows: memory, descriptors (four minutes; BENCH=...)
	@$(BIN)/python -m loadtests.bench --soak $(BENCH)

lock: setup ## write the lock files anew; UPGRADE=--upgrade takes the newest versions allowed
	@$(BIN)/python tools/lock.py $(UPGRADE)

FORCE:

clean: ## remove what these targets made in the tree; the clients' cache stays
	rm -rf .venv .venv-load run build dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
