"""Asking: the same paper is put to each entry over LPP, as a judge would.

Terms. A *subject* is an entry, or a human who sits the paper so that there is something to compare
with. A *sitting* is a subject's way through the paper; its events are a chain of their own in the
season's record, the talk `screening.` and the subject's id. A *line* is what the judge types up to
a Return: a question, or a statement told before one.

* `timing` says when an answer is over (pure);
* `hearing` makes answers of what was recorded (pure);
* `sitting` types and listens; `programs` starts and ends an entry's program;
* `ask` has several sittings side by side, on record, and goes on after a break.
"""
