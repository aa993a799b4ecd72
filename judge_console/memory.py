"""Files that keep what a person has typed or chosen, so that a crash loses nothing.

The server has everything that it has confirmed. Everything else (keys on their way, an unsaved
verdict, an unfinished ranking) is kept in a folder of the seat: `keys.jsonl`
and `drafts.jsonl`, one line per item, written at once. A console that is started again at the same
seat continues from there. It skips lines that a crash has cut off.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from judge_console.model.seat import TalkKey
from lpp.private import open_private
from lpp.wire import Place

log = logging.getLogger(__name__)


def folder_of(parent: Path, code: str) -> Path:
    """The folder of a seat. Each seat has its own, and its name does not reveal the code.

    Arguments:
        parent: the folder with the folders of all seats.
        code: the seat's secret code.
    """
    return parent / hashlib.sha256(code.strip().upper().encode()).hexdigest()[:24]


class _JsonLines:
    """An append-only file of JSON lines. Only the first error is logged, and all are ignored: a
    full disk must not end a talk."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._fd: int | None = None
        self._torn = False
        self._failed = False

    def read(self) -> list[Any]:
        try:
            raw = self._file.read_bytes()
        except OSError:
            return []
        lines = []
        for line in raw.split(b"\n"):
            try:
                lines.append(json.loads(line))
            except (ValueError, RecursionError):
                continue  # cut off, or not written by us
        return lines

    def append(self, value: object) -> None:
        line = msgspec.json.encode(value) + b"\n"
        try:
            if self._fd is None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._fd = open_private(self._file, os.O_APPEND)
                self._torn = os.fstat(self._fd).st_size > 0
            # A line cut off by a crash or a full disk must not damage the next one.
            line = b"\n" * self._torn + line
            self._torn = True
            # One unbuffered write per line: it is complete even if the process is killed
            # afterwards.
            self._torn = os.write(self._fd, line) < len(line)
        except OSError as exc:
            if not self._failed:
                log.warning(
                    "%s: can't be written (%s); continuing without it", self._file, exc.strerror
                )
            self._failed = True

    def clear(self) -> None:
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)
                self._torn = False

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class KeyMemory:
    """Keeps the seat's own keys as they are pressed. Used by the connection's thread.

    Arguments:
        folder: the seat's folder; created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._lines = _JsonLines(folder / "keys.jsonl")

    def typed(self) -> dict[TalkKey, dict[int, str]]:
        """All keys on disk: for each talk, its keys by number."""
        talks: dict[TalkKey, dict[int, str]] = {}
        for line in self._lines.read():
            match line:
                case [str(contest), int(round_), int(attempt), str(place), int(n), str(key)] if (
                    place in get_args(Place)
                ):
                    talk = (contest, round_, attempt, cast(Place, place))
                    talks.setdefault(talk, {})[n] = key
        return talks

    def keep(self, talk: TalkKey, n: int, key: str) -> None:
        """Keeps a pressed key."""
        self._lines.append([*talk, n, key])

    def close(self) -> None:
        """Closes the file."""
        self._lines.close()


class Drafts:
    """Keeps choices and texts that the server has not saved yet. Used by the window's thread.

    Arguments:
        folder: the seat's folder; None keeps drafts only in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lines = None if folder is None else _JsonLines(folder / "drafts.jsonl")
        #: The current contest's id; drafts of other contests are not touched.
        self.contest = ""
        self._values: dict[tuple[str, str], Any] = {}
        for line in self._lines.read() if self._lines is not None else []:
            match line:
                case [str(contest), str(name), value]:
                    self._values[contest, name] = value

    def get(self, name: str) -> Any:
        """A draft, as plain JSON values; None if there is none.

        Arguments:
            name: the draft's name, such as `verdict/2/1`.
        """
        return self._values.get((self.contest, name))

    def put(self, name: str, value: Any) -> None:
        """Keeps a draft at once; None removes it."""
        if self._values.get((self.contest, name)) != value:
            self._values[self.contest, name] = value
            if self._lines is not None:
                self._lines.append([self.contest, name, value])
                if all(each is None for each in self._values.values()):
                    # A file that only grows would be large after many long comments.
                    self._lines.clear()

    def close(self) -> None:
        """Closes the file."""
        if self._lines is not None:
            self._lines.close()
