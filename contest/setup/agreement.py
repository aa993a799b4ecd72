"""The text that judges and confederates agree to, and the settings that concern the seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

from contest.setup.settings import PublicationTable, Settings
from lpp.wire import Paste

_FILE = resources.files("contest.setup") / "agreement.txt"
_TEXT = _FILE.read_text(encoding="utf-8").rstrip("\n")

_SILENCE = {
    "publish": "If you give no answer, what you type is published under your name.",
    "withhold": "If you give no answer, your name and what you type are withheld.",
}


def text_of(publication: PublicationTable) -> str:
    """The text that people are asked to agree to: the organizer's or, by default, ours, which
    explains what this program does."""
    return publication.text.strip() or _TEXT.format(silence=_SILENCE[publication.default])


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings that concern the seats.

    Attributes:
        names: id to name, of judges, entries and confederates; for an empty name, use the id.
        agreement: the text about what is recorded and published.
        paste: how pasted text is handled.
        ties: whether a ranking may have shared ranks.
        in_browser: the roles whose seats can be used in a browser.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    agreement: str = text_of(PublicationTable())
    paste: Paste = "refuse"
    ties: bool = True
    in_browser: tuple[str, ...] = ("judge",)

    @classmethod
    def of(cls, settings: Settings) -> Terms:
        """The terms of a contest."""
        return cls(
            {
                person.id: person.name
                for table in (settings.judge, settings.entry, settings.confederate)
                for person in table
            },
            text_of(settings.publication),
            settings.rules.paste,
            settings.rules.ties,
            settings.seats.in_browser,
        )

    def name(self, who: str) -> str:
        """The name in the settings, or the id."""
        return self.names.get(who) or who
