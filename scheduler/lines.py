"""Schedules as lines for people: ``Round 1 J1E1C1 J2E2C2 ...``, and the rules' dotted matrix."""

import re

from scheduler.errors import BadInput, Refused
from scheduler.schedule import MAX_ROUND, Matrix, Pairing, Schedule
from scheduler.texts import lines, shown

_PAIRING = re.compile(r"(J[0-9]+)(E[0-9]+)(C[0-9]+)")
_NUMBER = re.compile(r"[0-9]{1,9}")


def read_rounds(text: str, source: str = "schedule") -> Schedule:
    """Reads lines such as ``Round 1 J1E1C1 J2E2C2``.

    A round may go on over several lines, as the rules print it. What follows a ``#`` is a comment.
    A colon after the round's number and commas or semicolons between pairings do no harm.

    Arguments:
        text: the lines.
        source: the name to use in messages.

    Returns:
        The schedule.

    Raises:
        BadInput: a word is neither a round nor a pairing, or a round begins twice.
    """
    pairings: list[Pairing] = []
    begun: dict[int, int] = {}
    current = 0
    number_next = False
    last = 0
    for last, line in enumerate(lines(text), 1):
        for word in re.split(r"[\s,;]+", line.partition("#")[0].replace(":", " ")):
            if not word:
                continue
            if number_next:
                current = _round(word, source, last)
                if current in begun:
                    raise BadInput(
                        f"round {current} begins again (first in line {begun[current]}); "
                        "number the rounds",
                        source=source,
                        line=last,
                    )
                begun[current] = last
                number_next = False
            elif word.casefold() == "round":
                number_next = True
            elif not (match := _PAIRING.fullmatch(word)):
                raise BadInput(
                    f"{shown(word)} is no pairing; write such as Round 1 J1E1C1 J2E2C2",
                    source=source,
                    line=last,
                )
            elif not current:
                raise BadInput(
                    f"{shown(word)} stands before any round; begin with Round 1",
                    source=source,
                    line=last,
                )
            else:
                pairings.append(Pairing(current, *match.groups()))
    if number_next:
        raise BadInput("Round without a number at the end", source=source, line=last)
    return Schedule.of(pairings, source=source)


def _round(word: str, source: str, line: int) -> int:
    if not _NUMBER.fullmatch(word) or not 1 <= int(word) <= MAX_ROUND:
        raise BadInput(
            f"{shown(word)} is no round; rounds count from 1 to {MAX_ROUND}",
            source=source,
            line=line,
            field="round",
        )
    return int(word)


def write_rounds(schedule: Schedule) -> str:
    """Writes a line a round.

    Arguments:
        schedule: the schedule; its ids must be such as J1, E1 and C1.

    Returns:
        The lines, each ended by a line feed; :func:`read_rounds` gives the same pairings back.

    Raises:
        Refused: ids of another form, which could not be told apart when written without space.
    """
    written = []
    for number, pairings in enumerate(schedule.rounds, 1):
        for pairing in pairings:
            match = _PAIRING.fullmatch(pairing.label)
            if not match or match.groups() != (pairing.judge, pairing.entry, pairing.confederate):
                raise Refused(
                    f"{shown(pairing.label)} can't be read back from a line of text: it takes ids "
                    "such as J1, E1 and C1; write CSV or JSON"
                )
        if pairings:
            written.append(f"Round {number} {' '.join(p.label for p in pairings)}\n")
    return "".join(written)


def read_dotted(text: str, source: str = "matrix") -> Matrix:
    """Reads the matrix as the rules of 2010 print it, with dots between the cells.

    First the entries, then for each judge as many confederates; dots, dashes and line ends
    between them mean nothing.

    Arguments:
        text: the lines.
        source: the name to use in messages.

    Returns:
        The matrix.

    Raises:
        BadInput: a word is no id such as J1, E1 or C1, or a row has not a cell an entry.
    """
    entries: list[str] = []
    judges: list[str] = []
    rows: list[list[str]] = []
    began: list[int] = []
    for number, line in enumerate(lines(text), 1):
        for word in re.split(r"[\s.|]+", line.partition("#")[0]):
            if not word.strip("-"):
                continue
            if re.fullmatch(r"J[0-9]+", word):
                judges.append(word)
                rows.append([])
                began.append(number)
            elif re.fullmatch(r"E[0-9]+", word) and not judges:
                entries.append(word)
            elif re.fullmatch(r"C[0-9]+", word) and judges:
                rows[-1].append(word)
            else:
                raise BadInput(
                    f"{shown(word)} does not belong here; write the entries, then for each judge "
                    "the confederates",
                    source=source,
                    line=number,
                )
    for judge, row, line_number in zip(judges, rows, began, strict=True):
        if len(row) != len(entries):
            raise BadInput(
                f"{judge} has {len(row)} confederates for {len(entries)} entries",
                source=source,
                line=line_number,
            )
    return Matrix.of(judges, entries, rows, source)
