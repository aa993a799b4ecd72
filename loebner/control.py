"""`loebner control`: the organizer's orders to a server that runs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loebner.moments import time_of_day
from loebner.trusting import trust_of, trust_options
from lpp.trust import Trust

if TYPE_CHECKING:
    from contest.net.door import Door

#: Where the organizer's code may stand instead of a shell's history.
CODE_VARIABLE = "LOEBNER_ORGANIZER_CODE"

#: Action: its operands (one that ends with ? can be left out), and what it does.
ACTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "status": ((), "where the contest is, who is here, how the entries do"),
    "check": ((), "whether all is ready for the next round"),
    "tally": ((), "the results as far as they go; provisional until they are final"),
    "log": ((), "what has happened, key presses left out"),
    "start": ((), "begin the next round, or after the last one the ranking"),
    "pause": (("reason",), "stop the clock of the interaction"),
    "resume": ((), "let it run again"),
    "extend": (("minutes", "reason"), "make the interaction longer"),
    "end": (("reason",), "end the interaction; the round is scored"),
    "close": (("reason",), "close the scoring, or the ranking"),
    "again": (("reason",), "play this or the last round again, as a new attempt"),
    "void": (
        ("what", "reason"),
        "take a talk (2.1.J3.left), an attempt (2.1) or a ballot (J3) out of the count",
    ),
    "stop": (("reason",), "no more rounds after this one: the ranking is next"),
    "restart": (("entry", "reason"), "end an entry's program and start it anew"),
    "replace": (("seat", "name", "reason"), "another person takes a seat; it gets a new code"),
    "swap": (
        ("rounds", "one", "other", "reason"),
        "two judges, or confederates, change desks in round 3; 3-: and later",
    ),
    "replan": (
        ("file", "reason"),
        "play the rounds to come by another plan; see loebner schedule repair",
    ),
    "codes": (("seat?",), "make a new code for a seat, link or organizer; which are used?"),
    "reveal": ((), "show the public the next step of the result; --all: what is left"),
    "final": (("reason",), "declare the result final and close the contest"),
    "confirm": (("number",), "confirm what the other of two persons has proposed"),
    "drop": (("number",), "drop what one of two persons has proposed"),
}


#: What goes with which actions only.
_WITH = {
    "anyway": ("start", "final"),
    "everything": ("reveal",),
    "kind": ("log",),
    "who": ("log",),
    "last": ("log",),
}
_OPTIONS = {"everything": "--all"}
#: Characters of an event's body that the log shows a person.
_BODY = 200
#: How an address may begin, in the place of what orders go by: consoles' addresses, and none.
_SCHEMES = {"ws": "http", "wss": "https"}


def usage(action: str) -> str:
    """An action with its operands, as it stands in the help."""
    return " ".join((action, *(_shown(name) for name in ACTIONS[action][0])))


def _shown(operand: str) -> str:
    return f"[{operand[:-1].upper()}]" if operand.endswith("?") else operand.upper()


def _listed() -> str:
    wide = max(len(usage(action)) for action in ACTIONS)
    lines = [f"{usage(action):{wide}}  {what}" for action, (_, what) in ACTIONS.items()]
    return "\b\nActions:\n" + "\n".join(f"  {line}" for line in lines)


@click.command(epilog=_listed())
@click.argument("words", nargs=-1, metavar="[CONTEST] ACTION [...]")
@click.option("--server", metavar="URL", help="The server, where no contest's folder is at hand.")
@click.option("--code", help=f"The organizer's or witness's code; or in {CODE_VARIABLE}.")
@click.option(
    "--code-file",
    metavar="FILE",
    type=click.Path(path_type=Path, readable=False),
    help="A file that holds the code.",
)
@trust_options
@click.option("--anyway", is_flag=True, help="With start and final: even if something is lacking.")
@click.option("--all", "everything", is_flag=True, help="With reveal: all that is left.")
@click.option("--kind", metavar="KIND", help="With log: only events of this kind.")
@click.option("--who", metavar="WHO", help="With log: only what concerns this seat or entry.")
@click.option(
    "--last", metavar="N", type=click.IntRange(1, 5000), help="With log: so many; 50 by default."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
@click.pass_context
def control(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    server: str | None,
    code: str | None,
    code_file: Path | None,
    ca: Path | None,
    fingerprint: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Give an order to the server of the folder CONTEST, or to the one at --server.

    Exit code 0 if it is done, 1 if it can't be had now, 2 if there is no such thing. A reason is
    one word or one text in quotes; it goes on record, and may be published. In the folder the order
    is the organizer's; the second person, where two are required, gives a code.
    """
    given = list(words)
    folder = None
    if server is None:
        if not given:
            raise click.UsageError("name a contest's folder, or --server and --code")
        if given[0] in ACTIONS and not os.path.isdir(given[0]):
            raise click.UsageError(
                f"name the contest's folder before the action: loebner control CONTEST {given[0]}"
            )
        folder = Path(given.pop(0))
    elif given and given[0] not in ACTIONS and len(given) > 1 and given[1] in ACTIONS:
        raise click.UsageError(f"with --server no folder is named: leave out {given[0]!r}")
    order = read_order(given, **options)

    from loebner.ordering import send

    if server is None and (ca is not None or fingerprint is not None):
        raise click.UsageError("--ca and --fingerprint go with --server: a folder has its own")
    trust = trust_of(ca, fingerprint) if server is not None else None
    answer = send(_door(folder, server, code, code_file, trust), order)
    if as_json:
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        say(answer, order["action"])
    if not answer.get("ready", True):
        ctx.exit(1)


def _door(
    folder: Path | None,
    server: str | None,
    code: str | None,
    file: Path | None,
    trust: Trust | None,
) -> Door:
    from contest.net.door import Door, find
    from loebner.judge import given_code

    secret = None if code is None and file is None else given_code(code, file)
    if folder is not None:
        door = find(folder)
        return door if secret is None else replace(door, code=secret)
    secret = secret or os.environ.get(CODE_VARIABLE, "")
    if not secret:
        raise click.UsageError(f"--server needs a --code, or {CODE_VARIABLE}")
    return Door(_address(str(server)), secret, trust or Trust())


def _address(server: str) -> str:
    """An address as a person gives it: also as consoles have it, and without a scheme."""
    scheme, mark, place = server.strip().partition("://")
    return f"{_SCHEMES.get(scheme, scheme)}://{place}" if mark else f"http://{scheme}"


def read_order(words: list[str], anyway: bool = False, **options: Any) -> dict[str, Any]:
    """An order of the words at the terminal.

    Arguments:
        words: the action and what belongs to it.
        anyway: whether a start does not ask if all is ready, nor the end whether something is open.
        options: `everything` of a reveal, `kind`, `who` and `last` of the log; None where they were
            not given.

    Raises:
        click.UsageError: if it is none.
    """
    if not words:
        raise click.UsageError(f"name an action: {', '.join(ACTIONS)}")
    action, *operands = words
    if action not in ACTIONS:
        raise click.UsageError(f"there is no action {action!r}: {', '.join(ACTIONS)}")
    names = ACTIONS[action][0]
    needed = [name for name in names if not name.endswith("?")]
    if not len(needed) <= len(operands) <= len(names):
        wanted = usage(action).partition(" ")[2] or "nothing"
        raise click.UsageError(
            f"{action} takes {wanted}, not {len(operands)} words; put a reason in quotes"
        )
    plain = [name.removesuffix("?") for name in names]
    order: dict[str, Any] = {"action": action, **dict(zip(plain, operands, strict=False))}
    if "minutes" in order:
        order["minutes"] = _number("MINUTES", order["minutes"], float)
    if "number" in order:
        order["number"] = _number("NUMBER", order["number"], int)
    if "rounds" in order:
        rounds = str(order.pop("rounds"))
        order["round"] = _number("ROUNDS", rounds.removesuffix("-"), int)
        order["later"] = rounds.endswith("-")
    if "file" in order:
        order |= _plan(str(order.pop("file")))
    for name, value in {"anyway": anyway, **options}.items():
        if value in (None, False):
            continue
        if action not in _WITH[name]:
            shown = _OPTIONS.get(name, f"--{name}")
            raise click.UsageError(f"{shown} goes with {' and '.join(_WITH[name])}")
        order[name] = value
    return order


def _plan(file: str) -> dict[str, Any]:
    """The rounds of a schedule's file, as an order has them."""
    from contest.state.schedules import as_rounds
    from loebner.schedule import load_schedule
    from scheduler import BadInput, Schedule

    schedule = load_schedule(file)
    if not isinstance(schedule, Schedule):
        raise BadInput("is a matrix, without rounds; give a schedule", source=file)
    return {"rounds": as_rounds(schedule)}


def _number(name: str, text: str, kind: type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise click.UsageError(f"{name} is a number, not {text!r}")
    return number


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
        level = check["level"]
        mark = click.style("RED" if level == "red" else level, fg=level)
        gap = " " * (8 - len(level))
        click.echo(f"{mark}{gap}{_text(check['what'] + ': ' + check['words'])}")
    for line in _told(answer):
        click.echo(_text(line))
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
    for row in status["pairings"]:
        click.echo(_text(_pairing(row)))
    for proposal in status["proposals"]:
        click.echo(_text(_proposal(proposal)))
    for incident in status["incidents"][-10:]:
        at = time_of_day(incident["at"])
        click.echo(_text(f"{at}  {incident['who']}: {incident['what']}"))


def _told(answer: Mapping[str, Any]) -> Iterator[str]:
    """What an answer holds beside what is done and the status."""
    if "tally" in answer:
        yield f"The results are {answer['state']}."
        yield from answer["words"]
        yield from (f"Warning: {warning}." for warning in answer["tally"]["warnings"])
    for event in answer.get("log", ()):
        said = event["words"] or _short(json.dumps(event["body"], ensure_ascii=False))
        yield f"{time_of_day(event['at'])}  {event['kind']}  {event['actor']}: {said}"
    for each in answer.get("codes", ()):
        used = "used" if each["used"] else "not used yet"
        yield f"{each['name']} ({each['role']}): {used}"


def _short(text: str) -> str:
    """A body that is a document of its own, as the first event's, is for --json."""
    return text if len(text) <= _BODY else f"{text[:_BODY]}… ({len(text):,} characters; --json)"


def _pairing(row: Mapping[str, Any]) -> str:
    states = row["states"]
    told = [f"{row[who]} {states[who]['words']}" for who in ("judge", "entry", "confederate")]
    for side in ("left", "right"):
        if row[side] is not None:
            keys = row[side]["keys"]
            told.append(f"{side} {keys['judge']} + {keys['entity']} keys in 10 s")
    return "; ".join(told) + f". {row['warning']}" * bool(row["warning"])


def _proposal(proposal: Mapping[str, Any]) -> str:
    return (
        f"Order {proposal['number']} waits to be confirmed: {proposal['words']}, by the "
        f"{proposal['by']} ({proposal['reason']})"
    )


def _entry(entry: Mapping[str, Any]) -> str:
    oldest = f", the oldest for {entry['oldest_unread']} s" * bool(entry["unread"])
    told = [
        "link here" if entry["here"] else "LINK AWAY",
        *([f"program {entry['program']}"] if entry["program"] else []),
        f"{entry['keys']} keys typed",
        f"{entry['unread']} unread{oldest}",
        *(["STALLED"] if entry["stalled"] else []),
    ]
    return f"{entry['entry']} ({entry['name'] or entry['entry']}): {', '.join(told)}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _text(text: str) -> str:
    """People's words as text: nothing that a terminal takes for an order."""
    return "".join(char if char.isprintable() else "?" for char in text)
