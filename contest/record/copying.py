"""The second copy of a record, kept on another disk while the contest goes on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

from contest.errors import RecordTrouble
from contest.record.events import Event
from contest.record.store import Record, sqlite_url

log = logging.getLogger(__name__)

#: Seconds before a copy that could not be written is tried again.
RETRY = 1.0
#: Events kept for a slow disk; if there are more, they are read from the record.
HANDED_OVER = 100_000
#: Seconds that the end waits for a copy: its disk may be gone.
LAST = 10.0


class Copy:
    """A second copy of a record, in a file on another disk, kept up while the contest goes on.

    It has all events and all that is sealed, so that a contest can be taken up from it. It trails
    the record by a moment: a thread of its own writes it, and however slow or full that other disk
    is, nobody waits for it. What it lacks it takes in when it is opened, and when it can be written
    again.

    Arguments:
        file: where; a SQLite database like the record, which its owner alone can read.
        record: what to copy.

    Raises:
        InUse: if another server keeps a copy there.
        RecordTrouble: if it can't be written, or holds another contest.
    """

    def __init__(self, file: Path, record: Record) -> None:
        self._source = record
        self._record = Record(sqlite_url(file), create=True)
        try:
            self._compare()
            self._catch_up()
            self._take_sealed()
        except BaseException:
            self._record.close()
            raise
        self._wake = threading.Condition()
        self._events: list[Event] = []
        self._behind = self._sealed = self._closing = False
        self._trouble = ""
        self._thread = threading.Thread(target=self._work, name="contest-copy", daemon=True)
        self._thread.start()
        record.on_seal.append(self._seal)

    def close(self) -> None:
        """Takes in what is left, and lets go of the file."""
        self._source.on_seal.remove(self._seal)
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join(LAST)
        if self._thread.is_alive():
            log.error("%s: the second copy's disk does not answer; it is behind", self._record.name)
            return
        self._record.close()

    def add(self, events: Sequence[Event]) -> None:
        """Hands over events that the record holds already.

        Raises:
            RecordTrouble: if the copy can't be written, and is behind.
        """
        with self._wake:
            if len(self._events) > HANDED_OVER:
                self._events = []
            self._events.extend(events)
            self._wake.notify()
            if self._trouble:
                raise RecordTrouble(self._trouble)

    def _seal(self) -> None:
        with self._wake:
            self._sealed = True
            self._wake.notify()

    def _work(self) -> None:
        last = False
        while not last:
            with self._wake:
                if self._behind:
                    self._wake.wait_for(lambda: self._closing, RETRY)
                else:
                    self._wake.wait_for(lambda: self._events or self._sealed or self._closing)
                # Nothing is added after the closing: these are the last ones then.
                last = self._closing
                events, sealed = self._events, self._sealed
                self._events, self._sealed = [], False
            trouble = self._write(events, self._behind, sealed)
            with self._wake:
                # What could not be written is in the record, where it is read the next time.
                self._behind, self._trouble = bool(trouble), trouble
        if self._trouble:
            log.error("the second copy of the record is behind: %s", self._trouble)

    def _write(self, events: list[Event], behind: bool, sealed: bool) -> str:
        """Writes what is new; says in words why it can't."""
        try:
            last = self._record.chains.last_seq
            if not behind and [event.seq for event in events] == [
                *range(last + 1, last + 1 + len(events))
            ]:
                self._record.take_over(events)
            else:
                self._catch_up()
            if sealed or behind:
                self._take_sealed()
        except RecordTrouble as exc:
            return str(exc)
        return ""

    def _compare(self) -> None:
        theirs = self._source.hashes()
        for mine in self._record.hashes():
            its = next(theirs, None)
            if its is None:
                raise RecordTrouble(
                    f"{self._record.name}: this copy holds more than {self._source.name}, which "
                    f"lacks what follows event {mine[0] - 1}; `loebner recover` saves it"
                )
            if its != mine:
                raise RecordTrouble(
                    f"{self._record.name}: this copy belongs to another contest; "
                    "name another file in [record] copy_to"
                )

    def _catch_up(self) -> None:
        self._record.take_over(list(self._source.events(after=self._record.chains.last_seq)))

    def _take_sealed(self) -> None:
        kept = self._record.unseal("")
        for name, value in self._source.unseal("").items():
            if kept.get(name) != value:
                self._record.seal(name, value)
