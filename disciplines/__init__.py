"""Other contests on the same record, a package each. Part of loebner.

* `events`, `run` -- what goes on record, and a run that goes on where it was stopped
* `providers` -- where answers come from: an LPP entry, a program, a chat endpoint, stored files
* `standing` -- statuses, ranks, tie-breaks and bootstrap intervals
* `page`, `verify` -- the page of results, and the result computed again from the record
* `chatgpt4pcg` -- prompts that make a language model build letters out of blocks
* `ige` -- poker games that a language model develops in dialogue
"""
