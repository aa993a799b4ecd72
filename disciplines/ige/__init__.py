"""IGE: poker games that a language model develops in dialogue with a user.

Each *turn* of the model changes the game's *script* and its *code*. To judge the code, it is run
beside the requested game: equal seeds must give equal final states.

* `games` -- files, turns and scripts
* `base` -- the poker base that every game extends; it runs in the sandbox
* `sandbox`, `child` -- run untrusted code: the parent process and the confined child process
* `judge` -- verdicts and the four code metrics
* `interaction`, `ratings` -- the dialogue with the user, and ratings of it
* `run`, `report` -- the whole contest, on record, and its results
* `bundled` -- the files of a new contest and of the demo, and the instructions for models
"""
