"""`loebner control`: sends the organizer's orders to a running server, using the table of
orders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from contest.net.addresses import ControlAddress, find_control
from contest.organizer.orders import ORDERS, Field, Order
from contest.state.schedules import as_rounds
from loebner.common import level_mark, send, time_of_day
from loebner.options import given_code, json_option, print_json, server_options, trust_of
from loebner.schedule import load_rounds
from lpp.connection import Trust
from scheduler.texts import plain

#: The environment variable for the organizer's code.
CODE_VARIABLE = "LOEBNER_ORGANIZER_CODE"
#: The maximum number of characters of an event's body in the log for people.
_BODY = 200
#: Schemes of a console's address, with their equivalents.
_SCHEMES = {"ws": "http", "wss": "https"}
#: Kinds of fields that have another form at a terminal: a round, where `3-` means 3 and all later
#: ones, and a plan, which is a file.
_OPERANDS = {"round": "round[-]", "plan": "file"}
_OPTIONS = {
    field.option: field for order in ORDERS.values() for field in order.fields if field.option
}


def _operands(order: Order) -> list[Field]:
    return [field for field in order.fields if not field.option and field.kind != "tick"]


def usage(order: Order) -> str:
    """An action with its operands, for the help."""
    words = [order.action]
    for field in _operands(order):
        name = _OPERANDS.get(field.kind, field.name).upper()
        words.append(name if field.default is None else f"[{name}]")
    return " ".join(words)


def _listed() -> str:
    wide = max(len(usage(order)) for order in ORDERS.values())
    lines = [f"  {usage(order):{wide}}  {order.does}" for order in ORDERS.values()]
    return "\b\nActions:\n" + "\n".join(lines)


def _with_options(command: click.Command) -> click.Command:
    for option, field in _OPTIONS.items():
        actions = [o.action for o in ORDERS.values() if any(f.option == option for f in o.fields)]
        more: dict[str, Any] = {"is_flag": True} if field.kind == "tick" else {"metavar": "VALUE"}
        text = f"With {' and '.join(actions)}: {field.help}."
        command.params.append(click.Option([option], help=text, **more))
    return command


@_with_options
@click.command(epilog=_listed())
@click.argument("words", nargs=-1, metavar="[CONTEST] ACTION [...]")
@server_options
@json_option
def control(
    words: tuple[str, ...],
    server: str | None,
    code: str | None,
    code_file: Path | None,
    ca: Path | None,
    fingerprint: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Send an order to the server of the folder CONTEST, or to --server with the organizer's or a
    witness's code. The code can also be in LOEBNER_ORGANIZER_CODE.

    Exit code: 0 done, 1 can't be done now, 2 no such order. Put a reason in quotes; it is recorded
    and may be published. With the folder you act as the organizer; if two people are required, the
    second one uses a code.
    """
    given, folder = list(words), None
    if server is None:
        if not given:
            raise click.UsageError("give a contest folder, or --server and --code")
        if given[0] in ORDERS and not os.path.isdir(given[0]):
            raise click.UsageError(
                f"give the contest's folder before the action: loebner control CONTEST {given[0]}"
            )
        if ca is not None or fingerprint is not None:
            raise click.UsageError("--ca and --fingerprint only work with --server")
        folder = Path(given.pop(0))
    elif given and given[0] not in ORDERS and len(given) > 1 and given[1] in ORDERS:
        raise click.UsageError(f"leave out the folder {given[0]!r} if you give --server")
    order = read_words(given, {f"--{name}": value for name, value in options.items()})

    if folder is None:
        address = _control_address(str(server), code, code_file, trust_of(ca, fingerprint))
    else:
        secret = given_code(code, code_file, "")
        address = find_control(folder)
        address = address if secret is None else replace(address, code=secret)
    answer = send(address, order)
    if as_json:
        print_json(answer)
    else:
        for line in answer_lines(answer, order["action"]):
            click.echo(line)
    return 0 if answer.get("ready", True) else 1


def _control_address(
    server: str, code: str | None, file: Path | None, trust: Trust
) -> ControlAddress:
    secret = given_code(code, file, CODE_VARIABLE)
    if secret is None:
        raise click.UsageError(f"--server needs a --code, or {CODE_VARIABLE}")
    scheme, mark, place = server.strip().partition("://")
    url = f"{_SCHEMES.get(scheme, scheme)}://{place}" if mark else f"http://{scheme}"
    return ControlAddress(url, secret, trust)


def read_words(words: list[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Turns command-line words into the document of an order.

    Arguments:
        words: the action and its operands.
        options: maps each option to its value; None or False if it was not given.

    Raises:
        click.UsageError: if this is not an order.
        BadOrder: if an operand is invalid.
    """
    if not words:
        raise click.UsageError(f"give an action: {', '.join(ORDERS)}")
    if words[0] not in ORDERS:
        raise click.UsageError(
            f"there is no action {words[0]!r}; choose one of {', '.join(ORDERS)}"
        )
    order, operands = ORDERS[words[0]], words[1:]
    fields = _operands(order)
    needed = sum(field.default is None for field in fields)
    if not needed <= len(operands) <= len(fields):
        raise click.UsageError(f"write `{usage(order)}`; put a text of several words in quotes")
    document: dict[str, Any] = {"action": order.action}
    for field, text in zip(fields, operands, strict=False):
        if field.kind == "plan":
            document[field.name] = as_rounds(load_rounds(text))
            continue
        if field.kind == "round":
            document["later"] = text.endswith("-")
            text = text.removesuffix("-")
        document[field.name] = field.read(text)
    own = {field.option: field for field in order.fields}
    for option, value in options.items():
        if value in (None, False):
            continue
        if option not in own:
            raise click.UsageError(f"{option} doesn't work with {order.action}")
        document[own[option].name] = own[option].read(str(value))
    return document


def answer_lines(answer: Mapping[str, Any], action: str) -> Iterator[str]:
    """The lines of an answer for people, without control characters.

    Arguments:
        answer: the server's answer.
        action: the action that was sent.
    """
    for check in answer.get("checks", ()):
        yield level_mark(check["level"]) + plain(f"{check['what']}: {check['words']}")
    status = answer["status"]
    lines = [*_done(answer), _where(status)]
    if action == "status":
        lines += _status(status)
    yield from map(plain, lines)


def _done(answer: Mapping[str, Any]) -> Iterator[str]:
    if answer["done"]:
        yield f"Done: {answer['done']}."
    if "code" in answer:
        yield answer["code"]
    if "tally" in answer:
        yield f"The results are {answer['state']}."
        yield from answer["words"]
        yield from (f"Warning: {warning}." for warning in answer["tally"]["warnings"])
    for event in answer.get("log", ()):
        words = event["words"]
        # A long body such as the first event's is shown completely only by --json.
        more = f"… ({len(words):,} characters; --json)" if len(words) > _BODY else ""
        said = f"{words[:_BODY]}{more}"
        yield f"{time_of_day(event['at'])}  {event['kind']}  {event['actor']}: {said}"
    for each in answer.get("codes", ()):
        yield f"{each['name']} ({each['role']}): {'used' if each['used'] else 'not used yet'}"


def _where(status: Mapping[str, Any]) -> str:
    seconds = status["remaining"]
    left = "" if seconds is None else f", {int(seconds) // 60}:{int(seconds) % 60:02} left"
    reason = f" ({status['reason']})" if status["reason"] else ""
    return f"Now {status['words']}{left}{reason}."


def _status(status: Mapping[str, Any]) -> Iterator[str]:
    for each in status["missing"]:
        yield f"MISSING: {each['role']} {each['id']} {each['what']}. {each['remedy']}"
    here = [seat["seat"] for seat in status["seats"] if seat["here"]]
    away = [seat["seat"] for seat in status["seats"] if not seat["here"]]
    yield f"Seats: {', '.join(here) or 'nobody'} here; {', '.join(away) or 'nobody'} away"
    for entry in status["entries"]:
        facts = ["link connected" if entry["here"] else "LINK DOWN"]
        facts += [f"program {entry['program']}"] * bool(entry["program"])
        facts.append(f"{entry['keys']} keys typed")
        if entry["unread"]:
            facts.append(f"{entry['unread']} unread, the oldest for {entry['oldest_unread']} s")
        facts += ["STALLED"] * entry["stalled"]
        yield f"{entry['entry']} ({entry['name'] or entry['entry']}): {', '.join(facts)}"
    for row in status["pairings"]:
        facts = [
            f"{row[who]} {row['states'][who]['words']}" for who in ("judge", "entry", "confederate")
        ]
        for side in ("left", "right"):
            if row[side] is not None:
                keys = row[side]["keys"]
                facts.append(f"{side} {keys['judge']} + {keys['entity']} keys in 10 s")
        yield f"{'; '.join(facts)}. {row['warning']}".rstrip()
    for each in status["proposals"]:
        yield (
            f"Order {each['number']} awaits confirmation: {each['words']}, by the {each['by']} "
            f"({each['reason']})"
        )
    for incident in status["incidents"][-10:]:
        yield f"{time_of_day(incident['at'])}  {incident['who']}: {incident['what']}"
