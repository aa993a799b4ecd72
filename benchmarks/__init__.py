"""Measurements, as ratios in one run wherever there is something to compare with.

Run by `python -m benchmarks [NAME…] [--json FILE] [--quick]`; never part of the tests' verdict.
docs/reference/benchmarks.md says how to read them, and what was measured.
"""
