"""Labyrinth: people rate what a language model says as the manager of a game.

A *gameplay record* holds a game as its manager saw it. Its *targets* are the manager's messages;
raters give each a score in three *metrics*.

* `gameplay` -- the record: reading, faults, writing
* `functions` -- what the manager can do to the game
* `metrics`, `survey` -- the metrics; a record as a survey, and its answers
* `agreement` -- means, agreement, bias, disagreement
"""
