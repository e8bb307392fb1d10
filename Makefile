# Two commands for a newcomer: `make demo` and `make test`. Both set up a local virtual environment first, once.
# Every path is relative, so the checkout folder may have any name.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
# -P keeps the repository root off the import path, where `import datasets` would mean our folder.
PIP = $(VENV)/bin/python -P -m pip --disable-pip-version-check
PYTEST = $(VENV)/bin/pytest -n 2 --dist loadgroup --benchmark-disable

.PHONY: help demo test test-all lint format clean

help:
	@echo "make demo      set up, then run the main job on the office"
	@echo "make test      set up, then run the tests that are not marked slow"
	@echo "make test-all  the slow tests too"
	@echo "make lint      ruff and mypy"
	@echo "make format    let ruff put the code in its form"
	@echo "make clean     remove what make made"

demo: $(VENV)/.with-embedded,ortools
	@$(VENV)/bin/groundplan plan "Make Niko a coffee and place the mug on his desk." --scene office

test: $(VENV)/.with-test
	$(PYTEST)

test-all: $(VENV)/.with-test
	$(PYTEST) -m "not live"

lint: $(VENV)/.with-dev .face/groundplan
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	cd .face && "../$(VENV)/bin/mypy" --config-file ../mypy.ini --cache-dir ../.mypy_cache -p groundplan

format: $(VENV)/.with-dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

clean:
	rm -rf $(VENV) .ci/venv .face build dist groundplan.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp an extra, newer than the files that say what to install.
$(VENV)/.with-%: pyproject.toml setup.cfg
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: python3.11 was not found"; exit 1; }
	@test -x $(VENV)/bin/pip || { echo "Creating $(VENV) ..."; $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing groundplan[$*] into $(VENV) (about a minute) ..."
	@rm -rf build
	@$(PIP) install --quiet --editable ".[$*]"
	@touch $@

.face/groundplan:
	mkdir -p .face
	ln -sfn .. $@
