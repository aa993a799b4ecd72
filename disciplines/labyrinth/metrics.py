"""The three metrics by which responses are rated (seed 003; disciplines/labyrinth.md, 4)."""

from __future__ import annotations

from typing import NamedTuple

#: The scores of every metric.
SCORES = range(1, 6)


class Metric(NamedTuple):
    """A metric.

    Attributes:
        name: in files and commands.
        question: what the rater answers by a score.
        checks: what to look at.
        not_here: what does not lower this score.
        anchors: score to what it means.
    """

    name: str
    question: str
    checks: tuple[str, ...]
    not_here: str
    anchors: dict[int, str]


METRICS = (
    Metric(
        "consistency",
        "How consistent is the target response to the current game progress, including the chat "
        "history and the game states?",
        (
            "It remembers what happened and answers what the players ask.",
            "It respects the characters, objects and table entries that exist, and the players' "
            "traits, flaws and inventories.",
        ),
        "Inventions and broken rules don't lower this score.",
        {
            1: "does not follow the progress of the game at all",
            3: "is plausible, but misses parts of it",
            5: "follows the history and respects all that exists",
        },
    ),
    Metric(
        "reliability",
        "How well does the model control and manage the game reliably?",
        (
            "It keeps the general rules and those of the scene.",
            "It rejects what a player may not do: describe the scene, speak as another character, "
            "or use traits, flaws, items, objects, characters or tables that are not there.",
            "It keeps the game out of bad states: it announces results of dice at once, and "
            "brings the game back on track.",
        ),
        "A response that lets an invalid move pass gets a low score even if it reads well. "
        "Repetition gets a very low one.",
        {
            1: "ignores the rules, or allows everything",
            3: "gets some rules wrong, but the game goes on",
            5: "keeps the rules and corrects invalid moves",
        },
    ),
    Metric(
        "interestingness",
        "How interesting is the generated response?",
        ("It is funny, entertaining or specific.", "It draws the players into the game."),
        "Consistency and rules don't matter for this score.",
        {1: "bland or half-hearted", 3: "not boring", 5: "you would not want to stop"},
    ),
)
#: What raters should not hold against a response.
NOT_TO_PUNISH = (
    "Time limits of the game and of action scenes are not in the record.",
    "Whether items make a test easier is not checked.",
    "Players may act as the manager; rate only how the manager responds.",
    "A game that goes on for too long because nothing ends it is not the manager's fault.",
)
