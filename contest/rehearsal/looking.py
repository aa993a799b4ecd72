"""What is looked at after a rehearsal: the record for itself, and against all that anybody saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from contest.record import bodies
from contest.record.bodies import from_json
from contest.record.events import Event
from contest.rehearsal.entry import Entry
from contest.rehearsal.play import Came, Rehearsal
from contest.rehearsal.report import Check, Delays, Round
from contest.verification.findings import Report as Verification
from lpp.keypress import Side, parse
from lpp.names import shown_as
from lpp.wire import Author, Place

_SECOND = 1_000_000_000
#: Seconds by which a round may be longer than it was set to be.
EXACT = 1.0


@dataclass
class _Talk:
    """A talk as the record has it: each author's keys, and whether each was shown."""

    opened: bodies.TalkOpened
    keys: dict[Author, list[tuple[str, bool]]] = field(
        default_factory=lambda: {"judge": [], "entity": []}
    )

    def shown(self, author: Author) -> list[str]:
        return [key for key, shown in self.keys[author] if shown]


@dataclass
class _Attempt:
    """An attempt at a round: when what happened, in nanoseconds of the contest's clock."""

    started: int = 0
    ended: int = 0
    closed: int = 0
    seconds: int = 0
    paused: int = 0
    pause_began: int | None = None
    verdicts: set[str] = field(default_factory=set)


class Facts:
    """What the record of a rehearsal says.

    Arguments:
        events: all of them.
        entries: ids of the entries.
    """

    def __init__(self, events: Sequence[Event], entries: Sequence[str]) -> None:
        self._entries = set(entries)
        self.talks: dict[str, _Talk] = {}
        self.attempts: dict[tuple[int, int], _Attempt] = defaultdict(_Attempt)
        self.ballots: set[str] = set()
        self.raw: dict[str, list[str]] = defaultdict(list)
        self.left: dict[str, set[str]] = defaultdict(set)
        self._received: dict[int, tuple[int, str]] = {}
        self._delays: dict[str, list[float]] = {"confederates": [], "entries": []}
        for event in events:
            self._take(event)

    def rounds(self) -> Iterator[Round]:
        """The rounds that were played."""
        for (number, attempt), each in sorted(self.attempts.items()):
            talks = [
                talk
                for talk in self.talks.values()
                if (talk.opened.round, talk.opened.attempt) == (number, attempt)
            ]
            programs = [talk for talk in talks if talk.opened.entity in self._entries]
            humans = [talk for talk in talks if talk.opened.entity not in self._entries]
            yield Round(
                *(number, attempt, each.started / _SECOND, float(each.seconds)),
                (each.ended - each.started - each.paused) / _SECOND,
                each.paused / _SECOND,
                (each.closed - each.ended) / _SECOND,
                (
                    sum(len(talk.shown("judge")) for talk in talks),
                    sum(len(talk.shown("entity")) for talk in humans),
                    sum(len(talk.shown("entity")) for talk in programs),
                ),
                (len(each.verdicts), len({talk.opened.judge for talk in talks})),
            )

    def delays(self) -> tuple[Delays, ...]:
        """How long the entities' keys took to the judges' screens."""
        return tuple(Delays.of(who, seconds) for who, seconds in self._delays.items())

    def _take(self, event: Event) -> None:
        body = from_json(event.kind, event.body)
        if event.talk is not None:
            self._take_talk(event.talk, event, body)
            return
        match body:
            case bodies.Breach():
                self.raw[body.entry].append(body.name)
            case bodies.LeftOvers():
                self.left[body.entry].update(body.names)
            case bodies.RankingGiven():
                self.ballots.add(body.judge)
            case bodies.VerdictGiven():
                self.attempts[body.round, body.attempt].verdicts.add(body.judge)
            case (
                bodies.RoundStarted()
                | bodies.RoundPaused()
                | bodies.RoundResumed()
                | bodies.RoundExtended()
                | bodies.RoundEnded()
                | bodies.RoundClosed()
            ):
                self._take_round(self.attempts[body.round, body.attempt], event.mono_ns, body)
            case _:
                pass

    @staticmethod
    def _take_round(attempt: _Attempt, now: int, body: object) -> None:
        match body:
            case bodies.RoundStarted():
                attempt.started, attempt.seconds = now, body.seconds
            case bodies.RoundExtended():
                attempt.seconds += body.seconds
            case bodies.RoundPaused():
                attempt.pause_began = now
            case bodies.RoundResumed() if attempt.pause_began is not None:
                attempt.paused += now - attempt.pause_began
                attempt.pause_began = None
            case bodies.RoundEnded():
                attempt.ended = now
            case bodies.RoundClosed():
                attempt.closed = now

    def _take_talk(self, name: str, event: Event, body: object) -> None:
        match body:
            case bodies.TalkOpened():
                self.talks[name] = _Talk(body)
            case bodies.Key():
                talk = self.talks[name]
                key = shown_as(body.key)
                shown = body.out_of_phase is None and key is not None
                talk.keys[body.author].append((key or body.key, shown))
                if body.raw is not None:
                    self.raw[talk.opened.entity].append(body.raw)
                if shown and body.author == "entity":
                    who = "entries" if talk.opened.entity in self._entries else "confederates"
                    self._received[event.seq] = event.mono_ns, who
            case bodies.Times():
                for seq, durable, seen in body.keys:
                    received = self._received.pop(seq or 0, None)
                    # Without the former, a server that took the contest up gives the latter late.
                    if received is not None and durable is not None and seen is not None:
                        self._delays[received[1]].append((seen - received[0]) / _SECOND)
            case _:
                pass


def look(
    rehearsal: Rehearsal, facts: Facts, verification: Verification, broken: str = ""
) -> tuple[Check, ...]:
    """All that is looked at.

    Arguments:
        rehearsal: as it was played.
        facts: what its record says.
        verification: of that record.
        broken: why it was not played to its end; empty if it was.
    """
    return (
        Check("end", not broken, broken or "the contest was played to its end"),
        _verified(verification),
        _screens(rehearsal, facts),
        *_directories(rehearsal.entries, facts),
        _lengths(facts),
        _decisions(rehearsal, facts),
        _faults(rehearsal),
    )


def _verified(report: Verification) -> Check:
    faults = [str(fault) for check in report.checks for fault in check.faults]
    if faults:
        return Check("record", False, f"`loebner verify` finds: {'; '.join(faults[:3])}")
    return Check("record", True, f"all checks of `loebner verify`, over {report.events:,} events")


def _screens(rehearsal: Rehearsal, facts: Facts) -> Check:
    wrong = []
    seen = 0
    for seat, screens in rehearsal.screens.items():
        own: Author = rehearsal.chairs[seat].person.own
        for (round_, attempt, place), keys in sorted(screens.items()):
            talk = _talk_of(facts, seat, own, round_, attempt, place)
            seen += 1
            if talk is None:
                wrong.append(f"{seat}, round {round_}, {place}: no such talk is on record")
            elif why := differs(keys, own, talk.keys):
                wrong.append(f"{seat}, round {round_}, {place}: {why}")
    expected = sum(3 * len(pairings) for pairings in rehearsal.schedule.rounds)
    if seen != expected:
        wrong.append(f"{seen} screens were looked at, and not {expected}")
    if wrong:
        return Check("screens", False, f"{len(wrong)} differ from the record: {wrong[0]}")
    return Check("screens", True, f"{seen} screens hold what the record does, key by key")


def _talk_of(
    facts: Facts, seat: str, own: Author, round_: int, attempt: int, place: Place
) -> _Talk | None:
    for talk in facts.talks.values():
        opened = talk.opened
        if (opened.round, opened.attempt) == (round_, attempt) and (
            (own == "judge" and (opened.judge, opened.side) == (seat, place))
            or (own == "entity" and opened.entity == seat)
        ):
            return talk
    return None


def differs(
    screen: Sequence[tuple[Author, str]],
    own: Author,
    recorded: Mapping[Author, Sequence[tuple[str, bool]]],
) -> str:
    """How a screen differs from the record of its talk; empty if it does not.

    Each author's keys stand in their order. Those of the other side are the ones that were shown;
    among the own ones may be some that came too late to be shown to anybody else.

    Arguments:
        screen: (author, key name) as they stand.
        own: who sits there.
        recorded: each author's keys by the record, and whether each was shown.
    """
    for author, keys in recorded.items():
        here = [key for by, key in screen if by == author]
        # How many of the keys on the screen the recorded ones so far can be; where an own key that
        # was shown to nobody is like the next one, it is either.
        can_be = {0}
        for n, (key, shown) in enumerate(keys, 1):
            before = can_be
            can_be = {at + 1 for at in before if at < len(here) and here[at] == key}
            if not shown:
                can_be = before if author != own else can_be | before
            if not can_be:
                at = max(before)
                found = repr(here[at]) if at < len(here) else "nothing"
                return f"key {n} of the {author} is {key!r} by the record, and {found} here"
        if len(here) not in can_be:
            at = max(can_be)
            return f"{len(here) - at} keys of the {author} are not on record, as {here[at]!r}"
    return ""


def _directories(entries: Mapping[str, Entry], facts: Facts) -> Iterator[Check]:
    for entry in entries.values():
        why = _typed(entry, facts) or _told(entry, facts)
        if why:
            yield Check(f"keys {entry.id}", False, why)
        else:
            lives = f", in {entry.lives} lives of the program" if entry.lives > 1 else ""
            told = len(entry.directory.made) - len(entry.typed)
            yield Check(
                f"keys {entry.id}",
                True,
                f"{len(entry.typed):,} typed keys are on record once each, and the judges' "
                f"{told:,} were made once each{lives}",
            )


def _typed(entry: Entry, facts: Facts) -> str:
    """Whether each key that the program typed is on record, once."""
    recorded = facts.raw[entry.id]
    lost = set(entry.typed) - set(recorded) - facts.left[entry.id]
    strange = set(recorded) - set(entry.typed)
    if lost:
        return f"{len(lost)} keys that it typed are not on record, as {min(lost)}"
    if strange:
        return f"{len(strange)} keys are on record that it did not type, as {min(strange)}"
    if len(recorded) > len(set(recorded)):
        return f"{len(recorded) - len(set(recorded))} of its keys are on record twice"
    order = {name: place for place, name in enumerate(entry.typed)}
    places = [order[name] for name in recorded]
    return "" if places == sorted(places) else "its keys are on record in another order"


def _told(entry: Entry, facts: Facts) -> str:
    """Whether each key of the judges was made in its directory, once and in order."""
    made: dict[str, list[str]] = defaultdict(list)
    for mark, name in entry.directory.made:
        parsed = parse(name)
        if parsed is not None and parsed[0].side is Side.JUDGE:
            made[mark].append(parsed[0].key)
    for talk in facts.talks.values():
        if talk.opened.entity != entry.id:
            continue
        mark = f"{talk.opened.round}.{talk.opened.attempt}"
        shown = talk.shown("judge")
        if made[mark] != shown:
            return (
                f"in round {talk.opened.round} the judge typed {len(shown)} keys, and "
                f"{len(made[mark])} were made in its directory, or others"
            )
    return ""


def _lengths(facts: Facts) -> Check:
    wrong = [
        f"round {each.round} lasted {each.played:.1f} s of {each.set:.0f}"
        for each in facts.rounds()
        if abs(each.played - each.set) > EXACT
    ]
    if wrong:
        return Check("times", False, "; ".join(wrong))
    return Check("times", True, "each interaction had its whole time, pauses left out")


def _decisions(rehearsal: Rehearsal, facts: Facts) -> Check:
    missing = [
        f"{each.verdicts[1] - each.verdicts[0]} in round {each.round}"
        for each in facts.rounds()
        if each.verdicts[0] < each.verdicts[1]
    ]
    judges = {pairing.judge for round_ in rehearsal.schedule.rounds for pairing in round_}
    if missing:
        return Check("decisions", False, f"verdicts are missing: {', '.join(missing)}")
    if lacking := sorted(judges - facts.ballots):
        return Check("decisions", False, f"no ranking of {', '.join(lacking)}")
    return Check("decisions", True, "every judge decided in every round, and ranked at the end")


def _faults(rehearsal: Rehearsal) -> Check:
    came: dict[Came, list[str]] = {came: [] for came in Came}
    for each in rehearsal.happened:
        came[each.came].append(each.fault.id)
    if came[Came.BAD]:
        return Check("faults", False, f"not overcome: {', '.join(came[Came.BAD])}")
    words = f"{len(came[Came.OVERCOME])} happened, and all were overcome"
    if came[Came.LEFT_OUT]:
        words += f"; for {', '.join(came[Came.LEFT_OUT])} the moment never came"
    return Check("faults", True, words)
