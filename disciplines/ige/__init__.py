"""IGE: poker games that a language model develops in dialogue with a user.

Each *turn* of the model changes the game's *script* and its *code*. The code is judged by
running it beside the game that was asked for: equal final states for equal seeds.

* `games` -- files, turns and scripts
* `base` -- the poker base that every game extends; it runs in the sandbox
* `sandbox`, `child` -- run code that strangers wrote, from outside and from within
* `judge` -- verdicts and the four code metrics
"""
