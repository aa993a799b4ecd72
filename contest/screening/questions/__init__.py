"""Papers of screening questions from templates of our own, in the four sets of the rules (2010,
section 4), with their answer key.

`times`, `things`, `relations` and `memory` hold the templates, `*.toml` what fills them, `drawing`
and `making` draw from them, `parts` says what a question is; `contest.screening.papers` puts a
paper together.
"""
