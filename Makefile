# make demo plays a whole contest here; make test sets up and runs the tests.
# Both make .venv themselves and install the system libraries they need.
PY = .venv/bin/python

.PHONY: demo test soak lint bench prepare clean
demo: prepare
	$(PY) -m loebner demo $(ARGS)

test: prepare
	$(PY) -m pytest -n auto --dist loadfile $(ARGS)

# What takes minutes: real bots at their real pace, all mutants as processes. They mostly wait, so
# five at a time is no load: about ten minutes.
soak: prepare
	$(PY) -m pytest -m soak -n 5 --dist worksteal $(ARGS)

lint: prepare
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: prepare
	$(PY) -m benchmarks $(ARGS)

prepare:
	@sh scripts/prepare.sh

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
