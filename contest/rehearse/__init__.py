"""A rehearsal: the contest with scripted people and injected faults, on a virtual clock.

    report = rehearse(folder, cast, choose(None), seed=1, program="loebner 0.1")

`play` plays it: the server is the contest's own, without sockets. `players` has who takes part;
consoles and entries' programs are passed in. docs/explanation/rehearsal.md says what is rehearsed,
and what is not.
"""
