"""Schedules and matrices, read from any of the forms that organizers write, and written again.

Forms read: lines ``Round 1 J1E1C1 ...``, CSV ``round,judge,entry,confederate``, a CSV matrix
``,E1,E2,...``, the dotted matrix of the rules, JSON and TOML. The text itself tells which it is;
the name of the file only helps with TOML and JSON.
"""

import csv
import io
import json
import re
from collections.abc import Sequence

from scheduler.documents import load_json, load_toml, schedule_of
from scheduler.errors import BadInput
from scheduler.lines import read_dotted, read_rounds
from scheduler.schedule import MAX_ROUND, Matrix, Pairing, Schedule
from scheduler.tables import Row, read_cells, read_table
from scheduler.texts import id_problem, lines, shown

LIST_COLUMNS = ("round", "judge", "entry", "confederate")
"""The columns of a schedule as CSV."""


def read_schedule(text: str, source: str = "schedule") -> Schedule | Matrix:
    """Reads a schedule or a matrix in any form.

    Arguments:
        text: the whole text.
        source: the name to use in messages; its ending decides between TOML and JSON.

    Returns:
        The schedule, or the matrix.

    Raises:
        BadInput: the text is of no known form, or has a fault; the message says where.
    """
    text = text.removeprefix("\ufeff")
    first = next((s for line in lines(text) if (s := line.strip()) and not s.startswith("#")), "")
    if not first:
        raise BadInput("is empty", source=source)
    ending = source.rpartition(".")[2].casefold()
    if ending == "json" or first[0] == "{":
        return schedule_of(load_json(text, source), source)
    if ending == "toml" or re.match(r"\[{1,2}\s*[A-Za-z]|[A-Za-z_]+\s*=", first):
        return schedule_of(load_toml(text, source), source)
    if first[0] == "[":
        return schedule_of(load_json(text, source), source)
    if re.match(r"round\s*:?\s*[0-9]|J[0-9]+E[0-9]+C[0-9]+", first, re.IGNORECASE):
        return read_rounds(text, source)
    if re.search(r"[,;\t]", first):
        return _csv(text, source)
    if re.match(r"[.\s]*E[0-9]+\b", first):
        return read_dotted(text, source)
    raise BadInput(
        f"{shown(first)} begins no known form of schedule; write lines such as "
        "Round 1 J1E1C1 J2E2C2, CSV, JSON or TOML",
        source=source,
    )


def _csv(text: str, source: str) -> Schedule | Matrix:
    head = [cell.casefold() for cell in read_cells(text, source)[0][1]]
    if head[0] == "" or (head[0] == "judge" and not set(head) & set(LIST_COLUMNS[2:])):
        return read_matrix_csv(text, source)
    return read_list_csv(text, source)


def read_list_csv(text: str, source: str = "schedule") -> Schedule:
    """Reads CSV with the columns ``round,judge,entry,confederate``.

    Arguments:
        text: the whole text.
        source: the name to use in messages.

    Returns:
        The schedule.

    Raises:
        BadInput: with line and field of the fault.
    """
    return Schedule.of(
        (pairing_of(row) for row in read_table(text, LIST_COLUMNS, source)), source=source
    )


def pairing_of(row: Row) -> Pairing:
    """The pairing in a row of a table.

    Arguments:
        row: a row with the columns :data:`LIST_COLUMNS`.

    Returns:
        The pairing.

    Raises:
        BadInput: the round is no round, or an id is none.
    """
    number = row.cells["round"]
    if not re.fullmatch(r"[0-9]{1,9}", number) or not 1 <= int(number) <= MAX_ROUND:
        raise row.error("round", f"{shown(number)} is no round; rounds count from 1 to {MAX_ROUND}")
    return Pairing(int(number), row.id("judge"), row.id("entry"), row.id("confederate"))


def read_matrix_csv(text: str, source: str = "matrix") -> Matrix:
    """Reads CSV with entries as columns and judges as rows, first line ``,E1,E2,...``.

    Arguments:
        text: the whole text.
        source: the name to use in messages.

    Returns:
        The matrix; an empty cell means that the two do not meet.

    Raises:
        BadInput: with line and field of the fault.
    """
    (head_line, head), *body = read_cells(text, source)
    entries = head[1:]
    for entry in entries:
        if problem := id_problem(entry):
            raise BadInput(problem, source=source, line=head_line, field="entry")
    judges: list[str] = []
    rows: list[list[str | None]] = []
    for line, (judge, *cells) in body:
        if problem := id_problem(judge):
            raise BadInput(problem, source=source, line=line, field="judge")
        if judge in judges:
            raise BadInput(f"{shown(judge)} stands twice", source=source, line=line, field="judge")
        if len(cells) != len(entries):
            raise BadInput(
                f"has {len(cells)} cells for {len(entries)} entries; check the commas",
                source=source,
                line=line,
            )
        for entry, cell in zip(entries, cells, strict=True):
            if cell and (problem := id_problem(cell)):
                raise BadInput(problem, source=source, line=line, field=entry)
        judges.append(judge)
        rows.append([cell or None for cell in cells])
    return Matrix.of(judges, entries, rows, source)


def write_csv(schedule: Schedule | Matrix) -> str:
    """Writes CSV, as a list or as a matrix.

    Arguments:
        schedule: the schedule or the matrix.

    Returns:
        The text, lines ended by a line feed; :func:`read_schedule` gives the same back.
    """
    if isinstance(schedule, Matrix):
        rows: Sequence[Sequence[object]] = [
            ["", *schedule.entries],
            *(
                [judge, *(cell or "" for cell in cells)]
                for judge, cells in zip(schedule.judges, schedule.cells, strict=True)
            ),
        ]
    else:
        rows = [
            LIST_COLUMNS,
            *([p.round, p.judge, p.entry, p.confederate] for p in schedule.pairings),
        ]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def rounds_json(schedule: Schedule) -> list[list[dict[str, str]]]:
    """The rounds as the JSON contract has them.

    Arguments:
        schedule: the schedule.

    Returns:
        For each round its pairings, with ``judge``, ``entry`` and ``confederate``.
    """
    return [
        [{"judge": p.judge, "entry": p.entry, "confederate": p.confederate} for p in play]
        for play in schedule.rounds
    ]


def write_json(schedule: Schedule | Matrix) -> str:
    """Writes JSON.

    Arguments:
        schedule: the schedule or the matrix.

    Returns:
        The document; :func:`read_schedule` gives the same back. Who is there but does not play is
        named beside the rounds.
    """
    document: dict[str, object]
    if isinstance(schedule, Matrix):
        document = {
            "matrix": {
                judge: dict(zip(schedule.entries, cells, strict=True))
                for judge, cells in zip(schedule.judges, schedule.cells, strict=True)
            }
        }
    else:
        document = {"rounds": rounds_json(schedule)}
        if Schedule.of(schedule.pairings).roster != schedule.roster:
            roster = schedule.roster
            document |= {
                "judges": roster.judges,
                "entries": roster.entries,
                "confederates": roster.confederates,
            }
    return json.dumps(document, indent=2) + "\n"
