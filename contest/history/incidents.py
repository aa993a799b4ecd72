"""The incidents of a contest, collected from its events."""

from __future__ import annotations

from msgspec.structs import replace

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.state.incidents import in_words
from contest.state.model import Incident


class Incidents:
    """The incidents of a contest, collected from its events.

    An entry that breaks one rule again and again is one incident for each of its talks: a program
    that types on after the end of a round breaks a rule with each key. The time after a talk
    belongs to that talk.

    Attributes:
        all: in the order of the record.
    """

    def __init__(self) -> None:
        self.all: list[Incident] = []
        self._talks: dict[str, str] = {}
        # By entry, rule and talk: where in the list the incident stands, and its first words.
        self._breaches: dict[tuple[str, str, str], tuple[int, str]] = {}

    def take(self, event: Event, body: AnyBody) -> Incident | None:
        """Takes the next event.

        Arguments:
            event: any event of a record.
            body: its body.

        Returns:
            The incident, if the event begins a new one.
        """
        if event.talk is not None:
            if isinstance(body, bodies.TalkOpened):
                self._talks[body.entity] = event.talk
            return None  # nothing in a talk is an incident
        told = in_words(event, body)
        if told is None:
            return None
        if isinstance(body, bodies.Breach):
            place = (body.entry, body.rule, self._talks.get(body.entry, ""))
            index, first = self._breaches.setdefault(place, (len(self.all), told[1]))
            if index < len(self.all):
                count = self.all[index].count + 1
                what = f"{first}, and {count - 1} more of this rule"
                self.all[index] = replace(self.all[index], count=count, what=what)
                return None
        self.all.append(Incident(event.seq, event.at, event.mono_ns, event.kind, *told))
        return self.all[-1]
