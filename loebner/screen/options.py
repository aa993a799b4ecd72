"""Common options of the commands of `loebner screen`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from contest.screening.state import NAME_LIMIT, TEXT_LIMIT, one_line
from loebner.options import PATH, json_option, listening_at, options

#: The environment variable for the name of the person who gives a command.
BY_VARIABLE = "LOEBNER_BY"

_Command = TypeVar("_Command", bound=Callable[..., Any])


class ListingGroup(click.Group):
    """A group `NAME CONTEST COMMAND …` whose command `list` can be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the words, after inserting `list` if no command is given."""
        if args[1:] and args[0] in self.commands and args[1] in ctx.help_option_names:
            args = [".", *args]  # a command's help, without a contest
        elif args and not args[0].startswith("-") and (not args[1:] or args[1].startswith("-")):
            args = [args[0], "list", *args[1:]]
        return super().parse_args(ctx, args)


def contest_group(
    name: str, words: str, listed: str, listing: Callable[[Path, bool], None]
) -> click.Group:
    """Makes a group `NAME CONTEST COMMAND …` with its command `list`.

    Arguments:
        name: the group's name.
        words: its help text.
        listed: the help text of `list`.
        listing: runs `list`, given the contest and whether to print JSON.
    """

    @click.group(name, cls=ListingGroup, help=words)
    @click.argument("contest", type=PATH)
    @click.pass_context
    def group(ctx: click.Context, contest: Path) -> None:
        ctx.obj = contest

    named = click.pass_obj(listing)
    group.command("list", help=f"{listed} (default command).")(json_option(named))
    return group


def _one_line(_ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    if value is None:
        raise click.UsageError(f"give your name with --by NAME or {BY_VARIABLE}")
    try:
        text = one_line(value, TEXT_LIMIT if option.name == "reason" else NAME_LIMIT)
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from None
    if not text and option.name == "by":
        raise click.BadParameter("is empty; give a name")
    return text


def signed(*, reason: bool | None = None, by: bool = False) -> Callable[[_Command], _Command]:
    """The options `--reason` (required, optional, or None for no such option), `--by` (required or
    not) with the person's name for the record, and `--json`."""
    given: dict[str, Any] = {"required": True} if reason else {"default": ""}
    why = click.option("--reason", help="The reason, for the record.", callback=_one_line, **given)
    who = click.option(
        "--by",
        metavar="NAME",
        envvar=BY_VARIABLE,
        default=None if by else "organizer",
        callback=_one_line,
        help=f"Your name for the record; or set {BY_VARIABLE}; "
        f"{'required' if by else 'organizer by default'}.",
    )
    return options(*([] if reason is None else [why]), who, json_option)


#: `host` and `port`.
address_options = listening_at(8766)


def separated(words: Sequence[str]) -> list[str]:
    """The names in an option that may be repeated, or contain several separated by commas."""
    return [name.strip() for word in words for name in word.split(",") if name.strip()]
