# Everything here needs python3 (3.11 to 3.13), make and the package index; the first call sets up .venv itself.
# PYTHON=python3.12 chooses another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
READY := $(VENV)/.ready
AXE := build/axe.min.js
TORCH := torch==2.13.0+cpu

# Tests start hundreds of processes; without its bytecode each of them would compile the package's sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup reproduce test lint types compiled interpreted boundscheck engines soak protocols kill load evening firefox fuzz fuzz-page levels weights book bench lock clean

help:
	@echo "make setup   create or refresh $(VENV)"
	@echo "make reproduce   replay the experiments of five papers into $(OUT) (SCALE=paper for all of their games, SCALE=large for more)"
	@echo "make test    lint, strict types, all tests compiled, those of kernels and searches interpreted as well"
	@echo "make lint    style only"
	@echo "make bench   measure this machine beside public libraries, into benchmarks/RESULTS.md"
	@echo "make boundscheck  all tests with kernels that check every index (long; nightly, not part of make test)"
	@echo "make soak    a hundred thousand games against the oracle (long; not part of make test)"
	@echo "make protocols  a thousand games through GTP and NBoard against the same in process (minutes; not part of make test)"
	@echo "make kill    kill matches a thousand times and compare the result (long; not part of make test)"
	@echo "make load    people, enemies and ten thousand bad messages on one server (minutes; not part of make test)"
	@echo "make evening everything a person does on the page in an evening, five times in a real browser (minutes; not part of make test)"
	@echo "make firefox every view once in Debian's Firefox, where it is installed (not part of make test)"
	@echo "make fuzz    an hour of damaged texts for every reader (SECONDS=60 for a minute; not part of make test)"
	@echo "make fuzz-page   a million mutated messages for the page's server (COUNT=100000 for fewer)"
	@echo "make levels  play the tournament that rates the levels of outflank play (an hour)"
	@echo "make weights train the pattern weights of the package again, into build/weights (minutes to hours)"
	@echo "make book    make the opening books of the package again, into build/books (ten minutes)"
	@echo "make lock    resolve the dependencies anew"

setup: $(READY)

# pip installs the hash-checked lock first and the project without dependencies after it.
$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "Outflank needs Python 3.11 to 3.13, but $(PYTHON) is $$($(PYTHON) --version 2>&1); try make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "$(PYTHON) cannot make virtual environments: install its venv module (Debian: python3-venv)"; exit 1; }
	@echo "installing what Outflank needs into $(VENV); a minute or more"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

SCALE ?= quick
OUT ?= reproduction

reproduce: $(READY)
	@$(BIN)/outflank reproduce --scale $(SCALE) --out $(OUT)

# mypy and compiling for each layout of a board are one process each; the tests then keep all processors busy.
test: lint
	@$(MAKE) --no-print-directory -j4 types warm-10 warm-8 warm-12 warm-4 engines
	@$(MAKE) --no-print-directory compiled
	@$(MAKE) --no-print-directory interpreted

lint: $(READY)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(READY)
	@$(BIN)/mypy

# One process more than processors, because some tests wait for browsers and programs. Neighbouring tests share fixtures,
# so each process begins with a contiguous part of them.
PROCESSES := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST = $(BIN)/pytest -q -n $(PROCESSES) --maxprocesses=8 --dist=worksteal

# What the interpreter can judge: the arithmetic of kernels. All else is the same Python in both runs. A network takes the
# interpreter half a minute for one decision.
INTERPRETED := $(patsubst %,tests/test_%.py,board kernels batch table evaluation patterns learn minimax discs montecarlo uct solver near_end limits ranges) \
  $(addprefix src/outflank/,kernels search board evaluation.py)

warm-%: $(READY)
	@$(BIN)/python tests/warm.py $*

compiled: $(READY) engines
	@echo "== all tests, kernels compiled"
	@$(PYTEST)

interpreted: $(READY)
	@echo "== tests of kernels and searches, kernels as ordinary Python"
	@NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not compiled" --ignore=src/outflank/search/puct.py $(INTERPRETED)

# Kernels that leave an array read or write somewhere else in silence; compiled with checks they raise IndexError. They
# have a cache of their own (kernels/jit.py).
boundscheck: $(READY) engines
	@echo "== all tests, kernels compiled with a check of every index"
	@NUMBA_BOUNDSCHECK=1 $(PYTEST)

# A real engine, a real browser, a judge of its page and PyTorch for the tests, where Debian's packages, npm and such a
# wheel are at hand; without them those tests say that they were skipped. PyTorch is the build for the processor alone: the
# usual one brings gigabytes of CUDA.
engines: $(READY)
	@test -x /usr/games/gtp-rhino || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get -qq update >/dev/null 2>&1 && \
	  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends grhino >/dev/null 2>&1; } || \
	  echo "no gtp-rhino here and no way to install it: the tests that play against it will be skipped"
	@test -x /usr/bin/bwrap || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get -qq update >/dev/null 2>&1 && \
	  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends bubblewrap >/dev/null 2>&1; } || \
	  echo "no bubblewrap here and no way to install it: bots are tried with limits alone"
	@test -x /usr/bin/chromium || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get -qq update >/dev/null 2>&1 && \
	  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null 2>&1; } || \
	  echo "no Chromium here and no way to install it: the tests of the page will be skipped"
	@test -f $(AXE) || { mkdir -p $(dir $(AXE)) && cd $(dir $(AXE)) && command -v npm >/dev/null && \
	  npm pack --silent axe-core@4.14.0 >/dev/null 2>&1 && tar -xzf axe-core-*.tgz --strip-components=1 package/axe.min.js && \
	  rm axe-core-*.tgz; } || \
	  echo "no axe-core here and no npm to fetch it: its test of the page will be skipped"
	@ls -d $(VENV)/lib/python3*/site-packages/torch >/dev/null 2>&1 || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH) >/dev/null 2>&1 || \
	  echo "no PyTorch here and no $(TORCH) to install: the tests that train networks will be skipped"

kill: $(READY)
	$(BIN)/python tests/kill.py

evening: $(READY) engines
	$(BIN)/python tests/evening.py

firefox: $(READY)
	$(BIN)/python tests/firefox.py

soak: $(READY)
	$(BIN)/python tests/soak.py

GAMES ?= 1000

protocols: $(READY)
	$(BIN)/python tests/protocol_games.py --games $(GAMES)

load: $(READY)
	$(BIN)/python tests/web_load.py

SECONDS ?= 3600

fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS)
	PYTHONPATH=tests $(BIN)/python -m fuzz messages --inputs 100000

COUNT ?= 1000000

fuzz-page: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz.messages --count $(COUNT)

levels: $(READY)
	$(BIN)/python benchmarks/levels.py

weights: $(READY)
	$(BIN)/python benchmarks/weights.py

book: $(READY)
	$(BIN)/python benchmarks/book.py

# ENDGAMES="ffo-20-39.obf ffo-40-59.obf" has such problems solved as well.
bench: $(READY) $(PEERS)/.ready
	$(BIN)/python benchmarks/compare.py --peers $(PEERS)/bin/python --endgames $(ENDGAMES)

$(PEERS)/.ready: requirements/peers.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/peers.txt
	@touch $@

lock: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --extra dev --upgrade -o requirements/dev.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --upgrade -o requirements/peers.txt requirements/peers.in

clean:
	rm -rf $(VENV) $(PEERS) .mypy_cache .pytest_cache .ruff_cache .hypothesis
