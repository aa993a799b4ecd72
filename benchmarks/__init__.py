"""Benchmarks, as ratios within one run wherever there is something to compare with.

Run them with `python -m benchmarks [NAME…] [--json FILE] [--quick]`; tests never depend on their
results. docs/reference/benchmarks.md says how to read them, and lists results.
"""
