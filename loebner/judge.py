"""`loebner judge` and `loebner confederate`: the windows, at a server or straight at communications
directories."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judge_console.model.joining import LONGEST_TALK, BadCode, DeskPlan, desk_trouble, seat_code
from judge_console.texts import LANGUAGES, Texts
from loebner.common import trust_of, trust_options
from lpp.connection import Trust
from lpp.errors import YoursToFix
from lpp.wire import Role

if TYPE_CHECKING:
    from loebner.desk import Desk

#: The environment variable for a code.
CODE_VARIABLE = "LOEBNER_CODE"
#: As judge_console.look.theme has them, which is imported with the windows only.
THEMES = ("system", "light", "dark", "high-contrast")
#: Percent.
SMALLEST_TEXT, LARGEST_TEXT = 70, 300
#: The most bytes to read from a file with a code.
CODE_FILE_LIMIT = 64 * 1024

_F = TypeVar("_F", bound=Callable[..., Any])


_PATH = click.Path(path_type=Path, readable=False)
_OPTIONS = (
    click.option(
        "--server",
        metavar="URL",
        help="The server's address: HOST:PORT, or wss://HOST:PORT with TLS.",
    ),
    click.option("--code", metavar="CODE", help="The seat's code."),
    click.option("--code-file", metavar="FILE", type=_PATH, help="A file with the code."),
    click.option(
        "--minutes",
        metavar="N",
        type=click.FloatRange(0, LONGEST_TALK),
        callback=lambda _ctx, _param, value: _number(value),
        help="Without a server: minutes that the talk lasts; 0 for no limit.",
    ),
    click.option(
        "--record",
        metavar="DIR",
        type=_PATH,
        help="Without a server: the directory for the records, a contest folder for each talk.",
    ),
    click.option(
        "--full-screen/--no-full-screen",
        "full_screen",
        default=None,
        help="Whether the window fills the screen. Default: as last time.",
    ),
    click.option("--theme", type=click.Choice(THEMES), help="The colours."),
    click.option(
        "--language",
        type=click.Choice(("system", *LANGUAGES)),
        help="The language of the windows.",
    ),
    click.option(
        "--text-size",
        metavar="PERCENT",
        type=click.IntRange(SMALLEST_TEXT, LARGEST_TEXT),
        help="The size of the text.",
    ),
)


def window_options(command: _F) -> _F:
    """The options that both commands have, for click."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return trust_options(command)


@click.command(epilog="Exit code: 0 you left, 1 no seat could be taken, 2 usage error.")
@click.option(
    "--left",
    metavar="DIR",
    type=_PATH,
    help="Without a server: the left partner's communications directory; with this one alone, "
    "practice.",
)
@click.option(
    "--right",
    metavar="DIR",
    type=_PATH,
    help="Without a server: the right partner's communications directory.",
)
@click.option(
    "--sides",
    type=click.Choice(["as-given", "random"]),
    help="Without a server: keep the two sides as given, or draw them.",
)
@click.option(
    "--human",
    type=click.Choice(["left", "right"]),
    help="Without a server: which of the two is the human's, for the record. Default: right.",
)
@window_options
def judge(left: Path | None, right: Path | None, **options: Any) -> int:
    """Take a judge's seat: two talks, left and right.

    A dialog asks for --server and --code if they are missing or do not open a seat. The variable
    LOEBNER_CODE may also hold the code. With --left, or --left and
    --right, the talk goes straight to communications directories, without a server.

    \b
        loebner judge
        loebner judge --server 192.168.1.10:8765 --code-file my-code.txt
        loebner judge --left /dev/shm/a --right /dev/shm/b --record talks
    """
    if right is not None and left is None:
        raise click.UsageError("--right needs --left; give a single directory as --left")
    return _open_windows("judge", left, right, options)


@click.command(epilog="Exit code: 0 you left, 1 no seat could be taken, 2 usage error.")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=_PATH,
    help="Without a server: the communications directory, the same as the judge's console uses.",
)
@window_options
def confederate(directory: Path | None, **options: Any) -> int:
    """Take a confederate's seat: the human whom a judge talks with.

    A dialog asks for --server and --code if they are missing or do not open a seat. The variable
    LOEBNER_CODE may also hold the code. With --dir, the talk goes
    straight through a communications directory, without a server.

    \b
        loebner confederate
        loebner confederate --server 192.168.1.10:8765 --code-file my-code.txt
        loebner confederate --dir /dev/shm/b
    """
    return _open_windows("confederate", directory, None, options)


def _open_windows(
    role: Role, left: Path | None, right: Path | None, options: dict[str, Any]
) -> int:
    """Checks what was given, and runs the windows.

    Arguments:
        role: of the person.
        left, right: directories, for a talk without a server.
        options: the other options of the command, by their names.

    Returns:
        The exit code.

    Raises:
        click.UsageError: options that contradict each other or can't be used.
        ModuleNotFoundError: without the extra `console`.
    """
    given = {
        name: options[name]
        for name in ("sides", "human", "minutes", "record")
        if options.get(name) is not None
    }
    at_server = [
        f"--{name.replace('_', '-')}"
        for name in ("server", "code", "code_file", "ca", "fingerprint")
        if options[name] is not None
    ]
    if left is None and given:
        names = ", ".join(f"--{name}" for name in given)
        needed = "--left" if role == "judge" else "--dir"
        raise click.UsageError(
            f"{names} only work for a talk without a server; give {needed} as well"
        )
    if left is not None and at_server:
        raise click.UsageError(
            f"{at_server[0]} is for a contest; leave it out for a talk without a server"
        )
    plan = code = trust = None
    if left is not None:
        plan = _checked_plan(role, left, right, given)
    else:
        code = given_code(options["code"], options["code_file"])
        trust = trust_of(options["ca"], options["fingerprint"])
        trust = None if trust == Trust() else trust

    # Qt first, so that the message names the right extra if it is missing.
    import PySide6.QtWidgets  # noqa: F401

    from judge_console.client import seat_url
    from judge_console.console import Wishes, run

    server = options["server"]
    if server is not None:
        try:
            seat_url(server)
        except YoursToFix as exc:
            raise click.UsageError(f"--server: {exc}") from None
    looks = (options["theme"], options["text_size"], options["language"])
    wishes = Wishes(role, server or "", code or "", plan, options["full_screen"], trust, *looks)
    return run(wishes, _desk)


def _number(value: float | None) -> float | None:
    if value is not None and math.isnan(value):  # it is in no range, and out of none
        raise click.BadParameter(f"{value} is not a length of time")
    return value


def _checked_plan(role: Role, left: Path, right: Path | None, given: dict[str, Any]) -> DeskPlan:
    from judge_console.texts import load
    from lpp.directory import LocalDirectory
    from lpp.errors import BadDirectory

    for path in (left, right):
        if path is not None:
            try:
                LocalDirectory(path).check()
            except (BadDirectory, ValueError) as exc:
                raise click.UsageError(str(exc)) from None
    if "record" in given:
        given = given | {"record": str(given["record"].absolute())}
    plan = DeskPlan(role, str(left.absolute()), str(right.absolute()) if right else "")
    plan = replace(plan, **({"minutes": 0.0} if role == "confederate" else {}) | given)
    trouble = desk_trouble(plan, lambda path: True, os.path.samefile)
    if trouble is not None:
        complaint = trouble[1]
        raise click.UsageError(load("en")(complaint.key, **complaint.fields))
    return plan


def _desk(plan: DeskPlan, texts: Texts) -> Desk:
    """The contest of a talk without a server, whose code is imported only when there is one."""
    from loebner.desk import Desk

    return Desk(plan, texts)


def given_code(code: str | None, file: Path | None) -> str | None:
    """The code as it was given, by option, file or variable; None if it was not.

    Raises:
        click.UsageError: if it was given twice, or is not a code.
    """
    if code is not None and file is not None:
        raise click.UsageError("give one of --code and --code-file")
    where, text = "--code", code
    if file is not None:
        where, text = f"--code-file {file}", _read_code(file)
    elif text is None and CODE_VARIABLE in os.environ:
        where, text = CODE_VARIABLE, os.environ[CODE_VARIABLE]
    if text is None:
        return None
    try:
        return seat_code(text)
    except BadCode as exc:
        raise click.UsageError(f"{where}: {exc}") from None


def _read_code(file: Path) -> str:
    """The only code in a file, where lines may begin with the seat's name, as in a contest's
    codes.txt, and comments with a #."""
    try:
        with file.open("rb") as opened:
            text = opened.read(CODE_FILE_LIMIT).decode("utf-8-sig", errors="replace")
    except OSError as exc:
        raise click.UsageError(f"--code-file {file}: {exc.strerror or exc}") from None
    lines = [line.strip() for line in text.splitlines()]
    codes = [line.split("\t")[-1] for line in lines if line and not line.startswith("#")]
    if len(codes) != 1:
        raise click.UsageError(
            f"--code-file {file}: has {len(codes) or 'no'} codes; give a file with only your "
            "seat's code"
        )
    return codes[0]
