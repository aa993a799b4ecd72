"""What a console keeps on its own disk, so that nothing typed or chosen is lost by a crash.

The server holds everything that it has confirmed. What it may not have got yet -- own keys on their
way, a verdict that is chosen and not confirmed, a half-made ranking -- is here, in a folder of the
seat's own: `keys.jsonl` and `drafts.jsonl`, a line for each thing, written at once. A console that
is started again at the same seat goes on from there. Lines that were cut by a crash are skipped.
"""

from __future__ import annotations

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
    """The folder of a seat: no two seats have the same code, and the code can't be read from it.

    Arguments:
        parent: where the folders of all seats are.
        code: the seat's secret code.
    """
    return parent / hashlib.sha256(code.strip().upper().encode()).hexdigest()[:24]


class _Lines:
    """A file of JSON lines that is only ever appended to; trouble is said once, and then it is
    done without: a full disk must not end a talk."""

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
                continue  # one that was cut, or what is none of ours
        return lines

    def append(self, value: object) -> None:
        line = msgspec.json.encode(value) + b"\n"
        try:
            if self._fd is None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._fd = open_private(self._file, os.O_APPEND)
                self._torn = os.fstat(self._fd).st_size > 0
            # What was cut, by a crash or a full disk, must not swallow the next line.
            line = b"\n" * self._torn + line
            self._torn = True
            # One write a line, unbuffered: a killed process has written all of it.
            self._torn = os.write(self._fd, line) < len(line)
        except OSError as exc:
            if not self._failed:
                log.warning("%s: can't be written (%s); goes on without", self._file, exc.strerror)
            self._failed = True

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class KeyMemory:
    """Own keys, as they are pressed. Used by the thread of the connection.

    Arguments:
        folder: the seat's; it is made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._lines = _Lines(folder / "keys.jsonl")

    def typed(self) -> dict[TalkKey, dict[int, str]]:
        """All keys on disk: by talk, key by number."""
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
        """A key was pressed."""
        self._lines.append([*talk, n, key])

    def close(self) -> None:
        """Closes the file."""
        self._lines.close()


class Drafts:
    """What was chosen or written and is not saved by the server yet. Used by the window's thread.

    Arguments:
        folder: the seat's; None keeps drafts for as long as the window lives.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lines = None if folder is None else _Lines(folder / "drafts.jsonl")
        #: Which contest this is; drafts of others are left alone.
        self.contest = ""
        self._values: dict[tuple[str, str], Any] = {}
        for line in self._lines.read() if self._lines is not None else []:
            match line:
                case [str(contest), str(name), value]:
                    self._values[contest, name] = value

    def get(self, name: str) -> Any:
        """A draft, as plain JSON values; None if there is none.

        Arguments:
            name: whose, such as `verdict/2/1`.
        """
        return self._values.get((self.contest, name))

    def put(self, name: str, value: Any) -> None:
        """Keeps a draft at once; None says that it is done with."""
        if self._values.get((self.contest, name)) != value:
            self._values[self.contest, name] = value
            if self._lines is not None:
                self._lines.append([self.contest, name, value])

    def close(self) -> None:
        """Closes the file."""
        if self._lines is not None:
            self._lines.close()
