"""`loebner control`: the organizer's orders to a server that runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

#: Where the organizer's code may stand instead of a shell's history.
CODE_VARIABLE = "LOEBNER_ORGANIZER_CODE"

#: Action: its operands, and what it does.
ACTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "status": ((), "where the contest is, who is here, how the entries do"),
    "check": ((), "whether all is ready for the next round"),
    "start": ((), "begin the next round, or after the last one the ranking"),
    "pause": (("reason",), "stop the clock of the interaction"),
    "resume": ((), "let it run again"),
    "extend": (("minutes", "reason"), "make the interaction longer"),
    "end": (("reason",), "end the interaction; the round is scored"),
    "close": (("reason",), "close the scoring, or the ranking"),
    "again": (("reason",), "play this or the last round again, as a new attempt"),
    "void": (("what", "reason"), "take a talk (2.1.J3.left) or an attempt (2.1) out of the count"),
    "stop": (("reason",), "no more rounds after this one: the ranking is next"),
    "restart": (("entry", "reason"), "end an entry's program and start it anew"),
    "codes": (("seat",), "make a new code for a seat; the old one is worth nothing then"),
}


def _listed() -> str:
    rows = [" ".join((name, *map(str.upper, ops))) for name, (ops, _) in ACTIONS.items()]
    wide = max(map(len, rows))
    lines = [f"{row:{wide}}  {ACTIONS[row.split()[0]][1]}" for row in rows]
    return "\b\nActions:\n" + "\n".join(f"  {line}" for line in lines)


@click.command(epilog=_listed())
@click.argument("words", nargs=-1, metavar="[CONTEST] ACTION [...]")
@click.option("--server", metavar="URL", help="The server, where no contest's folder is at hand.")
@click.option("--code", help=f"The organizer's code; or in the variable {CODE_VARIABLE}.")
@click.option("--anyway", is_flag=True, help="With start: even if not all is ready.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
@click.pass_context
def control(
    ctx: click.Context,
    words: tuple[str, ...],
    server: str | None,
    code: str | None,
    anyway: bool,
    as_json: bool,
) -> None:
    """Give an order to the server of the folder CONTEST, or to the one at --server.

    Exit code 0 if it is done, 1 if it can't be had now, 2 if there is no such thing. A reason is
    one word or one text in quotes; it goes on record, and may be published.
    """
    given = list(words)
    folder = None
    if server is None:
        if not given:
            raise click.UsageError("name a contest's folder, or --server and --code")
        folder = Path(given.pop(0))
    order = read_order(given, anyway)

    from contest.door import Door, find
    from loebner.ordering import send

    if folder is not None:
        if code is not None:
            raise click.UsageError("--code goes with --server: a folder has its own")
        door = find(folder)
    else:
        secret = code or os.environ.get(CODE_VARIABLE, "")
        if not secret:
            raise click.UsageError(f"--server needs the organizer's --code, or {CODE_VARIABLE}")
        door = Door(str(server), secret)
    answer = send(door, order)
    if as_json:
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        say(answer, order["action"])
    if not answer.get("ready", True):
        ctx.exit(1)


def read_order(words: list[str], anyway: bool) -> dict[str, Any]:
    """An order of the words at the terminal.

    Arguments:
        words: the action and what belongs to it.
        anyway: whether a start does not ask if all is ready.

    Raises:
        click.UsageError: if it is none.
    """
    if not words:
        raise click.UsageError(f"name an action: {', '.join(ACTIONS)}")
    action, *operands = words
    if action not in ACTIONS:
        raise click.UsageError(f"there is no action {action!r}: {', '.join(ACTIONS)}")
    names = ACTIONS[action][0]
    if len(operands) != len(names):
        wanted = " ".join(map(str.upper, names)) or "nothing"
        raise click.UsageError(
            f"{action} takes {wanted}, not {len(operands)} words; put a reason in quotes"
        )
    order: dict[str, Any] = {"action": action, **dict(zip(names, operands, strict=True))}
    if "minutes" in order:
        try:
            order["minutes"] = float(order["minutes"])
        except ValueError:
            raise click.UsageError(f"MINUTES is a number, not {order['minutes']!r}") from None
    if anyway:
        if action != "start":
            raise click.UsageError("--anyway goes with start")
        order["anyway"] = True
    return order


def say(answer: Mapping[str, Any], action: str) -> None:
    """Tells an answer to a person.

    Arguments:
        answer: the server's.
        action: what was asked for.
    """
    if answer["done"]:
        click.echo(_text(f"Done: {answer['done']}."))
    if "code" in answer:
        click.echo(_text(answer["code"]))
    for check in answer.get("checks", ()):
        mark = click.style("green", fg="green") if check["ok"] else click.style("RED", fg="red")
        click.echo(
            f"{mark}{' ' * (7 - len('green' if check['ok'] else 'RED'))}"
            f"{_text(check['what'] + ': ' + check['words'])}"
        )
    status = answer["status"]
    left = "" if status["remaining"] is None else f", {_clock(status['remaining'])} left"
    reason = f" ({status['reason']})" if status["reason"] else ""
    click.echo(_text(f"Now {status['words']}{left}{reason}."))
    if action != "status":
        return
    away = [seat["seat"] for seat in status["seats"] if not seat["here"]]
    here = [seat["seat"] for seat in status["seats"] if seat["here"]]
    seats = f"{', '.join(here) or 'nobody'} here; {', '.join(away) or 'nobody'} away"
    click.echo(_text(f"Seats: {seats}"))
    for entry in status["entries"]:
        click.echo(_text(_entry(entry)))
    for incident in status["incidents"][-10:]:
        click.echo(_text(f"{incident['at'][11:19]}  {incident['who']}: {incident['what']}"))


def _entry(entry: Mapping[str, Any]) -> str:
    oldest = f", the oldest for {entry['oldest_unread']} s" * bool(entry["unread"])
    told = [
        "link here" if entry["here"] else "LINK AWAY",
        *([f"program {entry['program']}"] if entry["program"] else []),
        f"{entry['keys']} keys typed",
        f"{entry['unread']} unread{oldest}",
    ]
    return f"{entry['entry']} ({entry['name'] or entry['entry']}): {', '.join(told)}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _text(text: str) -> str:
    """People's words as text: nothing that a terminal takes for an order."""
    return "".join(char if char.isprintable() else "?" for char in text)
