"""JSON and TOML documents: loaded with clear errors, and schedules found in them."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping

from scheduler.errors import BadInput
from scheduler.lines import read_rounds
from scheduler.schedule import MAX_ROUND, Matrix, Pairing, Schedule
from scheduler.texts import id_problem, near, plain, shown

_FORMS = ("rounds", "pairings", "matrix")
_PEOPLE = ("judges", "entries", "confederates")
_REMARKS = ("title", "name", "date", "comment", "seed")
# What `schedule make --json` and `schedule check --json` put beside the rounds. It is computed
# anew, never believed.
_PROOF = ("pairs", "optimal", "idle", "proof", "rooms", "valid", "schedulable", "reason")


def load_json(text: str, source: str) -> object:
    """A JSON document.

    Arguments:
        text: the text.
        source: the name to use in messages.

    Returns:
        The document; numbers with a point or an exponent stay text, so that they can be read
        exactly.

    Raises:
        BadInput: it is no JSON, is nested without end, or has a key twice.
    """

    def no_constant(name: str) -> object:
        raise BadInput(f"{name} is no number in JSON", source=source)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        held: dict[str, object] = {}
        for key, value in pairs:
            if key in held:
                raise BadInput(f"the key {shown(key)} stands twice in one object", source=source)
            held[key] = value
        return held

    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            parse_float=str,
            parse_constant=no_constant,
            object_pairs_hook=unique,
        )
    except json.JSONDecodeError as error:
        raise BadInput(
            f"is no JSON ({error.msg}, column {error.colno})", source=source, line=error.lineno
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no usable JSON ({_reason(error)})", source=source) from None


def load_toml(text: str, source: str) -> object:
    """A TOML document.

    Arguments:
        text: the text.
        source: the name to use in messages.

    Returns:
        The document as a dictionary.

    Raises:
        BadInput: it is no TOML, or is nested without end.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no TOML ({_reason(error)})", source=source) from None


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else plain(str(error))


def object_at(value: object, field: str, source: str) -> Mapping[str, object]:
    """A value that has to be an object.

    Arguments:
        value: the value.
        field: its path in the document.
        source: the name to use in messages.

    Returns:
        The same.

    Raises:
        BadInput: it is something else.
    """
    if not isinstance(value, dict):
        raise BadInput(f"{shown(value)} is no object", source=source, field=field)
    return value


def list_at(value: object, field: str, source: str) -> list[object]:
    """A value that has to be a list.

    Arguments:
        value: the value.
        field: its path in the document.
        source: the name to use in messages.

    Returns:
        The same.

    Raises:
        BadInput: it is something else.
    """
    if not isinstance(value, list):
        raise BadInput(f"{shown(value)} is no list", source=source, field=field)
    return value


def id_at(held: Mapping[str, object], key: str, field: str, source: str) -> str:
    """An id in an object.

    Arguments:
        held: the object.
        key: the id's key.
        field: the object's path in the document.
        source: the name to use in messages.

    Returns:
        The id, without spaces around it.

    Raises:
        BadInput: the key is missing, or its value is no id.
    """
    path = f"{field}.{key}" if field else key
    if key not in held:
        raise BadInput(f"is missing{_meant(key, held)}", source=source, field=path)
    return _id(held[key], path, source)


def round_at(value: object, field: str, source: str) -> int:
    """A round's number.

    Arguments:
        value: the value.
        field: its path in the document.
        source: the name to use in messages.

    Returns:
        The number.

    Raises:
        BadInput: it is none, or out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_ROUND:
        raise BadInput(
            f"{shown(value)} is no round; rounds count from 1 to {MAX_ROUND}",
            source=source,
            field=field,
        )
    return value


def _id(value: object, field: str, source: str) -> str:
    name = value.strip() if isinstance(value, str) else value
    if problem := id_problem(name):
        raise BadInput(problem, source=source, field=field)
    assert isinstance(name, str)
    return name


def _meant(key: str, held: Iterable[str]) -> str:
    guess = near(key, held)
    return guess if "mean" in guess else ""


def schedule_of(document: object, source: str = "document") -> Schedule | Matrix:
    """The schedule or matrix in a JSON or TOML document.

    Arguments:
        document: one of ``{"rounds": [[{"judge": ..., "entry": ..., "confederate": ...}, ...]]}``,
            where a round or a pairing may also be text such as ``"J1E1C1 J2E2C2"``;
            ``{"pairings": [{"round": 1, "judge": ..., ...}, ...]}`` (in TOML ``[[pairings]]``);
            ``{"matrix": {"J1": {"E1": "C1", ...}, ...}}``; or the bare list of one of the first
            two. Beside them ``judges``, ``entries`` and ``confederates`` may name all who are
            there, playing or not.
        source: the name to use in messages.

    Returns:
        The schedule or matrix.

    Raises:
        BadInput: the document is of none of these forms; the message has the path of the fault.
    """
    if isinstance(document, list):
        bare = "pairings" if document and isinstance(document[0], dict) else "rounds"
        document = {bare: document}
    held = object_at(document, "", source)
    known = (*_FORMS, *_PEOPLE, *_REMARKS, *_PROOF)
    if unknown := next((key for key in held if key not in known), None):
        raise BadInput(
            f"the key {shown(unknown)} is unknown{_meant(unknown, known)}; "
            f"known: {', '.join((*_FORMS, *_PEOPLE))}",
            source=source,
        )
    forms = [form for form in _FORMS if form in held]
    if len(forms) != 1:
        raise BadInput(
            f"has {' and '.join(forms) or 'no rounds'}; write one of {', '.join(_FORMS)}",
            source=source,
        )
    if forms == ["matrix"]:
        return _matrix(object_at(held["matrix"], "matrix", source), source)
    read: Callable[[object, str], list[Pairing]] = _rounds if forms == ["rounds"] else _flat
    people = {
        kind: [
            _id(name, f"{kind}[{i}]", source)
            for i, name in enumerate(list_at(held.get(kind, []), kind, source))
        ]
        for kind in _PEOPLE
    }
    return Schedule.of(
        read(held[forms[0]], source),
        judges=people["judges"],
        entries=people["entries"],
        confederates=people["confederates"],
        source=source,
    )


def _rounds(value: object, source: str) -> list[Pairing]:
    pairings: list[Pairing] = []
    for i, play in enumerate(list_at(value, "rounds", source)):
        field, number = f"rounds[{i}]", round_at(i + 1, "rounds", source)
        if isinstance(play, str):
            pairings += _spelled(play, number, field, source)
            continue
        for k, pairing in enumerate(list_at(play, field, source)):
            path = f"{field}[{k}]"
            if isinstance(pairing, str):
                pairings += _spelled(pairing, number, path, source)
                continue
            held = object_at(pairing, path, source)
            if "round" in held and round_at(held["round"], f"{path}.round", source) != number:
                raise BadInput(
                    f"{held['round']} stands in the list of round {number}",
                    source=source,
                    field=f"{path}.round",
                )
            pairings.append(_pairing(held, number, path, source))
    return pairings


def _flat(value: object, source: str) -> list[Pairing]:
    pairings = []
    for i, pairing in enumerate(list_at(value, "pairings", source)):
        path = f"pairings[{i}]"
        held = object_at(pairing, path, source)
        number = round_at(held.get("round"), f"{path}.round", source)
        pairings.append(_pairing(held, number, path, source))
    return pairings


def _pairing(held: Mapping[str, object], number: int, path: str, source: str) -> Pairing:
    return Pairing(
        number, *(id_at(held, kind, path, source) for kind in ("judge", "entry", "confederate"))
    )


def _spelled(text: str, number: int, field: str, source: str) -> list[Pairing]:
    if not re.sub(r"[\s,;]", "", text):
        return []
    try:
        return list(read_rounds(f"Round {number} {' '.join(text.split())}").pairings)
    except BadInput as error:
        raise BadInput(error.problem, source=source, field=field) from None


def _matrix(rows: Mapping[str, object], source: str) -> Matrix:
    judges = [_id(judge, "matrix", source) for judge in rows]
    cells = {
        judge: {
            _id(entry, f"matrix.{judge}", source): None
            if name is None
            else _id(name, f"matrix.{judge}.{entry}", source)
            for entry, name in object_at(row, f"matrix.{judge}", source).items()
        }
        for judge, row in rows.items()
    }
    entries = list(dict.fromkeys(entry for row in cells.values() for entry in row))
    return Matrix.of(
        judges, entries, [[row.get(entry) for entry in entries] for row in cells.values()], source
    )
