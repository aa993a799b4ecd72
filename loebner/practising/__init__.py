"""Practice for entrants: a person plays the judge against a program, with the wire log beside it.

* `talk` -- the talk itself: keys out and in, who removed what, which rules were broken;
* `plain` -- lines from standard input, plain text out, for scripts;
* `screen` -- panes on a terminal, key by key, with `keyboard` to read it.
"""
