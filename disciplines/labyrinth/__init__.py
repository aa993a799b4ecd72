"""Labyrinth: people and models rate what a language model says as the manager of a game.

A *gameplay record* (`gameplay`) holds a game as its manager saw it. Its *targets* are the manager's
messages; raters give each a score in three *metrics*, on `pages`, by a `survey` elsewhere, or as a
`model`. `rating` assigns targets and keeps what was rated, `agreement` and `report` compute the
results, `functions` and `calls` are what the manager can do to the game, and its points.
"""
