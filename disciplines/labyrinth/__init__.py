"""Labyrinth: people and models rate the messages of a language model that manages a game.

A *gameplay record* (`gameplay`) holds a game as its manager saw it. Its *targets* are the manager's
messages. Raters give each target a score for each of three *metrics*. A rater is a person on the
raters' pages or in a `survey` elsewhere, or a `model`.

* `rating` -- settings, and the assignment of targets to raters
* `report` -- the results
* `functions` -- the functions with which the manager changes the game
* `game`, `playing` -- a game that is played here, and its seats and driver
* `manager` -- the manager's view, and a chat endpoint as the manager
* `updates`, `calls` -- tests of how a manager changes the state, and the points of its calls
* `demo` -- a small example contest
"""
