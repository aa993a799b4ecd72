"""The options by which a command is told what is wished for beside a schedule's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from scheduler.planning import Wishes

C = TypeVar("C", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--conflict", "conflicts", multiple=True, metavar="J1E2", help="Two who must not meet."
    ),
    click.option(
        "--away",
        multiple=True,
        metavar="J2:3",
        help="Who is away in which rounds: J2:1,3 or J2:3-5.",
    ),
    click.option(
        "--desks", default="", metavar="N", help="How many desks, or one number a round: 4,4,2."
    ),
    click.option(
        "--weight",
        "weights",
        multiple=True,
        metavar="a=2",
        help="What a missing pair of wish a (entry with confederate), b (judge with entry) or c "
        "(judge with confederate) counts; 1 unless set.",
    ),
    click.option(
        "--wishes", metavar="FILE", help="A TOML file with all these, sessions and rooms."
    ),
)

#: Not for the rest of a contest: what was played may have made it impossible.
hard_option = click.option(
    "--hard", default="", metavar="a,b,c", help="Wishes to be granted whole, or refused."
)


def wish_options(command: C) -> C:
    """Gives a command these options; they come to it by the names that `read_wishes_of` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_wishes_of(
    conflicts: tuple[str, ...],
    away: tuple[str, ...],
    desks: str,
    weights: tuple[str, ...],
    wishes: str | None,
    hard: str = "",
) -> Wishes:
    """What the options say, those beside a file added to it.

    Raises:
        scheduler.BadInput: if one of them, or the file, can't be used.
    """
    from scheduler.files import read_text
    from scheduler.planning import Wishes, read_options, read_wishes

    asked = Wishes()
    if wishes is not None:
        asked = read_wishes(read_text(wishes), "standard input" if wishes == "-" else wishes)
    return asked.and_also(read_options(conflicts, away, desks, weights, hard))
