"""What judges and confederates agree to, and the terms of a contest that its seats need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.setup.settings import PublicationTable, Settings
from lpp.wire import Paste

_TEXT = """\
What is recorded. Every key that you press in a talk is recorded with its time, including \
corrections. A judge's verdicts, with confidence and reason, and final ranking are recorded too, \
in every version. The organizer keeps this record.

What is published. After the contest its results are published, with every talk key by key and \
the reasons of the verdicts, under your name as the organizer has it. If you choose a pseudonym, \
it replaces your name everywhere.

If you withhold. Neither your name nor anything you type is published: each of your talks is left \
out as a whole, with a note in its place. The reason of a verdict about such a talk is left out \
too, and so are the confidence and the reason of your own verdicts. \
What the judges decide still counts and is published; you appear by the id of your seat only. \
The chain that proves the record keeps a place for each key press of yours, without what \
it was.

You can answer, and change your answer, until the contest is closed; the last answer \
holds for all rounds. {silence}"""

_SILENCE = {
    "publish": "If you give no answer, what you type is published under your name.",
    "withhold": "If you give no answer, your name and what you type are withheld.",
}


def text_of(publication: PublicationTable) -> str:
    """What a person is asked to agree to: the organizer's text, or ours, which says what this
    program does."""
    return publication.text.strip() or _TEXT.format(silence=_SILENCE[publication.default])


@dataclass(frozen=True, slots=True)
class Terms:
    """What the settings say to the seats.

    Attributes:
        names: id to name, of judges, entries and confederates; an empty one stands for the id.
        agreement: what is recorded and published, in words.
        paste: what a pasted text becomes.
        ties: whether a ranking may have shared ranks.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    agreement: str = text_of(PublicationTable())
    paste: Paste = "refuse"
    ties: bool = True

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
        )

    def name(self, who: str) -> str:
        """The name that the settings have, or the id."""
        return self.names.get(who) or who
