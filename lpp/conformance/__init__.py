"""Conformance checks: does a program speak LPP as the rules of 2010 require?

* `cases` and `cases.toml` -- the table of cases: identifier, level, the rule's sentence, the test;
* `log` -- what happened: who created and removed what, with numbers and times;
* `stage`, `acts`, `check` -- run the check and write the log: the directory, the program and the
  judge's side; then the judge's script; then the whole check, `await check(Setup(...))`;
* `judging` -- pure functions from the log to findings;
* `reports` -- the result for a terminal, a build server or a browser.

The contract is docs/reference/conformance.md.
"""
