"""The second copy of a record, kept on another disk while the contest goes on."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Sequence
from pathlib import Path

from contest.errors import RecordTrouble
from contest.record.events import Event
from contest.record.store import Record, sqlite_url

log = logging.getLogger(__name__)

#: Seconds before a copy that could not be written is tried again.
RETRY = 1.0
#: Groups of events kept for a slow disk; if there are more, they are read from the record.
HANDED_OVER = 1000
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

    Attributes:
        trouble: why it is behind, in words; empty while it is not.

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
        # Groups of events; an empty one to look at what is sealed, None to end.
        self._groups: queue.Queue[Sequence[Event] | None] = queue.Queue(HANDED_OVER)
        self.trouble = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="contest-copy", daemon=True)
        self._thread.start()
        record.on_seal.append(self._seal)

    def close(self) -> None:
        """Takes in what is left, and lets go of the file."""
        self._source.on_seal.remove(self._seal)
        self._closing.set()
        with contextlib.suppress(queue.Full):
            self._groups.put(None, timeout=LAST)
        self._thread.join(LAST)
        if self._thread.is_alive():
            log.error("%s: the second copy's disk does not answer; it is behind", self._record.name)
            return
        self._record.close()

    def add(self, events: Sequence[Event]) -> None:
        """Hands over events that the record holds already."""
        with contextlib.suppress(queue.Full):  # a slow disk takes these from the record
            self._groups.put_nowait(events)

    def _seal(self) -> None:
        self.add(())

    def _work(self) -> None:
        ends = False
        while not ends:
            events: Sequence[Event] | None = ()
            if self.trouble:
                ends = self._closing.wait(RETRY)
            else:
                events = self._groups.get()
                ends = events is None
            try:
                last = self._record.chains.last_seq
                if events and [e.seq for e in events] == [*range(last + 1, last + 1 + len(events))]:
                    self._record.take_over(events)
                else:
                    self._catch_up()
                    self._take_sealed()
            except RecordTrouble as exc:
                if not self.trouble:
                    log.error("the second copy of the record is behind: %s", exc)
                self.trouble = str(exc)
            else:
                self.trouble = ""

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
