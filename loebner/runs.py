"""Shared by the disciplines' commands: `new`, options, and the output of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from loebner.options import PATH, Part, answer, say

_F = TypeVar("_F", bound=Callable[..., Any])

#: `contest`.
contest_argument = click.argument("contest", type=PATH, metavar="CONTEST")


def new_command(discipline: str, contents: str, steps: str) -> click.Command:
    """The command `new`.

    Arguments:
        discipline: the name of its package.
        contents: the contents of the new folder, in words.
        steps: the next steps, in words; `{folder}` stands for the folder.
    """

    @click.command("new", help=f"Make a contest folder with {contents}. DIR must be new or empty.")
    @click.argument("folder", type=PATH, metavar="DIR")
    def new(folder: Path) -> None:
        from disciplines.folders import prepare

        prepare(discipline, folder)
        say(f"{folder} is ready: {steps.format(folder=folder)}")

    return new


def demo_option(default: str) -> Callable[[_F], _F]:
    """The option --out of a demo, as `folder`, with the default folder."""
    return click.option(
        *("--out", "folder"),
        type=PATH,
        default=default,
        show_default=True,
        metavar="DIR",
        help="The contest folder to make; new, empty, or that of a stopped demo.",
    )


def stage_option(stages: str, when: str = "Repeat", then: str = "") -> Callable[[_F], _F]:
    """The option --from, as `repeat_from`.

    Arguments:
        stages: the names of the stages, in words.
        when: the beginning of the help.
        then: its end; by default, it says what happens without the option.
    """
    default = "Default: continue where the last run stopped."
    return click.option(
        "--from",
        "repeat_from",
        default="",
        metavar="STAGE",
        help=f"{when} this stage and all later ones: {stages}. {then or default}",
    )


def show_result(
    as_json: bool, folder: Path, result: tuple[Mapping[str, Any], str], table: Part, *said: str
) -> None:
    """Shows a result as JSON, or as a table.

    Arguments:
        as_json: whether to show the document.
        folder: the contest's folder.
        result: the document, and the record's head.
        table: the table for people.
        said: lines below it.
    """
    from disciplines.page import PAGE

    document, head = result
    where = str(folder / PAGE)
    document = {**document, "head": head, "page": where}
    answer(as_json, document, table, *said, f"results page: {where}", f"head {head}")
