"""A record as it may be published: what judges and confederates agreed to holds for all of it.

Whatever is shown or exported is made from what `Published` gives, so that nothing withheld can
get into a page by a way that nobody thought of. An event of which something may not be published is
*redacted*: its body holds what is left, `redacted` is true, `prev` and `hash` stay, so that the
chains still hold. The salt goes with what it protects. docs/reference/record.md has the rules.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from contest.errors import RecordTrouble
from contest.record import bodies, season
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.record.logs import EventLog, ListLog
from contest.state.consents import holds, public_name, withholds, withholds_talk
from contest.state.model import State, Talk
from contest.state.reducer import take

#: Who did it, in a redacted event of a talk that is left out: the author of a key is left out too.
ACTOR = "withheld"

Body: TypeAlias = dict[str, Any]

#: What stands for a path.
HIDDEN = "…"
#: A path as errors name it, in quotes or not; one that has blanks and no quotes is seen in parts.
_PATH = re.compile(r"""'[^'\n]*[/\\][^'\n]*'|"[^"\n]*[/\\][^"\n]*"|[^\s'"]*[/\\][^\s'"]*""")

#: What stays of a talk that is left out: who met whom, and that it was closed.
WHOLE = frozenset({bodies.TalkOpened.kind, bodies.TalkClosed.kind})


class Published:
    """A record as it may be published: an `EventLog` of as many events in the same order, each
    whole or redacted.

    Arguments:
        log: a record; events of it that were redacted before stay as they are.

    Raises:
        RecordTrouble: if it can't be known what may be published, for an event is not of its form;
            also later, of an event that is read.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._rules = _Rules()
        for event in log.events(keys=False):
            self._rules.take(event)

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
        """What may be published of an event of the same record; one of a talk's may have come
        later.

        Raises:
            RecordTrouble: if it is not of its form.
        """
        return event if event.redacted else self._rules.published(event)


def publishable(events: Iterable[Event]) -> list[Event]:
    """A record in memory as it may be published; see `Published`."""
    return list(Published(ListLog(events)).events())


@dataclass(frozen=True, slots=True)
class _Opened:
    event: Event
    body: bodies.TalkOpened


class _Rules:
    """What is left of each event, once all consents were taken."""

    def __init__(self) -> None:
        self._state = State()
        self._talks: dict[str, _Opened] = {}
        # Names that may have to be replaced: the seat, the name, whose turn it was there (None:
        # somebody who was to take the seat).
        self._names: list[tuple[str, str, int | None]] = []
        self._replaced: dict[int, int] = {}
        self._redact: Mapping[str, Callable[[Body], Body]] = {
            "contest-opened": self._contest_opened,
            "consent": self._consent,
            "entry-started": self._entry_started,
            "trouble": self._trouble,
            "left-overs": self._left_overs,
            "breach": self._breach,
            "wrong-codes": self._wrong_codes,
            "verdict": self._verdict,
            "round-paused": self._reason,
            "round-ended": self._reason,
            "scoring-closed": self._reason,
            "round-extended": self._reason,
            "round-again": self._reason,
            "rounds-stopped": self._reason,
            "voided": self._reason,
            "ballot-excluded": self._reason,
            "entry-restarted": self._reason,
            "ranking-closed": self._reason,
            "schedule-changed": self._reason,
            "order-dropped": self._reason,
            "declared-final": self._reason,
            "order-proposed": self._proposal,
        }

    def take(self, event: Event) -> None:
        """Takes what has to be known of all events before the first one is published."""
        match event.kind:
            case "contest-opened" | "consent" | "person-replaced" | "order-proposed":
                body = take(self._state, event)
                assert body is not None, "it is no event of a talk"
                self._take_names(event, body)
            case "talk-opened" if event.talk is not None:
                body = take(self._state, event)
                if isinstance(body, bodies.TalkOpened):
                    self._talks.setdefault(event.talk, _Opened(event, body))

    def _take_names(self, event: Event, body: AnyBody) -> None:
        match body:
            case bodies.ContestOpened():
                self._names += [(who, name, 0) for who, name in _names(body.settings).items()]
            case bodies.PersonReplaced():
                self._replaced[event.seq] = turn = len(self._state.persons[body.seat]) - 1
                if body.name.strip():
                    self._names.append((body.seat, body.name, turn))
            case bodies.OrderProposed(order={"name": str(name), "seat": str(seat)}):
                if name.strip():
                    self._names.append((seat, name, None))
            case _:
                pass

    def published(self, event: Event) -> Event:
        """What may be published of an event; of a season's, nothing."""
        if event.kind in season.KINDS:
            return replace(event, actor=ACTOR, body={}, redacted=True)
        if event.talk is not None:
            return self._of_talk(event, event.talk)
        redact = self._redact.get(event.kind)
        if event.seq in self._replaced:
            redact = functools.partial(self._person_replaced, self._replaced[event.seq])
        if redact is None:
            return event
        _read(event)
        left = redact(event.body)
        if left == event.body:
            return event
        return replace(event, body={k: v for k, v in left.items() if k != "salt"}, redacted=True)

    def _of_talk(self, event: Event, talk: str) -> Event:
        opened = self._talks.get(talk)
        if opened is None:
            # Whose it is can't be told; no record of ours has a talk without its opening.
            return replace(event, actor=ACTOR, body={}, redacted=True)
        if event.kind in WHOLE or not self._withholds(opened.body):
            return event
        # Not even the rhythm: it tells people from one another, and something of what they typed.
        return replace(
            event,
            at=opened.event.at,
            mono_ns=opened.event.mono_ns,
            actor=ACTOR,
            body={},
            redacted=True,
        )

    def _of(self, talk: bodies.TalkOpened) -> Talk:
        name = bodies.talk_id(talk.round, talk.attempt, talk.judge, talk.side)
        who = (talk.round, talk.attempt, talk.judge, talk.entity, talk.side)
        return self._state.talks.get(name) or Talk(name, *who)

    def _withholds(self, talk: bodies.TalkOpened) -> bool:
        return withholds_talk(self._state, self._of(talk))

    # The kinds

    def _contest_opened(self, body: Body) -> Body:
        settings = dict(body["settings"])
        for role in ("judge", "confederate"):
            tables = settings.get(role)
            if isinstance(tables, list):
                settings[role] = [self._person(table) for table in tables]
        entries = settings.get("entry")
        if isinstance(entries, list):
            settings["entry"] = [_without_place(table) for table in entries]
        record = settings.get("record")
        if isinstance(record, dict):
            # Where a database is, with its password, and where the copy, are nobody's business.
            places = {name: "" for name in ("database", "copy_to") if record.get(name)}
            settings["record"] = {**record, **places}
        return {**body, "settings": settings}

    def _person(self, table: Any) -> Any:
        if not isinstance(table, dict) or not isinstance(table.get("id"), str):
            return table
        name = table.get("name")
        public = public_name(self._state, table["id"], name if isinstance(name, str) else "", 0)
        return table if public == (name or "") else {**table, "name": public}

    def _consent(self, body: Body) -> Body:
        # Only the pseudonym that holds is public, and none of a person who withholds.
        given = bodies.ConsentGiven(body["seat"], body["publish"], body["version"])
        public = given.publish and holds(self._state, given)
        return body if public else _without(body, "pseudonym")

    @staticmethod
    def _entry_started(body: Body) -> Body:
        # Records of format 1 have no salt here, nor for troubles. What stands there is withheld all
        # the same: who would try it needs whole paths of another's machine.
        return {**body, "command": []}

    @staticmethod
    def _trouble(body: Body) -> Body:
        return {**body, "what": _PATH.sub(HIDDEN, body["what"])}

    def _person_replaced(self, turn: int, body: Body) -> Body:
        return self._reason(
            {**body, "name": public_name(self._state, body["seat"], body["name"], turn)}
        )

    def _proposal(self, body: Body) -> Body:
        order = body["order"]
        if (order.get("name"), order.get("name")) not in self._public_names():
            # Whoever was to take a seat and did not has agreed to nothing.
            order = _without(order, "name")
        return self._reason({**body, "order": order})

    def _left_overs(self, body: Body) -> Body:
        # Keys of a judge that the entry has not read stand among them.
        return {**body, "names": []} if self._met_in_secret(body["entry"]) else body

    def _breach(self, body: Body) -> Body:
        if not self._met_in_secret(body["entry"]):
            return body
        return {**body, "name": "", "detail": ""}

    @staticmethod
    def _wrong_codes(body: Body) -> Body:
        # It may be a judge who mistypes: whose machine it was is nobody's business outside.
        return {**body, "address": ""}

    def _met_in_secret(self, entry: str) -> bool:
        return any(
            opened.body.entity == entry and self._withholds(opened.body)
            for opened in self._talks.values()
        )

    def _verdict(self, body: Body) -> Body:
        place = (body["round"], body["attempt"], body["judge"])
        talks = [
            opened.body
            for opened in self._talks.values()
            if (opened.body.round, opened.body.attempt, opened.body.judge) == place
        ]
        turn = self._of(talks[0]).turns[0] if talks else None
        if withholds(self._state, body["judge"], turn):
            return _without(body, "reason", "confidence")
        # A reason may quote what was said.
        withheld = any(self._withholds(talk) for talk in talks)
        return _without(body, "reason") if withheld else body

    def _reason(self, body: Body) -> Body:
        given = reason = body.get("reason", "")
        for name, public in self._public_names():
            if public != name:
                # By a function: what stands in a name is no reference to a group.
                reason = re.sub(
                    rf"(?<!\w){re.escape(name)}(?!\w)", functools.partial(_instead, public), reason
                )
        return body if reason == given else {**body, "reason": reason}

    def _public_names(self) -> list[tuple[str, str]]:
        """Each name with what stands in its place in public."""
        sat = {name for _, name, turn in self._names if turn is not None}
        return [
            (name, who if turn is None else public_name(self._state, who, name, turn) or who)
            for who, name, turn in self._names
            if turn is not None or name not in sat
        ]


def _without_place(table: Any) -> Any:
    """An entry's settings without what starts it and where: paths of the machine that it runs on,
    and what else stands in a command."""
    if not isinstance(table, dict):
        return table
    return table | {name: "" for name in ("command", "directory") if table.get(name)}


def _names(settings: Mapping[str, Any]) -> dict[str, str]:
    """Id to name of the judges and confederates who have one."""
    return {
        table["id"]: table["name"]
        for role in ("judge", "confederate")
        for table in settings.get(role) or ()
        if isinstance(table, dict)
        and isinstance(table.get("id"), str)
        and isinstance(table.get("name"), str)
        and table["name"].strip()
    }


def _instead(text: str, _found: re.Match[str]) -> str:
    return text


def _without(body: Body, *names: str) -> Body:
    return {name: value for name, value in body.items() if name not in names}


def _read(event: Event) -> AnyBody:
    try:
        return bodies.from_json(event.kind, event.body)
    except ValueError as exc:
        raise RecordTrouble(
            f"event {event.seq} can't be used: {exc}; run `loebner verify` on this contest"
        ) from exc
