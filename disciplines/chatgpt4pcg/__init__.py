"""ChatGPT4PCG and LLMs4PCG: prompts that make a language model build letters out of blocks.

First a prompt must *qualify* (`prompts`). Each *response* of the model to it should contain a
*program* (`extraction`), which builds a *level* of blocks (`level`). A simulation finds the share
of blocks that stay where they are: the level's *stability* (`physics`). A classifier says how much
the level's *picture* (`picture`) looks like the letter: its *similarity*. Scores and ranks follow
from both (`scoring`).

* `editions` -- the three editions as one table of settings
* `prompts`, `extraction`, `level`, `scoring` -- the exact rules, without I/O
* `physics`, `picture` -- need the extra `pcg`
* `files` -- the official folder tree and result files
* `similarity` -- the classifiers, and diversity
* `run`, `report` -- the whole contest, on record, and its results
* `bundled` -- the files of a new contest and of the demo
* `answering` -- the program that answers the demo's prompts
"""
