"""CSV tables, each cell with the line it stands in."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.errors import BadInput
from scheduler.texts import id_problem, listed, near, plain, shown

DELIMITERS = ",;\t"
"""Comma, and what spreadsheets of other countries write in its place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Arguments:
        source: the file.
        line: the line in it, from 1.
        cells: the wanted columns, by name; without the spaces around them.
    """

    source: str
    line: int
    cells: dict[str, str]

    def error(self, column: str, problem: str) -> BadInput:
        """An error that names this row and the column.

        Arguments:
            column: the column.
            problem: what is wrong and what to do.

        Returns:
            The error, to be raised.
        """
        return BadInput(problem, source=self.source, line=self.line, field=column)

    def id(self, column: str) -> str:
        """The id in a column.

        Arguments:
            column: the column.

        Returns:
            The id.

        Raises:
            BadInput: the cell is empty or holds no id.
        """
        if problem := id_problem(self.cells[column]):
            raise self.error(column, problem)
        return self.cells[column]


def read_cells(text: str, source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV text that are not blank.

    Arguments:
        text: the text; the first row tells the delimiter.
        source: the name to use in messages.

    Returns:
        For each row its line, from 1, and its cells without the spaces around them.

    Raises:
        BadInput: the text is no CSV, or holds no row.
    """
    text = text.removeprefix("\ufeff")
    head = next((line for line in text.splitlines() if line.strip()), "")
    # The first one outside quotation marks: an id may hold any of the others.
    bare = re.sub(r'"[^"]*"', "", head)
    delimiter = next((c for c in bare if c in DELIMITERS), ",")
    # A tab is the delimiter here or a blank at the edge of a cell; strip() takes the latter.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise BadInput(
            f"is no CSV ({plain(str(error))}); check the quotation marks",
            source=source,
            line=max(1, reader.line_num),
        ) from None
    if not rows:
        raise BadInput("is empty", source=source)
    return rows


def read_table(
    text: str, columns: Sequence[str], source: str, optional: Sequence[str] = ()
) -> list[Row]:
    """The rows of a CSV table with a head.

    Columns may stand in any order and their names in capitals; other columns are left alone, as
    spreadsheets bring along notes.

    Arguments:
        text: the text.
        columns: the columns that are needed.
        source: the name to use in messages.
        optional: columns that may be missing; their cells are empty then.

    Returns:
        The rows below the head.

    Raises:
        BadInput: a column is missing or stands twice, or a row has more cells than the head.
    """
    (head_line, head), *body = read_cells(text, source)
    names = [name.casefold() for name in head]
    if missing := [column for column in columns if column not in names]:
        others = [name for name in names if name and name not in columns]
        guess = near(missing[0], others) if others else ""
        raise BadInput(
            f"the head lacks the column{'s' * (len(missing) > 1)} {listed(missing)}; "
            f"write {','.join(columns)}{guess if 'mean' in guess else ''}",
            source=source,
            line=head_line,
        )
    wanted = [*columns, *(column for column in optional if column in names)]
    if twice := next((column for column in wanted if names.count(column) > 1), ""):
        raise BadInput(f"the head has the column {twice} twice", source=source, line=head_line)
    where = {column: names.index(column) for column in wanted}
    rows = []
    for line, cells in body:
        if extra := [cell for cell in cells[len(head) :] if cell]:
            raise BadInput(
                f"{shown(extra[0])} is one cell more than the head has; check the commas",
                source=source,
                line=line,
            )
        padded = cells + [""] * (len(head) - len(cells))
        held = {column: padded[i] for column, i in where.items()}
        rows.append(Row(source, line, dict.fromkeys(optional, "") | held))
    return rows
