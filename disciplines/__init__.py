"""Other contests on the same kind of record, one package for each. Part of loebner.

* `events`, `run` -- the events on record, and a run that continues where it was stopped
* `providers` -- sources of answers: an LPP entry, a program, a chat endpoint, stored files
* `room` -- dialogues of people and programs at seats, and the pages of people's seats
* `raters`, `invitations` -- the raters' pages, and the links to them
* `standing`, `agreement` -- ranks with their intervals, and statistics of ratings
* `folders` -- the folders of new contests and demos
* `page`, `verify` -- the page of results, and the result recomputed from the record
* `chatgpt4pcg` -- prompts that make a language model build letters out of blocks
* `ige` -- poker games that a language model develops in dialogue
* `labyrinth` -- adventure games run by a language model as game manager
"""
