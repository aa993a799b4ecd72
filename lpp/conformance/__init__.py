"""Conformance of an entry: does a program speak LPP as the rules of 2010 ask?

* `cases` and `cases.toml` -- the table: identifier, level, the rule's sentence, what is done;
* `log` -- what happened: who made and removed what, numbered and timed;
* `stage`, `talk`, `check` -- the staging, which writes the log: a directory, a program,
  the judge's side, and the whole check, `await check(Setup(...))`;
* `judging` -- pure functions from the log to findings;
* `reports` -- the result for a terminal, a build server, a browser.

The contract is docs/reference/conformance.md.
"""
