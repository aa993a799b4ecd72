"""Benchmarks of the real contest server: the program `loebner serve` in a separate process, and
all participants in another.

docs/reference/benchmarks.md says what each benchmark measures and simulates.
"""
