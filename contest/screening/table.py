"""A table of marks from elsewhere: CSV with `entity,published_total,q1,…`."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

from contest.errors import BadOrder
from contest.screening.ranking import Scored
from scheduler.texts import id_problem, shown

#: Entities and items at most.
ROWS, ITEMS = 1000, 1000

_MARK = re.compile(r"\d{1,6}(?:[.,]\d{1,6})?|\d{1,3}/[1-9]\d{0,2}")


def read(text: str, where: str) -> list[Scored]:
    """Reads a table.

    Arguments:
        text: CSV. The first column is the entity; `published_total` may be left out, or empty; all
            other columns are items. A mark is a number such as 1, 0.5 or 1/2.
        where: what errors call it.

    Raises:
        BadOrder: if it can't be used; says which line and column.
    """
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))
    except csv.Error as exc:
        raise BadOrder(f"{where}: this is no CSV ({exc})") from exc
    if not rows or [name.strip() for name in rows[0][:1]] != ["entity"]:
        raise BadOrder(f"{where}, line 1: the first line is entity,published_total,q1,q2 and so on")
    head = [name.strip() for name in rows[0]]
    items = [name for name in head[1:] if name != "published_total"]
    if not items or len(items) > ITEMS or len(rows) > ROWS + 1:
        raise BadOrder(f"{where}: give 1 to {ITEMS} items, and {ROWS} entities at most")
    for name in head:
        if head.count(name) > 1 or id_problem(name):
            raise BadOrder(f"{where}, line 1: the column {shown(name)} is there twice, or no name")
    found: dict[str, Scored] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        scored = _scored(head, row, f"{where}, line {number}")
        if scored.entry in found:
            raise BadOrder(f"{where}, line {number}: {shown(scored.entry)} is there twice")
        found[scored.entry] = scored
    if not found:
        raise BadOrder(f"{where}: no entity is in it")
    return list(found.values())


def _scored(head: list[str], row: list[str], where: str) -> Scored:
    if len(row) != len(head):
        raise BadOrder(f"{where}: {len(row)} cells, and the first line has {len(head)}")
    cells = dict(zip(head, (cell.strip() for cell in row), strict=True))
    entity = cells.pop("entity")
    if problem := id_problem(entity):
        raise BadOrder(f"{where}: the entity {problem}")
    published = cells.pop("published_total", "")
    return Scored(
        entity,
        {item: _number(cell, f"{where}, {item}") for item, cell in cells.items()},
        _number(published, f"{where}, published_total") if published else None,
    )


def _number(text: str, where: str) -> Fraction:
    if not text.isascii() or not _MARK.fullmatch(text):
        raise BadOrder(f"{where}: {shown(text)} is no mark; give a number such as 1 or 0.5")
    return Fraction(text.replace(",", "."))
