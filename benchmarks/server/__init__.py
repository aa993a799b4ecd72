"""Measurements of the contest's server, as it is: the program `loebner serve` in a process of its
own, and whoever sits there in another.

docs/reference/benchmarks.md says what each of them measures, and what replaces what.
"""
