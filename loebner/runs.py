"""Shared by the disciplines' commands: the option --from, and the output of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from loebner.options import Part, answer

_F = TypeVar("_F", bound=Callable[..., Any])


def stage_option(stages: str, when: str = "Repeat", then: str = "") -> Callable[[_F], _F]:
    """The option --from, as `again`.

    Arguments:
        stages: the names of the stages, in words.
        when: the beginning of the help.
        then: its end; by default, it says what happens without the option.
    """
    default = "Default: continue where the last run stopped."
    return click.option(
        "--from",
        "again",
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
