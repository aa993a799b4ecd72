"""Sheets as CSV, for markers who work in a spreadsheet: out without marks, in with them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from contest.errors import BadOrder, Surroundings
from contest.screening.marking.book import QUALITY
from contest.screening.marking.scale import Scale, written
from contest.screening.marking.sheets import Sheet
from contest.setup.folder import refuse_unless_empty
from scheduler.texts import shown

FIELDS = (
    *("item", "question", "told before", "key", "letter", "answer", "beside"),
    *("suggested", "why", "mark"),
)
#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

SHEET, WORDING = "sheet.csv", "scale.txt"


def write(sheets: Sequence[Sheet], scale: Scale, folder: Path) -> Path:
    """Writes sheets, and the wording of the scale beside them.

    Arguments:
        sheets: them.
        scale: of the marks.
        folder: where; it has to be empty, or is made.

    Returns:
        The CSV file, one for every marker to make a copy of.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if it can't be written.
    """
    refuse_unless_empty(folder)
    file = folder / SHEET
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The mark tells spreadsheets on Windows that this is UTF-8.
        file.write_text(text_of(sheets), encoding="utf-8-sig", newline="")
        (folder / WORDING).write_text(wording_of(sheets, scale), encoding="utf-8")
    except OSError as exc:
        raise Surroundings(f"{folder}: can't be written ({exc.strerror or exc})") from exc
    return file


def text_of(sheets: Sequence[Sheet]) -> str:
    """The sheets as CSV, the column `mark` empty."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(FIELDS)
    for sheet in sheets:
        for row in sheet.rows:
            suggested = "" if row.suggested is None else written(row.suggested)
            cells = (sheet.item, sheet.question, sheet.told, sheet.key, row.letter, row.answer)
            beside = "\n".join(row.beside)
            writer.writerow([*map(cell, (*cells, beside, suggested, row.why)), ""])
    return out.getvalue()


def wording_of(sheets: Sequence[Sheet], scale: Scale) -> str:
    """What the marks stand for, for whoever fills in the column `mark`."""
    quality = any(sheet.item == QUALITY for sheet in sheets)
    words = scale.quality if quality else scale.wording
    lines = [f"{written(mark)}  {what}" for mark, what in zip(scale.marks, words, strict=True)]
    return "\n".join(
        (
            "Fill in the column mark, for each answer one of:",
            "",
            *lines,
            "",
            "The column suggested is what the answer key says by itself, and no more: a person "
            "decides. Mark for yourself; do not ask whose answers they are.",
            "",
        )
    )


def cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def read(text: str, where: str) -> dict[str, dict[str, str]]:
    """The marks of a sheet that was filled in; rows without a mark are left out.

    Arguments:
        text: CSV, with commas or semicolons; of its columns item, letter and mark are looked at.
        where: what errors call it.

    Returns:
        Item to letter to mark, as written.

    Raises:
        BadOrder: if it is no such sheet, or an answer is in it twice.
    """
    text = text.removeprefix("\ufeff")
    delimiter = ";" if text.split("\n", 1)[0].count(";") > 2 else ","
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    try:
        return _marks(rows, where)
    except csv.Error as exc:
        raise BadOrder(f"{where}, line {rows.line_num}: this is no CSV ({exc})") from exc


def _marks(rows: csv.DictReader[str], where: str) -> dict[str, dict[str, str]]:
    missing = [name for name in ("item", "letter", "mark") if name not in (rows.fieldnames or ())]
    if missing:
        raise BadOrder(f"{where}: lacks the column {missing[0]}; fill in the sheet of --out")
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        item, letter, mark = (_text(row, name) for name in ("item", "letter", "mark"))
        if not mark:
            continue
        if letter in found.setdefault(item, {}):
            raise BadOrder(
                f"{where}, line {rows.line_num}: {shown(item)}, {shown(letter)} is marked twice"
            )
        found[item][letter] = mark
    return found


def _text(row: Mapping[str, str | None], name: str) -> str:
    return (row.get(name) or "").strip()
