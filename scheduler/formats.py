"""Reads and writes schedules and matrices in the formats that organizers use.

It reads lines ``Round 1 J1E1C1 ...``, CSV ``round,judge,entry,confederate``, a CSV matrix
``,E1,E2,...``, JSON and TOML. The format is detected from the text; the file name only helps with
TOML and JSON. The module also contains the schedule of 2010, and the faulty ones that the rules of
2010 printed.
"""

import csv
import io
import re

from scheduler.documents import MAX_ROUND, Node, load_json, load_toml, read_cells, read_table
from scheduler.errors import BadInput, Refused
from scheduler.schedule import ROLES, Matrix, Pairing, Schedule, Trio
from scheduler.texts import Phrase, lines, shown

LIST_COLUMNS = ("round", *ROLES)
"""The columns of a schedule as CSV."""

_PAIRING = re.compile(r"(J[0-9]+)(E[0-9]+)(C[0-9]+)")
_PEOPLE = ("judges", "entries", "confederates")
_REMARKS = ("title", "name", "date", "comment", "seed")
# Keys that `schedule make --json` and `schedule check --json` write in addition to the rounds. They
# are ignored and computed again.
_PROOF = ("pairs", "optimal", "idle", "proof", "rooms", "valid", "schedulable", "reason")


def read_schedule(text: str, source: str = "schedule") -> Schedule | Matrix:
    """Reads a schedule or a matrix in any format.

    Arguments:
        source: the name to use in messages; its extension may reveal TOML or JSON.

    Raises:
        BadInput: the format is unknown, or the text has a fault; the message says where.
    """
    text = text.removeprefix("\ufeff")
    first = next((s for line in lines(text) if (s := line.strip()) and not s.startswith("#")), "")
    if not first:
        raise BadInput(Phrase("is empty"), source=source)
    ending = source.rpartition(".")[2].casefold()
    if ending == "json" or first[0] == "{":
        return _of_document(load_json(text, source), source)
    if ending == "toml" or re.match(r"[A-Za-z_]+\s*=", first):
        return _of_document(load_toml(text, source), source)
    if re.match(r"round\s*:?\s*[0-9]|J[0-9]+E[0-9]+C[0-9]+", first, re.IGNORECASE):
        return read_rounds(text, source)
    if re.search(r"[,;\t]", first):
        return _of_csv(text, source)
    no_schedule = (
        "{text} is not the beginning of a schedule; write lines such as Round 1 J1E1C1 J2E2C2, "
        "CSV, JSON or TOML"
    )
    raise BadInput(Phrase(no_schedule, text=shown(first)), source=source)


def read_rounds(text: str, source: str = "schedule") -> Schedule:
    """Reads lines such as ``Round 1 J1E1C1 J2E2C2``.

    A round may span several lines, as in the printed rules. Text after a ``#`` is a comment. A
    colon after the round's number, and commas or semicolons between pairings, are ignored.

    Raises:
        BadInput: a word is neither a round nor a pairing, or a round begins twice.
    """
    pairings: list[Pairing] = []
    begun: dict[int, int] = {}
    current = 0
    number_next = False
    at = Node(None, source)
    for line, words in enumerate(lines(text), 1):
        at = Node(None, source, line=line)
        for word in re.split(r"[\s,;]+", words.partition("#")[0].replace(":", " ")):
            if not word:
                continue
            if number_next:
                current = Node(word, source, "round", line).round()
                if current in begun:
                    again = (
                        "round {round} begins again (first in line {line}); give each its own "
                        "number"
                    )
                    raise at.error(Phrase(again, round=current, line=begun[current]))
                begun[current] = line
                number_next = False
            elif word.casefold() == "round":
                number_next = True
            elif not (match := _PAIRING.fullmatch(word)):
                no_pairing = "{text} is not a pairing; write it as in Round 1 J1E1C1 J2E2C2"
                raise at.error(Phrase(no_pairing, text=shown(word)))
            elif not current:
                before = "{text} comes before any round; begin with Round 1"
                raise at.error(Phrase(before, text=shown(word)))
            else:
                pairings.append(Pairing(current, *match.groups()))
    if number_next:
        raise at.error(Phrase("the last Round has no number"))
    return Schedule.of(pairings, source=source)


def pairing_of(node: Node, number: int | None = None) -> Pairing:
    """Reads a pairing.

    Arguments:
        node: an object, or a row of a table, with the keys :data:`LIST_COLUMNS`.
        number: the round, if known; the object may also contain a ``round``.

    Raises:
        BadInput: a key is missing, or the round or an id is invalid.
    """
    if number is None or "round" in node.fields():
        given = node.at("round")
        if given.round() != (number or given.round()):
            raise given.error(f"{given.value} is in the list of round {number}")
        number = given.round()
    return Pairing(number, *(node.at(kind).id() for kind in ROLES))


def _of_csv(text: str, source: str) -> Schedule | Matrix:
    head = [cell.casefold() for cell in read_cells(text, source)[0][1]]
    if head[0] == "" or (head[0] == "judge" and not set(head) & set(ROLES[1:])):
        return _matrix_of_csv(text, source)
    rows = read_table(text, LIST_COLUMNS, source)
    pairings = [pairing_of(Node(cells, source, line=line)) for line, cells in rows]
    return Schedule.of(pairings, source=source)


def _matrix_of_csv(text: str, source: str) -> Matrix:
    """Reads a matrix: columns are entries, rows are judges; an empty cell means that they don't
    meet."""
    (head_line, head), *body = read_cells(text, source)
    entries: list[str] = []
    judges: list[str] = []
    triples: list[Trio] = []

    def add(names: list[str], name: str, kind: str, line: int) -> None:
        at = Node(name, source, kind, line)
        if at.id() in names:
            raise at.error(f"{shown(name)} appears twice")
        names.append(name)

    for entry in head[1:]:
        add(entries, entry, "entry", head_line)
    for line, (judge, *cells) in body:
        add(judges, judge, "judge", line)
        if len(cells) != len(entries):
            raise Node(None, source, line=line).error(
                f"has {len(cells)} cells for {len(entries)} entries; check the commas"
            )
        triples += [
            (judge, entry, Node(cell, source, entry, line).id())
            for entry, cell in zip(entries, cells, strict=True)
            if cell
        ]
    return Matrix.of(triples, judges, entries, source)


def _of_document(document: object, source: str) -> Schedule:
    """Reads the schedule in a JSON or TOML document.

    Arguments:
        document: ``{"rounds": [[{"judge": ..., "entry": ..., "confederate": ...}, ...]]}``, where a
            round or a pairing may also be text such as ``"J1E1C1 J2E2C2"``. In addition ``judges``,
            ``entries`` and ``confederates`` may list everybody who takes part, playing or not.
    """
    told = ("rounds", *_PEOPLE)
    held = Node(document, source).table((*told, *_REMARKS, *_PROOF), told)
    pairings: list[Pairing] = []
    for number, play in enumerate(Node(document, source).at("rounds").items(), 1):
        if number > MAX_ROUND:
            raise play.error(f"there are more than {MAX_ROUND} rounds")
        for each in [play] if isinstance(play.value, str) else play.items():
            if not isinstance(each.value, str):
                pairings.append(pairing_of(each, number))
            elif words := each.value.replace(",", " ").replace(";", " ").split():
                try:
                    pairings += read_rounds(f"Round {number} {' '.join(words)}").pairings
                except BadInput as error:
                    raise each.error(error.problem) from None
    judges, entries, confederates = (
        [each.id() for each in held[kind].items()] if kind in held else [] for kind in _PEOPLE
    )
    return Schedule.of(
        pairings, judges=judges, entries=entries, confederates=confederates, source=source
    )


def write_rounds(schedule: Schedule) -> str:
    """Writes one line per round.

    Arguments:
        schedule: the schedule; its ids must have the form J1, E1 and C1.

    Returns:
        The lines, each ended by a line feed; :func:`read_schedule` returns the same pairings.

    Raises:
        Refused: an id has another form, so that ids written without spaces would be ambiguous.
    """
    written = []
    for number, pairings in enumerate(schedule.rounds, 1):
        for pairing in pairings:
            match = _PAIRING.fullmatch(pairing.label)
            if not match or match.groups() != pairing.names:
                raise Refused(
                    f"{shown(pairing.label)} can't be written as a line of text, which needs ids "
                    "such as J1, E1 and C1; write CSV or JSON"
                )
        if pairings:
            written.append(f"Round {number} {' '.join(p.label for p in pairings)}\n")
    return "".join(written)


def write_csv(schedule: Schedule) -> str:
    """Writes CSV with the columns :data:`LIST_COLUMNS`.

    Returns:
        The text, with line feeds as line ends; :func:`read_schedule` returns the same schedule.
    """
    rows = [LIST_COLUMNS, *([p.round, *p.names] for p in schedule.pairings)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def rounds_json(schedule: Schedule) -> list[list[dict[str, str]]]:
    """The rounds in the form of the JSON contract.

    Returns:
        For each round its pairings, with ``judge``, ``entry`` and ``confederate``.
    """
    return [
        [dict(zip(ROLES, pairing.names, strict=True)) for pairing in play]
        for play in schedule.rounds
    ]


PRINTED_LIST = """\
Round 1 J1E1C1
J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1
J1E3C2 J4E2C3 J3E1C4
Round 3 J3E3C1
J4E1C2 J2E4C3 J1E2C4
Round 4 J4E2C1
J3E4C2 J1E1C3 J2E3C4
"""
"""As printed: J1E1, J2E4, J3E3, J4E2 meet twice; J1E4, J2E1, J3E2, J4E3 never. Rounds 1 and 2 are
correct."""

PRINTED_MATRIX = """\
,E1,E2,E3,E4
J1,C1,C2,C3,C4
J2,C4,C1,C2,C3
J3,C3,C4,C1,C2
J4,C2,C3,C4,C1
"""
"""The cyclic Latin square of order 4, which has no transversal."""

COMPLETED_2010 = """\
Round 1 J1E1C1 J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1 J1E3C2 J4E2C3 J3E1C4
Round 3 J3E2C1 J4E1C2 J1E4C3 J2E3C4
Round 4 J4E3C1 J3E4C2 J2E1C3 J1E2C4
"""
"""Rounds 1 and 2 as printed, completed in the only possible way (except for the order of 3, 4)."""

_TEXTS = {
    "2010": COMPLETED_2010,
    "2010-published-list": PRINTED_LIST,
    "2010-published-matrix": PRINTED_MATRIX,
}

NAMES = tuple(_TEXTS)
"""The names for :func:`bundled`. Source: rules of 2010, section 3. The printed list and matrix are
as published; :func:`scheduler.check` names their faults."""


def bundled(name: str) -> Schedule | Matrix:
    """A schedule that comes with the package.

    Arguments:
        name: one of :data:`NAMES`; any other raises KeyError.
    """
    return read_schedule(_TEXTS[name], name)


def schedule_2010() -> Schedule:
    """The schedule of four rounds that the rules of 2010 intended; it covers 16 of 16 pairs of each
    kind."""
    return read_rounds(COMPLETED_2010, "2010")
