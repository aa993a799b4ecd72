"""ChatGPT4PCG and LLMs4PCG: prompts that make a language model build letters out of blocks.

A prompt is *qualified* (`prompts`); the model's *responses* to it hold a *program* (`extraction`),
which becomes a *level* of blocks (`level`). A simulation says how many blocks stay where they are:
the level's *stability* (`physics`). A classifier says how much the level's *picture* (`picture`)
looks like the letter: its *similarity*. Both become scores and ranks (`scoring`).

* `editions` -- the three editions as one table of settings
* `prompts`, `extraction`, `level`, `scoring` -- exact rules, without I/O
* `physics`, `picture` -- need the extra `pcg`
* `files` -- the official folder tree and result files
* `similarity` -- the classifiers, and diversity
* `run`, `report` -- the whole contest on record, and what it comes to
* `demo`, `answering` -- a small contest to look at, and the program that answers in it
"""
