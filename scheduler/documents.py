"""Reads JSON, TOML and CSV value by value, with errors that name the place of each fault."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scheduler.errors import BadInput, place
from scheduler.texts import Phrase, did_you_mean, id_problem, listed, plain, shown

MAX_ROUND = 1000
"""The highest round number; a higher one is a mistake, and a list of rounds must fit in memory."""


def load_json(text: str, source: str) -> object:
    """Loads a JSON document.

    Returns:
        The document; numbers with a point or an exponent remain text, so that they can be read
        exactly.

    Raises:
        BadInput: it is not JSON, is nested too deeply, or contains a key twice.
    """

    def no_constant(name: str) -> object:
        raise BadInput(f"{name} is not a number in JSON", source=source)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        held: dict[str, object] = {}
        for key, value in pairs:
            if key in held:
                raise BadInput(f"the key {shown(key)} appears twice in an object", source=source)
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
            f"is not JSON ({error.msg}, column {error.colno})", source=source, line=error.lineno
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not usable JSON ({_reason(error)})", source=source) from None


def load_toml(text: str, source: str) -> object:
    """Loads a TOML document as a dictionary; see :func:`load_json`."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not TOML ({_reason(error)})", source=source) from None


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else plain(str(error))


def read_cells(text: str, source: str) -> list[tuple[int, list[str]]]:
    """Reads the non-blank rows of a CSV text.

    Arguments:
        text: the text. The first row determines the delimiter: a comma, or a semicolon or tab,
            which spreadsheets in some countries write instead.

    Returns:
        For each row its line number, from 1, and its cells without surrounding spaces.

    Raises:
        BadInput: the text is not CSV, or has no rows.
    """
    text = text.removeprefix("\ufeff")
    head = next((line for line in text.splitlines() if line.strip()), "")
    # The first one outside quotation marks: ids may contain the other characters.
    bare = re.sub(r'"[^"]*"', "", head)
    delimiter = next((c for c in bare if c in ",;\t"), ",")
    # A tab is either the delimiter or white space around a cell, which strip() removes.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise BadInput(
            f"is not CSV ({plain(str(error))}); check the quotation marks",
            source=source,
            line=max(1, reader.line_num),
        ) from None
    if not rows:
        raise BadInput("is empty", source=source)
    return rows


def read_table(
    text: str, columns: Sequence[str], source: str, optional: Sequence[str] = ()
) -> list[tuple[int, dict[str, str]]]:
    """Reads a CSV table with a header.

    Columns may be in any order, and the case of their names is ignored. Other columns are ignored,
    too, because spreadsheets may contain notes.

    Arguments:
        columns: the required columns.
        optional: columns that may be missing; their cells are then empty.

    Returns:
        For each row below the header its line number and the cells of these columns by name.

    Raises:
        BadInput: a column is missing or appears twice, or a row has more cells than the header.
    """
    (head_line, head), *body = read_cells(text, source)
    names = [name.casefold() for name in head]
    if missing := [column for column in columns if column not in names]:
        raise BadInput(
            f"the header lacks the column{'s' * (len(missing) > 1)} {listed(missing)}; "
            f"write {','.join(columns)}",
            source=source,
            line=head_line,
        )
    wanted = [*columns, *(column for column in optional if column in names)]
    if twice := next((column for column in wanted if names.count(column) > 1), ""):
        raise BadInput(f"the header has the column {twice} twice", source=source, line=head_line)
    rows = []
    for line, cells in body:
        if extra := [cell for cell in cells[len(head) :] if cell]:
            raise BadInput(
                f"{shown(extra[0])} is in a column without a header; check the commas",
                source=source,
                line=line,
            )
        held = dict(zip(names, cells + [""] * len(head), strict=False))
        rows.append((line, {name: held.get(name, "") for name in (*columns, *optional)}))
    return rows


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document. All methods raise :class:`BadInput` with its place if it is
    unsuitable.

    Arguments:
        value: the value.
        source: the name of the document in messages.
        path: where the value is in the document, such as ``rounds[0][1].judge``.
        line: the line of the document, from 1, if known.
    """

    value: object
    source: str = ""
    path: str = ""
    line: int | None = None

    @property
    def where(self) -> str:
        """The place in words."""
        return place(self.source, self.line, self.path)

    def error(self, problem: str) -> BadInput:
        """Returns an error that names this place, for the caller to raise."""
        return BadInput(problem, source=self.source, line=self.line, field=self.path)

    def items(self) -> list["Node"]:
        """The values of a list."""
        if not isinstance(self.value, list):
            raise self.error(f"{shown(self.value)} is not a list")
        return [
            replace(self, value=each, path=f"{self.path}[{i}]") for i, each in enumerate(self.value)
        ]

    def fields(self) -> dict[str, "Node"]:
        """The values of an object by their keys."""
        if not isinstance(self.value, dict):
            raise self.error(f"{shown(self.value)} is not an object")
        return {key: self._field(key, value) for key, value in self.value.items()}

    def _field(self, key: str, value: object) -> "Node":
        return replace(self, value=value, path=f"{self.path}.{key}" if self.path else key)

    def table(self, known: Iterable[str], named: Iterable[str] = ()) -> Mapping[str, "Node"]:
        """The values of an object that may have only these keys.

        Arguments:
            known: the allowed keys.
            named: the allowed keys that a message names; by default all.
        """
        keys, held = tuple(known), self.fields()
        if unknown := next((key for key in held if key not in keys), None):
            guess = did_you_mean(unknown, keys)
            hint = guess if "mean" in guess else f"; known: {listed(named or keys)}"
            raise self.error(f"the key {shown(unknown)} is unknown{hint}")
        return held

    def at(self, key: str) -> "Node":
        """The value of a required key of an object."""
        held = self.fields()
        if key not in held:
            raise self._field(key, None).error("is missing")
        return held[key]

    def id(self) -> str:
        """An id without surrounding spaces."""
        name = self.value.strip() if isinstance(self.value, str) else self.value
        if problem := id_problem(name):
            raise self.error(problem)
        assert isinstance(name, str)
        return name

    def whole(self, least: int, most: int) -> int:
        """A whole number in a range."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.error(f"{shown(value)} is not a whole number from {least} to {most}")
        return value

    def round(self) -> int:
        """The number of a round, which may be given as text (as in a cell of a table)."""
        value = self.value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_ROUND:
            no_round = "{text} is not a round; rounds count from 1 to {most}"
            raise self.error(Phrase(no_round, text=shown(self.value), most=MAX_ROUND))
        return value
