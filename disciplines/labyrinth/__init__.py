"""Labyrinth: people and models rate what a language model says as the manager of a game.

A *gameplay record* (`gameplay`) holds a game as its manager saw it. Its *targets* are the manager's
messages; raters give each a score in three *metrics*, on pages, by a `survey` elsewhere, or as a
`model`. `rating` assigns targets and keeps what was rated, `report` computes the results.

`functions` are what the manager can do to the game. `game` is a game that is played here, `playing`
its seats and its driver, `manager` an endpoint as the manager. `updates` tests how a manager
changes the state, and `calls` gives the points.
"""
