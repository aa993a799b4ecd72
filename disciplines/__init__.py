"""Other contests on the same kind of record, one package for each. Part of loebner.

* `events`, `run` -- the events on record, and a run that continues where it was stopped
* `providers` -- where answers come from: an LPP entry, a program, a chat endpoint, stored files
* `room` -- the seats of a dialogue: what a seat sees, and what it answers
* `standing` -- statuses, ranks, tie-breaks and bootstrap intervals
* `page`, `verify` -- the page of results, and the result recomputed from the record
* `chatgpt4pcg` -- prompts that make a language model build letters out of blocks
* `ige` -- poker games that a language model develops in dialogue
"""
