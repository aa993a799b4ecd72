"""Conformance of an entry: does a program speak LPP as the rules of 2010 ask?

From the inside out:

* `cases` -- the table: identifier, level, the rule's sentence, what is done, what is accepted;
* `log` -- the wire log, numbered and timed: who made and removed what;
* `acts` -- what the judge's side does, as scripts over a `Stage`;
* `plan` -- which acts which cases need, and in which lives of the program they are played;
* `judging_*`, `verdict` -- pure functions from the log to outcomes;
* `stage`, `watch`, `places`, `program` -- the shells: a directory, a process;
* `run` -- all of it: `await check(setup)`;
* `report_text`, `report_html`, `report_junit` -- the same result for four kinds of reader.

The contract is docs/reference/conformance.md.
"""
