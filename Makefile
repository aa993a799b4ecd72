# make demo plays a whole contest here; make test sets up and runs the tests; make terminal builds
# the folder for judges' machines, for the system on which it runs.
# Each makes .venv and installs the system libraries that it needs.
PY = .venv/bin/python
# Tests spend half of their time waiting for programs, so a core runs two tests at a time. More
# workers would be slower, because each imports all tests.
WORKERS = $(shell $(PY) -c 'import os; print(2 * (os.cpu_count() or 1))')
# Compile modules once, not in each worker and each program that tests start.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test soak lint docs bench screenshots terminal prepare prepare-test prepare-build prepare-soak clean
demo: prepare
	$(PY) -m loebner demo $(ARGS)

test: prepare-test
	$(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

# Tests that take minutes: real bots at their real pace, all mutants as processes, the terminal's
# build. They mostly wait, so five run at once; all take about ten minutes.
soak: prepare-soak
	$(PY) -m pytest -m soak -n 5 --dist worksteal $(ARGS)
	$(PY) scripts/lowest.py

lint: prepare
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

# The documentation as a site, from docs/ and the docstrings; a warning is an error.
docs: prepare
	$(PY) -m sphinx --quiet --fail-on-warning --keep-going --jobs auto docs build/docs
	@echo "open build/docs/index.html"

bench: prepare
	$(PY) -m benchmarks $(ARGS)

screenshots: prepare-test
	$(PY) scripts/screenshots.py docs/pictures
	$(PY) scripts/page_screenshots.py docs/pictures

terminal: prepare-build
	$(PY) scripts/build_terminal.py --zip $(ARGS)

prepare:
	@sh scripts/prepare.sh

prepare-test:
	@sh scripts/prepare.sh test

prepare-build:
	@sh scripts/prepare.sh build

prepare-soak:
	@sh scripts/prepare.sh test soak build

clean:
	rm -rf .venv build dist docs/api *.egg-info .pytest_cache .mypy_cache .ruff_cache
