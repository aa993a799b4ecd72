"""The publishable form of a record, according to what judges and confederates agreed to.

Pages and exports read events through `Published` only, so that nothing withheld can get into them
by accident. An event with parts that must not be published is *redacted*: its body holds the rest,
`redacted` is true, and `prev` and `hash` stay, so that the chains remain intact. The salt is
removed together with what it protects. docs/reference/record.md has the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from contest.errors import RecordTrouble
from contest.record import bodies, season
from contest.record.events import Event
from contest.record.reading import EventLog
from contest.state.consents import public_name, withholds, withholds_talk
from contest.state.model import State, desk
from contest.state.reducer import take

Body: TypeAlias = dict[str, Any]

#: The actor in a redacted event of a talk that is left out; even a key's author is withheld.
ACTOR = "withheld"
#: Replaces a path.
HIDDEN = "…"
#: A path in an error message, with or without quotes. A path with blanks needs quotes to be matched
#: as a whole; otherwise its parts are matched.
_PATH = re.compile(r"""'[^'\n]*[/\\][^'\n]*'|"[^"\n]*[/\\][^"\n]*"|[^\s'"]*[/\\][^\s'"]*""")
#: The events that remain of a talk that is left out: who met whom, and that it was closed.
_WHOLE = frozenset({bodies.TalkOpened.kind, bodies.TalkClosed.kind})
#: The kinds of events that decide names and consents.
_CONSENTS = frozenset({"contest-opened", "consent", "person-replaced", "order-proposed"})


class Published:
    """The publishable form of a record: an `EventLog` of the same events in the same order, each
    whole or redacted.

    Arguments:
        log: a record; events in it that are redacted already stay as they are.

    Raises:
        RecordTrouble: if an event that decides what may be published is malformed; also later,
            when a malformed event is read.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._state = State()
        self._opened: dict[str, Event] = {}
        # The event that replaced a person, to the new person's turn at the seat; and the persons
        # who were proposed for a seat: seat and name.
        self._turns: dict[int, int] = {}
        self._proposed: list[tuple[str, str]] = []
        self._rules: Mapping[str, Callable[[Event, Body], Body]] = {
            "contest-opened": self._contest_opened,
            "consent": self._consent,
            # Records of format 1 have no salt in these two. Withholding their paths is still safe:
            # to confirm a guess, one would have to guess whole paths of another machine.
            "entry-started": lambda _, body: {**body, "command": []},
            "trouble": lambda _, body: {**body, "what": _PATH.sub(HIDDEN, body["what"])},
            # They include the judge's keys that the entry did not read.
            "left-overs": lambda _, body: body | self._if_secret(body["entry"], names=[]),
            "breach": lambda _, body: body | self._if_secret(body["entry"], name="", detail=""),
            # A judge may have mistyped a code: the public need not know on which machine.
            "wrong-codes": lambda _, body: {**body, "address": ""},
            "verdict": self._verdict,
            "person-replaced": self._person_replaced,
            "order-proposed": self._order_proposed,
        }
        for event in log.events(keys=False):
            if event.kind not in _CONSENTS and not (event.kind == "talk-opened" and event.talk):
                continue
            match take(self._state, event):
                case bodies.TalkOpened():
                    self._opened.setdefault(str(event.talk), event)
                case bodies.PersonReplaced(seat=seat):
                    self._turns[event.seq] = len(self._state.persons[seat]) - 1
                case bodies.OrderProposed(order={"name": str(name), "seat": str(seat)}):
                    self._proposed.append((seat, name))
                case _:
                    pass
        talks = self._state.talks.values()
        # Decided once, because an export asks for each key.
        self._withheld = {talk.id for talk in talks if withholds_talk(self._state, talk)}

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        return map(self.event, self._log.events(talk, keys=keys))

    def count(self) -> int:
        """See `EventLog`."""
        return self._log.count()

    def last(self) -> Event | None:
        """See `EventLog`."""
        last = self._log.last()
        return None if last is None else self.event(last)

    def event(self, event: Event) -> Event:
        """The publishable form of an event of the same record. An event of a talk may be newer than
        this object.

        Raises:
            RecordTrouble: if it is malformed.
        """
        if event.redacted:
            return event
        if event.kind in season.KINDS:
            return replace(event, actor=ACTOR, body={}, redacted=True)
        if event.talk is not None:
            return self._of_talk(event, event.talk)
        rule = self._rules.get(event.kind)
        if rule is None and not ("reason" in event.body and event.kind in bodies.SALTED):
            return event
        try:
            bodies.from_json(event.kind, event.body)
        except ValueError as exc:
            raise RecordTrouble(
                f"event {event.seq} can't be used: {exc}; run `loebner verify` on this contest"
            ) from exc
        left = self._without_names(event.body) if rule is None else rule(event, event.body)
        if left == event.body:
            return event
        return replace(event, body={k: v for k, v in left.items() if k != "salt"}, redacted=True)

    # Talks

    def _of_talk(self, event: Event, name: str) -> Event:
        opened = self._opened.get(name)
        if opened is None:
            # Our records always have a talk's opening, which says whose talk it is.
            return replace(event, actor=ACTOR, body={}, redacted=True)
        if event.kind in _WHOLE or name not in self._withheld:
            return event
        # Withhold the rhythm too: it identifies people, and hints at what they typed.
        return replace(
            event,
            at=opened.at,
            mono_ns=opened.mono_ns,
            actor=ACTOR,
            body={},
            redacted=True,
        )

    def _if_secret(self, entry: str, **hidden: Any) -> Body:
        """The values that replace parts of a body if one of the entry's talks is left out."""
        secret = any(self._state.talks[name].entity == entry for name in self._withheld)
        return hidden if secret else {}

    def _verdict(self, _event: Event, body: Body) -> Body:
        place = desk(body["round"], body["attempt"], body["judge"])
        talks = [
            talk
            for talk in self._state.talks.values()
            if desk(talk.round, talk.attempt, talk.judge) == place
        ]
        turn = talks[0].turns[0] if talks else None
        if withholds(self._state, body["judge"], turn):
            return _without(body, "reason", "confidence")
        # A reason may quote what was said.
        withheld = any(talk.id in self._withheld for talk in talks)
        return _without(body, "reason") if withheld else body

    # People

    def _contest_opened(self, _event: Event, body: Body) -> Body:
        settings = dict(body["settings"])
        for role in ("judge", "confederate", "entry"):
            if isinstance(tables := settings.get(role), list):
                settings[role] = [self._named(t) if isinstance(t, dict) else t for t in tables]
        if isinstance(record := settings.get("record"), dict):
            # The database's address with its password, and the copy's path.
            settings["record"] = _blank(record, "database", "copy_to")
        return {**body, "settings": settings}

    def _named(self, table: Body) -> Body:
        # The command that starts an entry may hold paths and secrets of its machine.
        table = _blank(table, "command", "directory")
        who = table.get("id")
        if not isinstance(who, str) or who in self._state.entries:
            return table
        public = public_name(self._state, who, 0)
        return table if public == (table.get("name") or "") else {**table, "name": public}

    def _consent(self, _event: Event, body: Body) -> Body:
        # Only the latest pseudonym is public, and only if the person withholds nothing.
        answers = [each.consent for each in self._state.persons.get(body["seat"], ())]
        holds = any(each is not None and each.body.version == body["version"] for each in answers)
        return body if body["publish"] and holds else _without(body, "pseudonym")

    def _person_replaced(self, event: Event, body: Body) -> Body:
        public = public_name(self._state, body["seat"], self._turns[event.seq])
        return self._without_names({**body, "name": public})

    def _order_proposed(self, _event: Event, body: Body) -> Body:
        order = body["order"]
        name = order.get("name")
        if (name, name) not in self._public_names():
            # A person who was proposed for a seat and never took it has agreed to nothing.
            order = _without(order, "name")
        return self._without_names({**body, "order": order})

    def _without_names(self, body: Body) -> Body:
        """The same body, with only public names in its reason."""
        reason = body.get("reason", "")
        for name, public in self._public_names():
            # A backslash in a name must not become a reference to a group.
            public = public.replace("\\", r"\\")
            reason = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", public, reason)
        return body if reason == body.get("reason", "") else {**body, "reason": reason}

    def _public_names(self) -> list[tuple[str, str]]:
        """Each name with its public replacement."""
        sat = [
            (occupant.name, public_name(self._state, seat, turn) or seat)
            for seat, occupants in self._state.persons.items()
            for turn, occupant in enumerate(occupants)
        ]
        taken = {name for name, _ in sat}
        named = [(name, seat) for seat, name in self._proposed if name not in taken]
        return [each for each in sat + named if each[0].strip()]


def _blank(table: Body, *names: str) -> Body:
    """A table with these values emptied."""
    return table | {name: "" for name in names if table.get(name)}


def _without(body: Body, *names: str) -> Body:
    return {name: value for name, value in body.items() if name not in names}
