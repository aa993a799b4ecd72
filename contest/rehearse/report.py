"""The report of a rehearsal, which compares the record with what everybody saw."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from contest.record.bodies import Breach, LeftOvers
from contest.rehearse.players import RehearsedEntry, Screens, SeatedPerson
from contest.results.contest import Contest
from contest.state.model import Talk
from contest.verify.findings import Report as Verification
from lpp.keypress import Side
from lpp.names import shown_as
from lpp.wire import Author

#: Part of every report, because scripted verdicts look like real ones.
NO_RESULT = (
    "Judges and confederates were scripted: verdicts, table and places of this rehearsal mean "
    "nothing."
)
OVERCOME, BAD, LEFT_OUT = "overcome", "not overcome", "left out"
#: The mark of key presses made after the result was declared final: the record may be closed by
#: then.
OVER = "over"
#: Seconds by which a round may be longer or shorter than its setting.
TOLERANCE = 1.0


class FaultResult(msgspec.Struct, frozen=True):
    """A fault that happened: its name, the round, the seconds of the round played by then, the id
    it affected, what happened in words, and the outcome: `OVERCOME`, `BAD` or `LEFT_OUT`."""

    fault: str
    round: int
    at: float
    who: str
    words: str
    came: str


class RehearsalCheck(msgspec.Struct, frozen=True):
    """One check: its identifier, whether it passed, and the findings in words."""

    id: str
    ok: bool
    words: str

    @classmethod
    def of(cls, id: str, wrong: Sequence[str], right: str) -> RehearsalCheck:
        """Makes a check from its faults, quoting the first three; `right` if there are none."""
        return cls(id, not wrong, "; ".join(wrong[:3]) or right)


class RehearsalReport(msgspec.Struct, frozen=True, kw_only=True):
    """A whole rehearsal, as `rehearse --json` prints it.

    Attributes:
        ok: whether all checks passed.
        contest, seed: the contest's name, and the seed.
        note: `NO_RESULT`.
        entries: entry id to the program that played it.
        faults: the faults that happened.
        checks: the checks made afterwards.
        contest_seconds, real_seconds: the duration in contest time and in real time, in seconds.
        events, head: the record's number of events, and its head.
        folder: where the record is kept; None if it was deleted.
    """

    ok: bool
    contest: str
    seed: int
    note: str = NO_RESULT
    entries: dict[str, str]
    faults: list[FaultResult]
    checks: list[RehearsalCheck]
    contest_seconds: float
    real_seconds: float
    events: int
    head: str
    folder: str | None

    def lines(self) -> Iterator[str]:
        """The report as text for people."""
        yield f"Rehearsal of {self.contest}, seed {self.seed}"
        yield f"{clock(self.contest_seconds)} of the contest in {self.real_seconds:.0f} s"
        yield from ("", *(f"  {entry}: {program}" for entry, program in self.entries.items()))
        yield from ("", "Faults")
        for fault in self.faults:
            who = f", {fault.who}" if fault.who else ""
            came = fault.came.upper() if fault.came == BAD else fault.came
            yield f"  round {fault.round}, {clock(fault.at)}: {fault.fault}{who}: {came}"
            yield f"    {fault.words}"
        if not self.faults:
            yield "  none"
        yield from ("", "Checks")
        for check in self.checks:
            yield f"  {'green' if check.ok else 'RED  '}  {check.id:9} {check.words}"
        yield from ("", NO_RESULT)
        if self.folder:
            yield f"The record is in {self.folder}: {self.events:,} events, head {self.head}"
        yield "All checks passed." if self.ok else "Some checks FAILED."


def clock(seconds: float) -> str:
    """Seconds as `H:MM:SS`."""
    return str(dt.timedelta(seconds=round(seconds)))


def checks(
    contest: Contest,
    verification: Verification,
    people: Mapping[str, SeatedPerson],
    screens: Mapping[str, Screens],
    entries: Mapping[str, RehearsedEntry],
    faults: Sequence[FaultResult],
) -> Iterator[RehearsalCheck]:
    """Compares the record with what everybody saw.

    Arguments:
        contest: the contest according to the record.
        verification: the verification of the record.
        people: by their seats.
        screens: seat to its screens at the end of each round.
        entries: by their ids.
        faults: the faults that happened.
    """
    wrong = [str(fault) for check in verification.checks for fault in check.faults]
    words = f"all checks of `loebner verify`, over {verification.events:,} events"
    yield RehearsalCheck.of("record", wrong, words)

    talks = {
        (talk.round, talk.attempt, who, place): talk
        for talk in contest.talks
        for who, place in ((talk.judge, talk.side), (talk.entity, "only"))
    }
    seen = {
        (number, attempt, seat, place): keys
        for seat, its in screens.items()
        for (number, attempt, place), keys in its.items()
    }
    # A talk is on the judge's screen and on the confederate's; a program has no screen.
    unseen = {at for at in talks if at[2] not in entries} - seen.keys()
    wrong = [f"the screen of {at[2]} in round {at[0]} was not captured" for at in unseen]
    wrong += [f"{at[2]}, round {at[0]}: this talk is not on record" for at in seen.keys() - talks]
    for at, keys in seen.items():
        if at in talks:
            why = differs(keys, people[at[2]].person.author, _recorded(contest, talks[at]))
            wrong += [f"{at[2]}, round {at[0]}, {at[3]}: {why}"] * bool(why)
    yield RehearsalCheck.of("screens", wrong, f"{len(seen)} screens match the record, key by key")

    yield from (_keys(contest, entry) for entry in entries.values())

    played = [each for each in contest.attempts if each.started_ns is not None]
    wrong = []
    for each in played:
        began, ended = each.started_ns or 0, each.ended_ns or 0
        paused = sum((to or ended) - since for since, to, *_ in each.pauses)
        seconds = (ended - began - paused) / 1e9
        if abs(seconds - (each.seconds or 0)) > TOLERANCE:
            wrong.append(f"round {each.number} lasted {seconds:.1f} s")
    yield RehearsalCheck.of(
        "times", wrong, "each interaction had its full time, not counting pauses"
    )

    words = "every judge decided in every round, and ranked at the end"
    yield RehearsalCheck.of("decisions", contest.still_open(), words)

    wrong = [f"{each.fault} was not overcome" for each in faults if each.came == BAD]
    overcome = sum(each.came == OVERCOME for each in faults)
    words = f"{overcome} happened, and all were overcome"
    if left_out := [each.fault for each in faults if each.came == LEFT_OUT]:
        words += f"; {', '.join(left_out)} left out, because the round ended first"
    yield RehearsalCheck.of("faults", wrong, words)


def _recorded(contest: Contest, talk: Talk) -> dict[Author, list[tuple[str, bool]]]:
    """The keys of each author of a talk, and whether each was shown."""
    keys: dict[Author, list[tuple[str, bool]]] = {"judge": [], "entity": []}
    for each in contest.keys(talk.id):
        name = shown_as(each.key)
        keys[each.author].append((name or each.key, each.out_of_phase is None and name is not None))
    return keys


def _keys(contest: Contest, entry: RehearsedEntry) -> RehearsalCheck:
    """Compares what was made in an entry's directory with the record."""
    made = entry.directory.made
    talks = [talk for talk in contest.talks if talk.entity == entry.id]
    recorded = [key.raw for talk in talks for key in contest.keys(talk.id) if key.raw]
    known = {*recorded}
    # Key presses made between two talks, or found in the directory then, belong to no talk.
    left: set[str] = set()
    for event in contest.log.events(keys=False):
        if event.kind in (LeftOvers.kind, Breach.kind) and event.body["entry"] == entry.id:
            left |= {*event.body.get("names", [event.body.get("name")])}
    typed = [
        name
        for side, name, mark in made
        if side is Side.OTHER and (name in known or (name not in left and mark != OVER))
    ]
    wrong = []
    if why := _first(typed, recorded):
        wrong.append(f"its typed keys differ from the record: {why}")
    judges = 0
    for talk in talks:
        mark = f"{talk.round}.{talk.attempt}"
        here = [name.split(".")[1] for side, name, at in made if (side, at) == (Side.JUDGE, mark)]
        shown = [key for key, was_shown in _recorded(contest, talk)["judge"] if was_shown]
        judges += len(here)
        if why := _first(here, shown):
            wrong.append(
                f"of a judge's {len(shown)} keys, {len(here)} were made in its directory: {why}"
            )
    lives = f", over {entry.lives} runs of the program" if entry.lives > 1 else ""
    return RehearsalCheck.of(
        f"keys {entry.id}",
        wrong,
        f"each of its {len(typed):,} keys was recorded once, and each of the judges' {judges:,} "
        f"delivered once{lives}",
    )


def _first(one: Sequence[str], other: Sequence[str]) -> str:
    """The first difference between two lists of keys, in words; empty if they are the same."""
    pairs = enumerate(zip_longest(one, other, fillvalue="none"), 1)
    return next((f"key {n} is {a}, not {b}" for n, (a, b) in pairs if a != b), "")


def differs(
    screen: Sequence[tuple[Author, str]],
    own: Author,
    recorded: Mapping[Author, Sequence[tuple[str, bool]]],
) -> str:
    """How a screen differs from the record of its talk; empty if it does not.

    Each author's keys must be in order. The other person's keys must be exactly the shown ones; the
    person's own keys may include some that came too late to be shown to the other.

    Arguments:
        screen: (author, key name) in the order of the screen.
        own: the author who sits there.
        recorded: each author's keys according to the record, and whether each was shown.
    """
    for author, keys in recorded.items():
        here = [key for by, key in screen if by == author]
        shown = [key for key, was_shown in keys if was_shown]
        late = author == own and _within(shown, here) and _within(here, [key for key, _ in keys])
        if not late and (why := _first(here, shown)):
            return f"the {author}'s {why}"
    return ""


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether the keys of `part` are in `whole`, in the same order."""
    left = iter(whole)
    return all(key in left for key in part)
