"""A rehearsal: the contest with scripted people and injected faults, on a virtual clock.

`play` plays it; docs/explanation/rehearsal.md says what is rehearsed, and what is not.
"""
