"""The house: what all doors of a running contest open to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from contest.control.conductor import Conductor
from contest.control.controls import Controls
from contest.control.overview import Overview
from contest.doors.codes import CodeTable
from contest.doors.handshake import Porter
from contest.links.link import Link
from contest.links.remote import RemoteLink
from contest.record.journal import Journal
from contest.record.store import Record
from contest.setup.settings import Settings


@dataclass(frozen=True)
class House:
    """What the doors of a running contest open to.

    Attributes:
        folder: the contest's folder.
        settings: its settings.
        conductor: plays it; has `seats`, `hub`, `schedule`, `status()`.
        journal: the record; `watchers` hear each event when it is durable.
        record: the same for readers.
        links: entry id to its link.
        remote: of those, the ones that come by socket.
        link_codes: the codes of links.
        overview: what the organizer sees.
        controls: carries the organizer's orders out; None where nobody has the contest in hand.
        organizers: the codes of `organizer`, and of `witness` where two persons are required. Empty
            where nobody has the contest in hand.
        porter: what all doors have together. A door that takes codes asks `porter.gate`, which
            sees to it that nobody tries too many.
        fingerprint: of the server's certificate; empty where it speaks no TLS.
    """

    folder: Path
    settings: Settings
    conductor: Conductor
    journal: Journal
    record: Record
    links: Mapping[str, Link]
    remote: Mapping[str, RemoteLink]
    link_codes: CodeTable
    overview: Overview
    controls: Controls | None = None
    organizers: CodeTable = field(default_factory=lambda: CodeTable({}))
    porter: Porter = field(default_factory=Porter)
    fingerprint: str = ""
