"""What a recovery tells: what was recovered, from where, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


class Part(NamedTuple):
    """Events that came from one place: the first and the last number."""

    place: str
    first: int
    last: int


@dataclass
class Recovered:
    """What was recovered.

    Attributes:
        out: the new contest's folder.
        events: how many events its record holds.
        head: the hash of the contest chain's last event; empty if there is none.
        finished: whether the contest was closed.
        parts: where the events came from, in their order.
        troubles: of each place that was looked at, what is wrong with it, in words, or nothing.
        sealed: how many things are sealed in it.
        salvaged: how many events stand in `salvaged.jsonl`.
        settings: where contest.toml came from; empty if it is missing.
        missing: what is missing or not known to be there, in words; nothing if all is there.
        notes: what else is to be known, in words.
    """

    out: Path
    events: int = 0
    head: str = ""
    finished: bool = False
    parts: list[Part] = field(default_factory=list)
    troubles: dict[str, str] = field(default_factory=dict)
    sealed: int = 0
    salvaged: int = 0
    settings: str = ""
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    def as_json(self) -> dict[str, Any]:
        """The document of `recover --json`."""
        return {
            "whole": self.whole,
            "out": str(self.out),
            "events": self.events,
            "head": self.head or None,
            "finished": self.finished,
            "parts": [part._asdict() for part in self.parts],
            "places": [
                {"place": name, "trouble": trouble or None}
                for name, trouble in self.troubles.items()
            ],
            "sealed": self.sealed,
            "salvaged": self.salvaged,
            "settings": self.settings or None,
            "missing": self.missing,
            "notes": self.notes,
        }
