"""`loebner screen`: from submissions to the finalists."""

from __future__ import annotations

import click

from loebner.cli import LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "register": Place("loebner.screen.entries", "register", "Entries as they come in by post."),
    "compliance": Place(
        "loebner.screen.entries", "compliance", "Do they comply? A checklist for each entry."
    ),
    "go-on": Place(
        "loebner.screen.entries", "go_on", "Those that are screened, by date of posting."
    ),
    "serve": Place("loebner.screen.entries", "serve", "The same in a browser, for the organizer."),
    "questions": Place("loebner.screen.papers", "questions", "Make a paper of questions."),
    "ask": Place("loebner.screen.papers", "ask", "Put a paper to each entry, over LPP."),
    "mark": Place("loebner.screen.marks", "mark", "Mark the answers, blind."),
    "rank": Place("loebner.screen.marks", "rank", "Marks to totals, places and the cut."),
    "finalists": Place("loebner.screen.marks", "finalists", "The finalists of the contest."),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def screen() -> None:
    """The season before a contest: from submissions to the finalists.

    All of it is kept in the contest's record.
    """
