"""Wishes as an organizer writes them: in options of a command, or in a TOML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scheduler.documents import list_at, load_toml, object_at
from scheduler.errors import BadInput
from scheduler.planning.problem import WISHES
from scheduler.planning.wishes import Room, Session, Wishes
from scheduler.schedule import MAX_ROUND
from scheduler.texts import id_problem, listed, near, shown

MAX_WEIGHT = 1000
"""The highest weight of a wish: beyond it one is meant to be hard."""

MAX_DESKS = 1000
"""No contest has more."""

_KEYS = ("conflicts", "away", "desks", "weights", "hard", "session", "room")
_SESSION = ("name", "rounds", "desks", "away")
_ROOM = ("name", "desks", "sessions")


def read_options(
    conflicts: Iterable[str] = (),
    away: Iterable[str] = (),
    desks: str = "",
    weights: Iterable[str] = (),
    hard: str = "",
) -> Wishes:
    """Wishes from options.

    Arguments:
        conflicts: such as ``J1E2``, or ``Ann/hal`` where ids are others.
        away: such as ``J2:3``, ``J2:1,3`` or ``J2:3-5``.
        desks: such as ``3``, or ``4,4,2``.
        weights: such as ``a=2``.
        hard: such as ``a,b``.

    Returns:
        The wishes.

    Raises:
        BadInput: one of them is none.
    """
    return Wishes(
        conflicts=tuple(_pair(text, "conflict") for each in conflicts for text in _parts(each)),
        away=tuple(one for each in away for one in _absence(each)),
        desks=tuple(
            _number(_whole(text, "desks"), 1, MAX_DESKS, "desks") for text in _parts(desks)
        ),
        weights=tuple(_weight(text) for each in weights for text in _parts(each)),
        hard=tuple(_wish(text, "hard") for text in _parts(hard)),
    )


def read_wishes(text: str, source: str = "wishes") -> Wishes:
    """Wishes from a TOML file.

    Arguments:
        text: the whole text.
        source: the name to use in messages.

    Returns:
        The wishes.

    Raises:
        BadInput: the file is no TOML, has a key that is unknown, or a value that does not fit.
    """
    return wishes_of(load_toml(text, source), source)


def wishes_of(document: object, source: str = "wishes") -> Wishes:
    """Wishes from a document with the keys of a TOML file.

    Arguments:
        document: what was read.
        source: the name to use in messages.

    Returns:
        The wishes.

    Raises:
        BadInput: a key is unknown, or a value does not fit.
    """
    held = object_at(document, "", source)
    try:
        _refuse_unknown(held, _KEYS, "")
        desks = held.get("desks", [])
        return Wishes(
            conflicts=tuple(
                _pair(each, f"conflicts[{i}]")
                for i, each in enumerate(list_at(held.get("conflicts", []), "conflicts", source))
            ),
            away=tuple(
                (_name(name, "away"), _number(number, 1, MAX_ROUND, f"away.{name}"))
                for name, numbers in object_at(held.get("away", {}), "away", source).items()
                for number in list_at(numbers, f"away.{name}", source)
            ),
            desks=tuple(
                _number(number, 1, MAX_DESKS, "desks")
                for number in (desks if isinstance(desks, list) else [desks])
            ),
            weights=tuple(
                (_wish(letter, "weights"), _number(weight, 0, MAX_WEIGHT, f"weights.{letter}"))
                for letter, weight in object_at(held.get("weights", {}), "weights", source).items()
            ),
            hard=tuple(
                _wish(each, "hard") for each in list_at(held.get("hard", []), "hard", source)
            ),
            sessions=tuple(
                _session(object_at(each, f"session[{i}]", source), i, source)
                for i, each in enumerate(list_at(held.get("session", []), "session", source))
            ),
            rooms=tuple(
                _room(object_at(each, f"room[{i}]", source), i, source)
                for i, each in enumerate(list_at(held.get("room", []), "room", source))
            ),
        )
    except BadInput as error:
        if error.source:
            raise
        raise BadInput(error.problem, source=source, field=error.field) from None


def _session(held: Mapping[str, object], i: int, source: str) -> Session:
    field = f"session[{i}]"
    _refuse_unknown(held, _SESSION, field)
    if "rounds" not in held:
        raise BadInput("is missing; say how many rounds the session has", field=f"{field}.rounds")
    desks = held.get("desks")
    away = list_at(held.get("away", []), f"{field}.away", source)
    return Session(
        name=_name(held.get("name", f"session {i + 1}"), f"{field}.name"),
        rounds=_number(held["rounds"], 1, MAX_ROUND, f"{field}.rounds"),
        desks=None if desks is None else _number(desks, 1, MAX_DESKS, f"{field}.desks"),
        away=tuple(_name(name, f"{field}.away") for name in away),
    )


def _room(held: Mapping[str, object], i: int, source: str) -> Room:
    field = f"room[{i}]"
    _refuse_unknown(held, _ROOM, field)
    if "desks" not in held:
        raise BadInput("is missing; say how many desks the room has", field=f"{field}.desks")
    sessions = list_at(held.get("sessions", []), f"{field}.sessions", source)
    return Room(
        name=_name(held.get("name", f"room {i + 1}"), f"{field}.name"),
        desks=_number(held["desks"], 1, MAX_DESKS, f"{field}.desks"),
        sessions=tuple(_name(name, f"{field}.sessions") for name in sessions),
    )


def _refuse_unknown(held: Mapping[str, object], known: tuple[str, ...], field: str) -> None:
    for key in held:
        if key not in known:
            guess = near(key, known)
            hint = guess if "mean" in guess else f"; known: {listed(known)}"
            raise BadInput(f"the key {shown(key)} is unknown{hint}", field=field)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _pair(value: object, field: str) -> tuple[str, str]:
    if isinstance(value, str) and (
        match := re.fullmatch(r"([JEC][0-9]+)[\s:]*([JEC][0-9]+)", value.strip())
    ):
        return match[1], match[2]
    if isinstance(value, str) and value.count("/") == 1:
        one, _, other = value.partition("/")
        return _name(one, field), _name(other, field)
    if isinstance(value, list) and len(value) == 2:
        return _name(value[0], field), _name(value[1], field)
    raise BadInput(
        f"{shown(value)} are not two who could meet; write such as J1E2 or J1/hal", field=field
    )


def _absence(text: str) -> list[tuple[str, int]]:
    name, colon, numbers = text.partition(":")
    if not (name.strip() and colon and _parts(numbers)):
        raise BadInput(
            f"{shown(text)} does not say who is away in which round; write such as J2:3, J2:1,3 or "
            "J2:3-5",
            field="away",
        )
    found = []
    for part in _parts(numbers):
        first, dash, last = part.partition("-")
        begin = _number(_whole(first, "away"), 1, MAX_ROUND, "away")
        end = _number(_whole(last, "away"), 1, MAX_ROUND, "away") if dash else begin
        if end < begin:
            raise BadInput(f"{shown(part)} ends before it begins", field="away")
        found += [(_name(name, "away"), number) for number in range(begin, end + 1)]
    return found


def _weight(text: str) -> tuple[str, int]:
    letter, equals, weight = text.partition("=")
    if not equals:
        raise BadInput(f"{shown(text)} is no weight; write such as a=2", field="weight")
    return (
        _wish(letter.strip(), "weight"),
        _number(_whole(weight, "weight"), 0, MAX_WEIGHT, "weight"),
    )


def _wish(letter: object, field: str) -> str:
    if isinstance(letter, str) and letter in WISHES:
        return letter
    raise BadInput(f"{shown(letter)} is no wish; there are {listed(WISHES)}", field=field)


def _whole(text: str, field: str) -> int:
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return int(text)
    raise BadInput(f"{shown(text)} is no whole number", field=field)


def _number(value: object, least: int, most: int, field: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise BadInput(f"{shown(value)} is no whole number from {least} to {most}", field=field)


def _name(value: object, field: str) -> str:
    name = value.strip() if isinstance(value, str) else value
    if problem := id_problem(name):
        raise BadInput(problem, field=field)
    assert isinstance(name, str)
    return name
