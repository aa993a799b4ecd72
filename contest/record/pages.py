"""A SQLite file read without SQLite: whatever rows its pages hold, however damaged it is.

SQLite gives nothing of a database whose first page is broken, and nothing behind a broken page of
a tree. Here each page is looked at for itself: those of the file, and those that its log (the file
`-wal`) has in their place. Where a page no longer says which rows it holds, every place of it is
tried. What comes out are candidates, some of them twice or wrong; whoever takes them checks them,
as events can be by their hashes.

The format is SQLite's own, described under "Database File Format" in its documentation.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from contest.record.wal import frames_of, page_size_of
from contest.record.wal import read as read_log

#: Values of a row's columns.
Values: TypeAlias = tuple[object, ...]

_LEAF = 0x0D
_KINDS = frozenset({0x02, 0x05, 0x0A, _LEAF})
#: Bytes before the first page's own header.
_FILE_HEADER = 100
_SIZES = frozenset(2**n for n in range(9, 17))
#: Bytes of a value that is no text, by its type: nothing, whole numbers, a fraction, 0 and 1.
_FIXED = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
_UNREADABLE = (IndexError, KeyError, ValueError, struct.error)


class Cell(NamedTuple):
    """A row as a page has it: its number, and the values of its columns."""

    rowid: int
    values: Values


def cells_in(file: Path, columns: Collection[int]) -> Iterator[Cell]:
    """All that looks like a row of some table, anywhere in a database's file and its log.

    Arguments:
        file: the database; nobody may be writing it.
        columns: how many a row has, of the tables that are looked for.

    Raises:
        OSError: if a file can't be read.
    """
    pages = _Pages(file)
    seen: set[tuple[int, bytes]] = set()
    for number, page in pages.images():
        if (number, page) not in seen:
            seen.add((number, page))
            yield from pages.cells(number, page, columns)


class _Pages:
    """The pages of a database, as they are by its log and as they were before."""

    def __init__(self, file: Path) -> None:
        data, log = file.read_bytes() if file.exists() else b"", read_log(file)
        size = _page_size(data, log)
        reserved = data[20] if len(data) > 20 and data[20] <= 64 else 0
        self._usable = size - reserved
        self._before = {
            n: data[at : at + size] for n, at in enumerate(range(0, len(data), size), 1)
        }
        self._frames = [(frame.page, frame.data) for frame in frames_of(log, size)]
        self._now = self._before | dict(self._frames)

    def images(self) -> Iterator[tuple[int, bytes]]:
        """Every page in every state that is there, the last state first; some of them twice."""
        yield from self._now.items()
        yield from self._before.items()
        yield from self._frames

    def cells(self, number: int, page: bytes, columns: Collection[int]) -> Iterator[Cell]:
        """The rows of a page that have so many columns."""
        head = _FILE_HEADER if number == 1 else 0
        kind = page[head] if len(page) > head else 0
        sound = kind in _KINDS
        if kind == _LEAF:
            count = int.from_bytes(page[head + 3 : head + 5])
            pointers = page[head + 8 : head + 8 + 2 * count]
            sound = len(pointers) == 2 * count
            for at in range(0, len(pointers) - 1, 2):
                # A row of whatever table: a page that holds such rows is as it should be.
                found = self._cell(page, int.from_bytes(pointers[at : at + 2]), ())
                sound = sound and bool(found)
                yield from (cell for cell in found if len(cell.values) in columns)
        if not sound:
            for at in range(len(page)):
                yield from self._cell(page, at, columns)

    def _cell(self, page: bytes, at: int, columns: Collection[int]) -> list[Cell]:
        """The row that begins at a place, by each way of getting what stands on further pages;
        nothing if none begins there, of so many columns if that is given."""
        found: list[Cell] = []
        try:
            length, at = _varint(page, at)
            rowid, at = _varint(page, at)
            local = self._local(length)
            start = page[at : at + local]
            if len(start) < local or not _fits(start, length, columns):
                return []
            if local == length:
                return [Cell(rowid, _values(start))]
            first = int.from_bytes(page[at + local : at + local + 4])
        except _UNREADABLE:
            return []
        for pages in (self._now, self._before):
            try:
                cell = Cell(rowid, _values(start + self._overflow(pages, first, length - local)))
            except _UNREADABLE:
                continue
            if cell not in found:
                found.append(cell)
        return found

    def _local(self, length: int) -> int:
        """How many bytes of a row stand on its own page."""
        most = self._usable - 35
        if length <= most:
            return length
        least = (self._usable - 12) * 32 // 255 - 23
        fitting = least + (length - least) % (self._usable - 4)
        return fitting if fitting <= most else least

    def _overflow(self, pages: dict[int, bytes], number: int, length: int) -> bytes:
        parts = []
        while length > 0:
            page = pages[number]
            part = page[4 : 4 + min(length, self._usable - 4)]
            if not part:
                raise ValueError("an empty page")
            parts.append(part)
            length -= len(part)
            number = int.from_bytes(page[:4])
        return b"".join(parts)


def _page_size(data: bytes, log: bytes) -> int:
    own = int.from_bytes(data[16:18])
    for size in (65536 if own == 1 else own, page_size_of(log)):
        if size in _SIZES:
            return size
    return 4096


def _fits(start: bytes, length: int, columns: Collection[int]) -> bool:
    """Whether what begins so can be a row: the lengths of its columns make up its own."""
    types, at = _types(start)
    if columns and len(types) not in columns:
        return False
    return at + sum(map(_size, types)) == length


def _values(row: bytes) -> Values:
    types, at = _types(row)
    values = []
    for kind in types:
        size = _size(kind)
        values.append(_value(kind, row[at : at + size]))
        at += size
    return tuple(values)


def _types(row: bytes) -> tuple[list[int], int]:
    """The types of a row's columns, and where their values begin."""
    end, at = _varint(row, 0)
    types = []
    while at < end:
        kind, at = _varint(row, at)
        if kind < 0 or kind in (10, 11):
            raise ValueError("this is no type")
        types.append(kind)
    if at != end:
        raise ValueError("the header is longer than it says")
    return types, at


def _size(kind: int) -> int:
    return _FIXED[kind] if kind in _FIXED else (kind - 12) // 2


def _value(kind: int, raw: bytes) -> object:
    if kind == 0:
        return None
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        return struct.unpack(">d", raw)[0]
    if kind < 7:
        return int.from_bytes(raw, signed=True)
    return raw.decode("utf-8", "surrogateescape") if kind % 2 else raw


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place after it."""
    number = 0
    for place in range(8):
        byte = data[at + place]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, at + place + 1
    number = number << 8 | data[at + 8]
    return number - (1 << 64) if number >= 1 << 63 else number, at + 9
