"""What a rehearsal came to: the record is compared with everything that anybody saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from contest.record.logs import EventLog
from contest.rehearse.players import Entry, Screens, Sitter
from contest.results.contest import Contest
from contest.state.model import Attempt, Talk
from contest.verify.findings import Report as Verification
from lpp.keypress import Side
from lpp.names import shown_as
from lpp.wire import Author

#: Part of every report, because verdicts of scripts look like verdicts.
NO_RESULT = (
    "Judges and confederates were scripts: verdicts, table and places of this rehearsal mean "
    "nothing."
)
OVERCOME, BAD, LEFT_OUT = "overcome", "not overcome", "left out"
#: Seconds by which a round may be longer or shorter than it was set to be.
EXACT = 1.0


class Round(msgspec.Struct, frozen=True):
    """A round that was played, with times in seconds of the contest: when the interaction began,
    how long it was `set` to be (extensions included) and was `played`, the length of its pauses and
    of scoring; how many keys of `judges`, `confederates` and `entries` were shown; how many
    verdicts were `given`, `of` how many."""

    round: int
    attempt: int
    began: float
    interaction: dict[str, float]
    paused: float
    scoring: float
    keys: dict[str, int]
    verdicts: dict[str, int]


class Happened(msgspec.Struct, frozen=True):
    """A fault: its name, the round and the seconds played of it, whom it befell, what happened in
    words, and whether it was `OVERCOME`, `BAD` or `LEFT_OUT`."""

    fault: str
    round: int
    at: float
    who: str
    words: str
    came: str


class Check(msgspec.Struct, frozen=True):
    """One check: its identifier, whether all is right, and what was found."""

    id: str
    ok: bool
    words: str

    @classmethod
    def of(cls, id: str, wrong: Sequence[str], right: str) -> Check:
        """A check by what is wrong, of which the first three are named; `right` if nothing is."""
        return cls(id, not wrong, "; ".join(wrong[:3]) or right)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole rehearsal, as `rehearse --json` prints it.

    Attributes:
        ok: whether all checks are.
        contest, seed: what was rehearsed, and the seed.
        note: `NO_RESULT`.
        entries: entry id to the program that played it.
        rounds: the rounds that were played.
        faults: what happened.
        checks: what was checked afterwards.
        contest_seconds, real_seconds: seconds of the contest, and of this machine's time.
        events, head: of the record.
        folder: where it is kept; None if it was thrown away.
    """

    ok: bool
    contest: str
    seed: int
    note: str = NO_RESULT
    entries: dict[str, str]
    rounds: list[Round]
    faults: list[Happened]
    checks: list[Check]
    contest_seconds: float
    real_seconds: float
    events: int
    head: str
    folder: str | None

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        yield f"Rehearsal of {self.contest}, seed {self.seed}"
        yield f"{clock(self.contest_seconds)} of the contest in {self.real_seconds:.0f} s"
        yield from ("", *(f"  {entry}: {program}" for entry, program in self.entries.items()))
        yield from ("", "Rounds")
        for each in self.rounds:
            attempt = f", attempt {each.attempt}" if each.attempt > 1 else ""
            paused = f" and {each.paused:.0f} s of pause" if each.paused else ""
            keys = ", ".join(f"{who} {count:,}" for who, count in each.keys.items())
            yield (
                f"  {each.round}{attempt}: at {clock(each.began)}, "
                f"{clock(each.interaction['played'])} of interaction{paused}, "
                f"{clock(each.scoring)} of scoring; keys of {keys}; {each.verdicts['given']} of "
                f"{each.verdicts['of']} verdicts"
            )
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
        yield "All is right." if self.ok else "NOT all is right."


def clock(seconds: float) -> str:
    """Seconds as `H:MM:SS`, or `M:SS`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Facts:
    """What the record of a rehearsal says.

    Arguments:
        log: the record.
        entries: ids of the entries.

    Attributes:
        contest: what happened.
        keys: talk to author to the keys, each with whether it was shown.
        rounds: the rounds, in order.
    """

    def __init__(self, log: EventLog, entries: Collection[str]) -> None:
        self.contest = Contest.of(log)
        self.keys: dict[str, dict[Author, list[tuple[str, bool]]]] = {}
        for talk in self.contest.talks:
            keys = self.keys[talk.id] = {"judge": [], "entity": []}
            for each in self.contest.keys(talk.id):
                name = shown_as(each.key)
                shown = each.out_of_phase is None and name is not None
                keys[each.author].append((name or each.key, shown))
        self._left = [event.body for event in log.events(keys=False) if event.kind == "left-overs"]
        played = (each for each in self.contest.attempts if each.started_ns)
        self.rounds = [self._round(each, entries) for each in played]

    def shown(self, talk: Talk, author: Author) -> list[str]:
        """The keys of an author that were shown."""
        return [key for key, shown in self.keys[talk.id][author] if shown]

    def typed(self, entry: Entry) -> tuple[list[str], list[str]]:
        """The names of an entry's key presses: those that its program typed, without those that
        were found in its directory between talks; and those on record."""
        talks = [talk for talk in self.contest.talks if talk.entity == entry.id]
        recorded = [key.raw for t in talks for key in self.contest.keys(t.id) if key.raw]
        found = (each["names"] for each in self._left if each["entry"] == entry.id)
        left = {name for names in found for name in names} - set(recorded)
        typed = [name for _, name in entry.directory.pressed(Side.OTHER)]
        return [name for name in typed if name not in left], recorded

    def told(self, entry: Entry) -> Iterator[tuple[list[str], list[str]]]:
        """For each talk of an entry, the judge's keys: those made in its directory, and those on
        record."""
        made: dict[str, list[str]] = defaultdict(list)
        for mark, name in entry.directory.pressed(Side.JUDGE):
            made[mark].append(name.split(".")[1])
        for talk in self.contest.talks:
            if talk.entity == entry.id:
                yield made[f"{talk.round}.{talk.attempt}"], self.shown(talk, "judge")

    def _round(self, played: Attempt, entries: Collection[str]) -> Round:
        began, ended, closed = played.started_ns or 0, played.ended_ns or 0, played.closed_ns or 0
        paused = sum((to or ended) - since for since, to, *_ in played.pauses)
        this = played.number, played.attempt
        talks = [talk for talk in self.contest.talks if (talk.round, talk.attempt) == this]
        keys = {"judges": 0, "confederates": 0, "entries": 0}
        for talk in talks:
            keys["judges"] += len(self.shown(talk, "judge"))
            who = "entries" if talk.entity in entries else "confederates"
            keys[who] += len(self.shown(talk, "entity"))
        verdicts = (given.body for given in self.contest.verdicts)
        given = {each.judge for each in verdicts if (each.round, each.attempt) == this}
        return Round(
            *(*this, began / 1e9),
            {"set": float(played.seconds or 0), "played": (ended - began - paused) / 1e9},
            *(paused / 1e9, (closed - ended) / 1e9, keys),
            {"given": len(given), "of": len({talk.judge for talk in talks})},
        )


def checks(
    facts: Facts,
    verification: Verification,
    sitters: Mapping[str, Sitter],
    screens: Mapping[str, Screens],
    entries: Mapping[str, Entry],
    faults: Sequence[Happened],
) -> Iterator[Check]:
    """Compares what the record says with what everybody saw.

    Arguments:
        facts: what the record says.
        verification: of the record.
        sitters: by their seats.
        screens: seat to its screens at the end of each round.
        entries: by their ids.
        faults: what happened.
    """
    wrong = [str(fault) for check in verification.checks for fault in check.faults]
    words = f"all checks of `loebner verify`, over {verification.events:,} events"
    yield Check.of("record", wrong, words)

    talks = {
        (talk.round, talk.attempt, who, place): talk
        for talk in facts.contest.talks
        for who, place in ((talk.judge, talk.side), (talk.entity, "only"))
    }
    seen = {
        (number, attempt, seat, place): keys
        for seat, its in screens.items()
        for (number, attempt, place), keys in its.items()
    }
    # A talk is on the judge's screen and on the confederate's; a program has none.
    unseen = {at for at in talks if at[2] not in entries} - seen.keys()
    wrong = [f"the screen of {at[2]} in round {at[0]} was not seen" for at in unseen]
    wrong += [f"{at[2]}, round {at[0]}: no such talk is on record" for at in seen.keys() - talks]
    wrong += [
        f"{at[2]}, round {at[0]}, {at[3]}: {why}"
        for at, keys in seen.items()
        if at in talks
        and (why := differs(keys, sitters[at[2]].person.own, facts.keys[talks[at].id]))
    ]
    yield Check.of("screens", wrong, f"{len(seen)} screens hold what the record does, key by key")

    for entry in entries.values():
        typed, recorded = facts.typed(entry)
        wrong = (
            ["what it typed is not what is on record: " + why]
            if (why := _first(typed, recorded))
            else []
        )
        wrong += [
            f"of a judge's {len(shown)} keys, {len(made)} were made in its directory: {why}"
            for made, shown in facts.told(entry)
            if (why := _first(made, shown))
        ]
        lives = f", in {entry.lives} lives of the program" if entry.lives > 1 else ""
        words = (
            f"{len(entry.directory.pressed(Side.OTHER)):,} typed keys are on record once each, and "
            f"the judges' {len(entry.directory.pressed(Side.JUDGE)):,} were made once each{lives}"
        )
        yield Check.of(f"keys {entry.id}", wrong, words)

    wrong = [
        f"round {each.round} lasted {each.interaction['played']:.1f} s"
        for each in facts.rounds
        if abs(each.interaction["played"] - each.interaction["set"]) > EXACT
    ]
    yield Check.of("times", wrong, "each interaction had its whole time, pauses left out")
    wrong = [
        f"{each.verdicts['of'] - each.verdicts['given']} verdicts are missing in round {each.round}"
        for each in facts.rounds
        if each.verdicts["given"] < each.verdicts["of"]
    ]
    ranked = set(facts.contest.state.rankings)
    met = {talk.judge for talk in facts.contest.talks}
    wrong += [f"no ranking of {judge}" for judge in sorted(met - ranked)]
    yield Check.of("decisions", wrong, "every judge decided in every round, and ranked at the end")
    wrong = [f"{each.fault} was not overcome" for each in faults if each.came == BAD]
    overcome = sum(each.came == OVERCOME for each in faults)
    words = f"{overcome} happened, and all were overcome"
    if left_out := [each.fault for each in faults if each.came == LEFT_OUT]:
        words += f"; for {', '.join(left_out)} the moment never came"
    yield Check.of("faults", wrong, words)


def _first(one: Sequence[str], other: Sequence[str]) -> str:
    """Where two lists of keys differ first, in words; empty if they are the same."""
    pairs = enumerate(zip_longest(one, other, fillvalue="none"), 1)
    return next((f"key {n} is {a}, and not {b}" for n, (a, b) in pairs if a != b), "")


def differs(
    screen: Sequence[tuple[Author, str]],
    own: Author,
    recorded: Mapping[Author, Sequence[tuple[str, bool]]],
) -> str:
    """How a screen differs from the record of its talk; empty if it does not.

    Each author's keys are in their order. Those of the other side are exactly the ones that were
    shown; the own ones may include some that came too late to be shown to anybody else.

    Arguments:
        screen: (author, key name) in the order of the screen.
        own: which author sits there.
        recorded: each author's keys by the record, and whether each was shown.
    """
    for author, keys in recorded.items():
        here = [key for by, key in screen if by == author]
        shown = [key for key, was_shown in keys if was_shown]
        late = author == own and _within(shown, here) and _within(here, [key for key, _ in keys])
        if not late and (why := _first(here, shown)):
            return f"of the {author}, {why}"
    return ""


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether the keys of a part are in the whole, in their order."""
    left = iter(whole)
    return all(key in left for key in part)
