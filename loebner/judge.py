"""`loebner judge` and `loebner confederate`: the windows, connected to a server or directly to
communications directories."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge_console.serverless import LONGEST_TALK, DeskPlan
from loebner.options import PATH, given_code, options, server_options, trust_of
from lpp.connection import Trust
from lpp.errors import UserError
from lpp.wire import Role
from texts import LANGUAGES, Texts

if TYPE_CHECKING:
    from loebner.desk import Desk

#: The themes of judge_console.look.theme, which is imported only with the windows.
THEMES = ("system", "light", "dark", "high-contrast")
#: The smallest and the largest text size, in percent.
SMALLEST_TEXT, LARGEST_TEXT = 70, 300
#: The options of a talk without a server.
_OF_DESK = ("sides", "human", "minutes", "record")
#: The options of a contest's seat.
_OF_SERVER = ("server", "code", "code_file", "ca", "fingerprint")

#: `theme`, `language` and `text_size`.
look_options = options(
    click.option("--theme", type=click.Choice(THEMES), help="The colours."),
    click.option(
        "--language",
        type=click.Choice(("system", *LANGUAGES)),
        default="system",
        help="The language of the windows.",
    ),
    click.option(
        "--text-size",
        metavar="PERCENT",
        type=click.IntRange(SMALLEST_TEXT, LARGEST_TEXT),
        help="The size of the text.",
    ),
)
window_options = options(
    server_options,
    click.option(
        "--minutes",
        metavar="N",
        type=click.FloatRange(0, LONGEST_TALK),
        help="Without a server: the length of the talk in minutes; 0 for no limit.",
    ),
    click.option(
        "--record",
        metavar="DIR",
        type=PATH,
        help="Without a server: the directory for the records, a contest folder for each talk.",
    ),
    click.option(
        "--full-screen/--no-full-screen",
        "full_screen",
        default=False,
        help="Whether to show the window in full screen.",
    ),
    look_options,
)


@click.command(epilog="Exit code: 0 you left, 1 no seat could be taken, 2 usage error.")
@click.option(
    "--left",
    metavar="DIR",
    type=PATH,
    help="Without a server: the left partner's communications directory; without --right, this is "
    "practice.",
)
@click.option(
    "--right", metavar="DIR", type=PATH, help="Without a server: the right partner's directory."
)
@click.option(
    "--sides",
    type=click.Choice(["as-given", "random"]),
    help="Without a server: keep the two sides as given, or draw them at random.",
)
@click.option(
    "--human",
    type=click.Choice(["left", "right"]),
    help="Without a server: the human's side, for the record. Default: right.",
)
@window_options
def judge(left: Path | None, right: Path | None, **given: Any) -> int:
    """Take a judge's seat: two talks, left and right.

    A dialog asks for --server and --code if they are missing or don't open a seat. The code can
    also be in the variable LOEBNER_CODE. With --left, or --left and --right, the talk uses
    communications directories directly, without a server.

    \b
        loebner judge
        loebner judge --server 192.168.1.10:8765 --code-file my-code.txt
        loebner judge --left /dev/shm/a --right /dev/shm/b --record talks
    """
    if right is not None and left is None:
        raise click.UsageError("--right needs --left; give a single directory as --left")
    return _open_windows("judge", left, right, given)


@click.command(epilog="Exit code: 0 you left, 1 no seat could be taken, 2 usage error.")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=PATH,
    help="Without a server: the communications directory, which the judge's console also uses.",
)
@window_options
def confederate(directory: Path | None, **given: Any) -> int:
    """Take a confederate's seat: the human with whom a judge talks.

    A dialog asks for --server and --code if they are missing or don't open a seat. The code can
    also be in the variable LOEBNER_CODE. With --dir, the talk uses a communications directory
    directly, without a server.

    \b
        loebner confederate
        loebner confederate --server 192.168.1.10:8765 --code-file my-code.txt
        loebner confederate --dir /dev/shm/b
    """
    return _open_windows("confederate", directory, None, given)


def _open_windows(role: Role, left: Path | None, right: Path | None, given: dict[str, Any]) -> int:
    """Checks the options, and runs the windows.

    Arguments:
        role: the person's role.
        left, right: directories, for a talk without a server.
        given: the command's other options by name; None for an option not given.

    Returns:
        The exit code.

    Raises:
        click.UsageError: if options contradict each other or can't be used.
        ModuleNotFoundError: if the extra `console` is not installed.
    """
    plan = code = trust = None
    if left is None:
        if wrong := [f"--{name}" for name in _OF_DESK if given.get(name) is not None]:
            needed = "--left" if role == "judge" else "--dir"
            raise click.UsageError(
                f"{', '.join(wrong)}: only for a talk without a server; give {needed} as well"
            )
        code = given_code(given["code"], given["code_file"])
        trust = trust_of(given["ca"], given["fingerprint"])
        trust = None if trust == Trust() else trust
    else:
        if wrong := [f"--{name}" for name in _OF_SERVER if given[name] is not None]:
            option = wrong[0].replace("_", "-")
            raise click.UsageError(f"{option} is only for a contest's server; leave it out here")
        asked = {name: given[name] for name in _OF_DESK if given.get(name) is not None}
        if "record" in asked:
            asked["record"] = str(asked["record"].absolute())
        if math.isnan(asked.get("minutes", 0.0)):  # the check of the range doesn't catch nan
            raise click.UsageError("--minutes: nan is not a length of time")
        plan = DeskPlan.of(role, [path for path in (left, right) if path is not None], **asked)

    # Qt first, so that the message names the right extra if it is missing.
    import PySide6.QtWidgets  # noqa: F401

    from judge_console.client import seat_url
    from judge_console.console import LaunchOptions, run

    server = given["server"]
    if server is not None:
        try:
            seat_url(server)
        except UserError as exc:
            raise click.UsageError(f"--server: {exc}") from None
    looks = (given["theme"], given["text_size"], given["language"])
    launch = LaunchOptions(
        role, server or "", code or "", plan, given["full_screen"], trust, *looks
    )
    return run(launch, _desk)


def _desk(plan: DeskPlan, texts: Texts) -> Desk:
    """Makes the desk for a talk without a server; its code is imported only when needed."""
    from loebner.desk import Desk

    return Desk(plan, texts)
