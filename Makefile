# Two commands for a newcomer: `make demo` and `make test`. Both set up a local virtual environment first, once.
# Every path is relative, so the checkout folder may have any name.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
# Not VENV: shells and other tools set that for environments of their own.
GROUNDPLAN_VENV ?= .venv
ifeq ($(origin VENV),command line)
$(error VENV is called GROUNDPLAN_VENV here: make $(MAKECMDGOALS) GROUNDPLAN_VENV=DIR)
endif
# The programs that make lock file and bill of materials, away from what they describe.
RELEASE = .venv-release
RUN_TIME = embedded fd kairos ortools local maps distributed mcp report
# Where compiled files are; without a slash at the end, find follows no link.
COMPILED = __pycache__ $(patsubst %/,%,$(dir $(wildcard */__init__.py))) tests tools examples
CASSETTES = tests/language/cassettes
# Without compiled files each of the hundreds of programs that tests start would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST = $(GROUNDPLAN_VENV)/bin/pytest -n 2 --dist worksteal --benchmark-disable

.PHONY: help demo record test test-all api docs lint format lock sbom clean

help:
	@echo "make demo      set up, then run the main job on the office, and play a real model's run back"
	@echo "make record    record the runs of a model file anew: make record MODEL=model.gguf"
	@echo "make test      set up, then run the tests that are not marked slow"
	@echo "make test-all  the slow tests too"
	@echo "make api       write anew the pages that follow from the source: public names, JSON schemas, examples"
	@echo "make docs      make a site of the documents, in dist/docs"
	@echo "make lint      ruff and mypy"
	@echo "make format    let ruff put the code in its form"
	@echo "make lock      write requirements.lock and demo.lock anew, with the newest versions that setup.cfg allows"
	@echo "make sbom      write dist/groundplan.cdx.json, the bill of materials of a release"
	@echo "make clean     remove what make made"

demo: $(GROUNDPLAN_VENV)/.with-embedded,ortools
	@$(GROUNDPLAN_VENV)/bin/groundplan plan "Make Niko a coffee and place the mug on his desk." --scene office
	@echo; echo "A language model of 1.5B that read another task, played back:"
	@$(GROUNDPLAN_VENV)/bin/groundplan plan --task office-planning-simple-13 --reader recorded:$(CASSETTES)/qwen2.5-coder-1.5b-naming.jsonl

# What serves a model file is not in requirements.lock: it has wheels for some machines only.
record: $(GROUNDPLAN_VENV)/.with-test
	@$(GROUNDPLAN_VENV)/bin/python -P -m pip --disable-pip-version-check install --quiet --editable ".[local]"
	@$(GROUNDPLAN_VENV)/bin/python tools/record_model.py "$(MODEL)" $(CASSETTES)

test: $(GROUNDPLAN_VENV)/.with-test
	$(PYTEST)

test-all: $(GROUNDPLAN_VENV)/.with-test
	$(PYTEST) -m "not live"

api:
	@$(PYTHON) tools/make_api.py

# Nothing is loaded, here or by a reader of the site; a link that leads nowhere is an error.
docs: $(GROUNDPLAN_VENV)/.with-docs
	@[ ! -L dist ] && [ ! -L dist/docs ] || { echo "dist: expected a folder of this checkout, got a link" >&2; exit 1; }
	@$(GROUNDPLAN_VENV)/bin/python -P -m sphinx -q -W --keep-going -c docs . dist/docs
	@echo "written: dist/docs/index.html"

lint: $(GROUNDPLAN_VENV)/.with-dev .face/groundplan
	$(GROUNDPLAN_VENV)/bin/ruff check .
	$(GROUNDPLAN_VENV)/bin/ruff format --check .
	cd .face && "../$(GROUNDPLAN_VENV)/bin/mypy" --config-file ../mypy.ini --cache-dir ../.mypy_cache -p groundplan

format: $(GROUNDPLAN_VENV)/.with-dev
	$(GROUNDPLAN_VENV)/bin/ruff check --fix .
	$(GROUNDPLAN_VENV)/bin/ruff format .

# The index is the one that uv is set to (UV_DEFAULT_INDEX); the file names none.
lock: $(RELEASE)/.made
	$(RELEASE)/bin/uv pip compile --quiet --upgrade --python-version 3.11 --python-platform x86_64-manylinux_2_31 \
		--generate-hashes --custom-compile-command "make lock" \
		--extra test --extra dev --output-file requirements.lock setup.cfg
	printf 'setuptools\nwheel\n' | $(RELEASE)/bin/uv pip compile --quiet --python-version 3.11 --python-platform x86_64-manylinux_2_31 \
		--generate-hashes --custom-compile-command "make lock" --constraints requirements.lock \
		--extra embedded --extra ortools --output-file demo.lock setup.cfg -

# What a user installs, with every extra but those for development, in an environment of its own: the licences are in the
# packages. Versions are those of the lock file, of what it does not name (the extra `local`) the newest.
sbom: $(RELEASE)/.made
	@[ ! -L dist ] || { echo "dist: expected a folder of this checkout, got a link" >&2; exit 1; }
	mkdir -p dist
	rm -f dist/groundplan.cdx.json
	sed -n 's/^__version__ = /[project]\nname = "groundplan"\nlicense = "Apache-2.0"\nversion = /p' __init__.py > $(RELEASE)/pyproject.toml
	$(RELEASE)/bin/uv pip compile --quiet --python-version 3.11 --python-platform x86_64-manylinux_2_31 --generate-hashes \
		--constraints requirements.lock $(RUN_TIME:%=--extra %) --output-file $(RELEASE)/run-time.lock setup.cfg
	$(RELEASE)/bin/uv venv --quiet --clear --python $(RELEASE)/bin/python $(RELEASE)/run-time
	$(RELEASE)/bin/uv pip install --quiet --require-hashes --only-binary :all: --python $(RELEASE)/run-time/bin/python \
		--requirement $(RELEASE)/run-time.lock
	$(RELEASE)/bin/cyclonedx-py environment --output-reproducible --pyproject $(RELEASE)/pyproject.toml \
		--output-file dist/groundplan.cdx.json $(RELEASE)/run-time/bin/python

# Only what make made, and nothing through a link: `build` and saved benchmarks are never its own.
clean:
	@for folder in "$(GROUNDPLAN_VENV)" $(RELEASE) .ci/venv; do .ci/environment remove "$$folder"; done
	@for folder in groundplan.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis; do [ -L $$folder ] || rm -rf $$folder; done
	@[ -L .face ] || [ ! -L .face/groundplan ] || rm -f .face/groundplan
	@[ -L dist ] || rm -f dist/groundplan.cdx.json
	@[ -L dist ] || [ -L dist/docs ] || [ ! -f dist/docs/objects.inv ] || rm -rf dist/docs
	@find $(COMPILED) -path '*__pycache__/*.pyc*' -type f -delete 2>/dev/null; true
	@find $(COMPILED) -name __pycache__ -type d -empty -delete 2>/dev/null; true

# One stamp an extra, newer than the files that say what to install.
$(GROUNDPLAN_VENV)/.with-%: pyproject.toml setup.cfg requirements.lock demo.lock
	@PYTHON="$(PYTHON)" .ci/install "$(GROUNDPLAN_VENV)" "$*"
	@touch "$@"

$(RELEASE)/.made: .ci/release.txt
	@PYTHON="$(PYTHON)" .ci/environment make $(RELEASE)
	$(RELEASE)/bin/python -P -m pip --disable-pip-version-check install --quiet --requirement .ci/release.txt
	@touch $@

.face/groundplan:
	mkdir -p .face
	ln -sfn .. $@
