"""Measurements of the contest's server, as it is: the program `loebner serve` in a separate
process, and everybody at the seats in another.

docs/reference/benchmarks.md says what each of them measures, and what replaces what.
"""
