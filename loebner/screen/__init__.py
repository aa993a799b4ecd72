"""`loebner screen`: from submissions to the finalists."""

from __future__ import annotations

import click

from loebner.cli import LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "register": Place("loebner.screen.entries", "register", "Register the entries that arrive."),
    "compliance": Place(
        "loebner.screen.entries", "compliance", "Check whether each entry complies."
    ),
    "go-on": Place(
        "loebner.screen.entries", "go_on", "Choose the entries to screen, by date of posting."
    ),
    "serve": Place("loebner.screen.entries", "serve", "Do all this in a browser."),
    "questions": Place("loebner.screen.papers", "questions", "Make a paper of questions."),
    "ask": Place("loebner.screen.papers", "ask", "Ask each entry the questions, over LPP."),
    "mark": Place("loebner.screen.marks", "mark", "Mark the answers, blind."),
    "rank": Place("loebner.screen.marks", "rank", "Compute totals, places and the cut."),
    "finalists": Place("loebner.screen.marks", "finalists", "Make the finalists the entries."),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def screen() -> None:
    """The season before a contest: from submissions to the finalists.

    Everything goes into the contest's record.
    """
