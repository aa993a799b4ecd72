"""What judges and confederates agreed to, as a record says it: who withholds, and how each is
called in public.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest import bodies
from contest.bodies import AnyBody

#: What stands in the place of what is left out.
WITHHELD = "withheld at the wish of a participant"


class Consents:
    """Takes the events of a record; what it says holds as of the last one.

    Of a person who gave no answer the settings' `[publication] default` holds. Settings without
    that table are those of a version that played with scripted people only: it is published.
    """

    def __init__(self) -> None:
        self._publish = True
        self._entries: set[str] = set()
        self._given: dict[str, bodies.ConsentGiven] = {}

    def take(self, body: AnyBody) -> None:
        """Takes the body of the next event."""
        match body:
            case bodies.ContestOpened():
                self._open(body.settings)
            case bodies.ConsentGiven():
                before = self._given.get(body.seat)
                if before is None or body.version >= before.version:
                    self._given[body.seat] = body
            case _:
                pass

    def _open(self, settings: Mapping[str, Any]) -> None:
        publication = settings.get("publication")
        if isinstance(publication, dict):
            self._publish = publication.get("default") == "publish"
        entries = settings.get("entry")
        if isinstance(entries, list):
            self._entries = {str(each.get("id")) for each in entries if isinstance(each, dict)}

    def withholds(self, who: str) -> bool:
        """Whether nothing of this person may be published; programs are not asked."""
        if who in self._entries:
            return False
        given = self._given.get(who)
        return not (self._publish if given is None else given.publish)

    def withholds_talk(self, judge: str, entity: str) -> bool:
        """Whether a talk between these two is left out: if either withholds."""
        return self.withholds(judge) or self.withholds(entity)

    def name(self, who: str, name: str) -> str:
        """How a person is called in public.

        Arguments:
            who: the id.
            name: as the settings have it.

        Returns:
            The pseudonym if there is one, else the name; empty for one who withholds, whom the
            id alone stands for.
        """
        if self.withholds(who):
            return ""
        given = self._given.get(who)
        return name if given is None else given.pseudonym or name

    def last(self, who: str) -> bodies.ConsentGiven | None:
        """The answer that holds, or None."""
        return self._given.get(who)
