"""Other contests on the same record, a package each. Part of loebner.

* `standing` -- statuses, ranks, tie-breaks and bootstrap intervals; for all contests
* `chatgpt4pcg` -- prompts that make a language model build letters out of blocks
* `ige` -- poker games that a language model develops in dialogue
"""
