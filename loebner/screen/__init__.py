"""`loebner screen`: selects the finalists from the submissions."""

from __future__ import annotations

import click

from loebner.cli import LazyCommand, LazyGroup

COMMANDS: dict[str, LazyCommand] = {
    name: LazyCommand(f"loebner.screen.{module}", help_)
    for module, name, help_ in (
        ("entries", "register", "Register the entries that arrive."),
        ("entries", "compliance", "Check whether each entry complies with the rules."),
        ("entries", "select", "Choose the entries to screen, by date of posting."),
        ("entries", "serve", "Serve register, compliance and select in a browser."),
        ("papers", "questions", "Make a paper of questions."),
        ("papers", "ask", "Ask each entry the questions, over LPP."),
        ("marks", "mark", "Mark the answers without knowing whose they are."),
        ("marks", "rank", "Compute totals, places and the cut."),
        ("marks", "finalists", "Make the finalists the contest's entries."),
    )
}


@click.group(cls=LazyGroup, lazy_commands=COMMANDS)
def screen() -> None:
    """Select the finalists from the submissions, in the season before a contest.

    Everything is recorded in the contest's record.
    """
