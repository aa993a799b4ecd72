"""A rehearsal: the contest with scripted people and injected faults, on a virtual clock.

`play` runs it; docs/explanation/rehearsal.md says what a rehearsal covers and what it doesn't.
"""
