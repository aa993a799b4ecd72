"""Judgements on how the entry removes the judge's keys as it reads them (2.B)."""

from __future__ import annotations

import math

from lpp.conformance.log import Event, Kind, Log, asks, is_in_rules, is_key_like, read_name, text_of
from lpp.conformance.outcome import Finding
from lpp.keypress import printable

#: Seconds within which a key is removed, and the share of keys for which that must hold.
PROMPT, SHARE = 1.0, 0.95
#: A key that has stood so long before a living program was not read.
UNREAD = 2.0
#: Fewer keys than this that came while the entry typed say nothing.
FEW = 5
#: Acts that type faster than a person, or while the entry types: no measure of promptness.
_FAST = ("spelling", "backspace", "unknown", "burst", "keys", "long", "while-typing")


def reads_of(log: Log) -> dict[int, tuple[Event, float, float]]:
    """The judge's keys by their entries' numbers: the entry, seconds until the entry removed it
    (infinite if it did not), and seconds that it stood before a living program."""
    standing: dict[str, Event] = {}
    found: dict[int, tuple[Event, float, float]] = {}
    for event in log:
        if event.kind is Kind.PRESSED and event.act != "leftovers":
            standing[event.name] = event
        elif event.kind in (Kind.GONE, Kind.TAKEN) and event.name in standing:
            pressed = standing.pop(event.name)
            stood = event.at - pressed.at
            found[pressed.number] = (pressed, stood if event.kind is Kind.GONE else math.inf, stood)
        elif event.kind in (Kind.STOPPED, Kind.EXITED):
            for pressed in standing.values():
                found[pressed.number] = (pressed, math.inf, event.at - pressed.at)
            standing.clear()
    end = log.events[-1].at if log.events else 0.0
    for pressed in standing.values():
        found[pressed.number] = (pressed, math.inf, end - pressed.at)
    return dict(sorted(found.items()))


def removes_nothing(log: Log) -> bool:
    """Whether keys stood long enough before a living program, and none was ever removed."""
    reads = list(reads_of(log).values())
    return any(stood >= UNREAD for _, _, stood in reads) and all(
        took == math.inf for _, took, _ in reads
    )


def removes(log: Log) -> Finding:
    """2.B/removes."""
    # Other names are told by 2.B/unknown and 2.B/keys. A key that stood while the entry typed may
    # be read when it has ended: that is 2.B/while-typing.
    reads = [
        read
        for read in reads_of(log).values()
        if is_in_rules(read[0].name) and read[0].act != "while-typing"
    ]
    unread = [pressed for pressed, took, stood in reads if took == math.inf and stood >= UNREAD]
    removed = sum(1 for _, took, _ in reads if took < math.inf)
    if unread:
        cause = "remove (rmdir) each .judge directory as soon as you have read it"
        if not removed:
            cause += "; does the program look into this directory at all?"
        elif unread[-1].number == max(p.number for p, _, _ in reads):
            cause = (
                f"it stopped reading at {printable(unread[0].name)}: did it hang, or lose the key?"
            )
            before = [e for e in log.of(Kind.PRESSED) if e.number < unread[0].number]
            if before and not is_in_rules(before[-1].name):
                cause += (
                    f" The key before it, {printable(before[-1].name)}, has a name that the rules "
                    "do not have: ignore such names, and read on"
                )
        return Finding(
            False,
            f"{len(unread)} of {len(reads)} still stood after {UNREAD:.0f} seconds and more, the "
            f"first {printable(unread[0].name)}",
            cause,
            (unread[0].number,),
        )
    if not removed:
        return Finding(None, "no key stood long enough before a running program")
    return Finding(True, f"all {removed} were removed")


def prompt(log: Log) -> Finding:
    """2.B/prompt."""
    # Keys that came while the program was loading say nothing of its speed, and those that came
    # when it had stopped reading are the case of 2.B/removes.
    first_sign: dict[int, int] = {}
    last_sign: dict[int, int] = {}
    numbers = {event.name: event.number for event in log.of(Kind.PRESSED)}
    for event in log.of(Kind.GONE):
        first_sign.setdefault(event.life, event.number)
        last_sign[event.life] = max(last_sign.get(event.life, 0), numbers.get(event.name, 0))
    measured = [
        (pressed, min(took, stood))
        for pressed, took, stood in reads_of(log).values()
        if pressed.act not in _FAST
        and is_in_rules(pressed.name)
        and (took < math.inf or stood >= PROMPT)
        and first_sign.get(pressed.life, 0) < pressed.number
        and pressed.number <= last_sign.get(pressed.life, pressed.number)
    ]
    times = sorted(took for _, took in measured)
    if not times:
        if first_sign:
            return Finding(None, "all keys came before it had read its first: it may have loaded")
        return Finding(None, "no key stood long enough before a running program")
    if removes_nothing(log):
        return Finding(
            False,
            f"none of {len(times)} was removed within a second, nor later",
            "see 2.B/removes",
            (measured[0][0].number,),
        )
    within = sum(1 for took in times if took <= PROMPT)
    told = (
        f"{within} of {len(times)} within a second: half in {times[len(times) // 2] * 1000:.0f} "
        f"ms, 95 % in {times[max(0, math.ceil(len(times) * 0.95) - 1)] * 1000:.0f} ms, the "
        f"slowest in {times[-1] * 1000:.0f} ms"
    )
    if within >= SHARE * len(times):
        return Finding(True, told)
    late, _ = next((pressed, took) for pressed, took in measured if took > PROMPT)
    gone = log.of(Kind.GONE, where=lambda e: e.name == late.name and e.number > late.number)
    return Finding(
        False,
        f"{told}; the first late one is {printable(late.name)}",
        "look at the directory at least every 50 ms, take all that is there, and remove each "
        "directory before you think about the answer",
        (late.number, *(event.number for event in gone[:1])),
    )


def while_typing(log: Log) -> Finding:
    """2.B/while-typing."""
    ended = died(log, "while-typing")
    if ended is not None:
        return ended
    asked = asks(log, "while-typing")
    if not asked:
        return Finding(None, "it was not come to")
    answer = asked[0].keys
    if not answer:
        return Finding(None, f"{asked[0].told!r} was not answered, so it was not seen to type")
    last = asked[1].event.number if len(asked) > 1 else len(log.events)
    measured = [
        (pressed, min(took, stood))
        for number, (pressed, took, stood) in reads_of(log).items()
        if answer[0].event.number < number <= last and (took < math.inf or stood >= PROMPT)
    ]
    during = [read for read in measured if read[0].number < answer[-1].event.number]
    took = answer[-1].event.at - answer[0].event.at
    if len(during) < FEW:
        if measured and all(seconds <= PROMPT for _, seconds in measured):
            return Finding(
                True,
                f"it typed for {took:.1f} s; all {len(measured)} keys from the answer's beginning "
                "on were removed within a second",
            )
        return Finding(None, f"it typed for {took:.1f} s only: too few keys came meanwhile")
    late = [pressed for pressed, seconds in during if seconds > PROMPT]
    times = sorted(seconds for _, seconds in during)
    told = (
        f"{len(during) - len(late)} of {len(during)} keys that came while it typed were removed "
        f"within a second: half in {times[len(times) // 2] * 1000:.0f} ms, the slowest in "
        f"{times[-1] * 1000:.0f} ms"
    )
    if len(late) <= (1 - SHARE) * len(during):
        return Finding(True, told)
    if prompt(log).good is not True:
        return Finding(None, f"{told}; but it is slow to remove at other times, too")
    return Finding(
        False,
        told,
        "it reads nothing while it types: wait for the moment of the next key in the loop that "
        "reads the directory (or type in a thread of its own), not by a sleep between two keys",
        (late[0].number,),
    )


def unknown(log: Log) -> Finding:
    """2.B/unknown."""
    told = []
    reads = reads_of(log)
    for event in log.of(Kind.ALONE):
        # It was pressed just before this was noted.
        _, took, stood = reads[event.number - 1]
        gone = "removed" if took < math.inf else f"left for {stood:.0f} s"
        watched = log.of(Kind.WATCHED, where=lambda e, since=event: e.number > since.number)  # type: ignore[misc]
        # What comes later, or to a line, is no answer to it.
        until = watched[0].number if watched else None
        keys = log.typed(event.number, until, event.life)
        said = f"answered with {text_of(keys).strip()[:60]!r}" if keys else "not answered"
        if any(e.kind is Kind.EXITED for e in log.events[event.number : until]):
            said = "and the program ended"
        told.append(f"{event.detail}: {gone}, {said}")
    if not told:
        return Finding(None, "not seen: no unknown name could be typed alone")
    return Finding(None, "; ".join(told))


def died(log: Log, *acts: str) -> Finding | None:
    """What is said of a program that ended by itself in one of these acts; None if none did."""
    for event in log.of(Kind.EXITED, where=lambda e: e.act in acts):
        before = [e for e in log.events[: event.number] if e.kind is Kind.GONE]
        last = f" after it had removed {printable(before[-1].name)}" if before else ""
        gone = {e.name for e in before}
        left = [
            e
            for e in log.of(Kind.PRESSED)
            if e.life == event.life and e.number < event.number and e.name not in gone
        ]
        following = f"; the next was {printable(left[0].name)}" if left else ""
        return Finding(
            False,
            f"the program ended by itself ({event.detail}){last}{following}",
            "the program died of what it read: ignore what you do not know (what it wrote itself "
            "stands at the report's end)",
            (event.number,),
        )
    return None


def only(log: Log) -> Finding:
    """2.B/only."""
    if not log.of(Kind.PRESSED):
        return Finding(None, "nothing was typed to the entry")
    wrong = []
    for event in log.of(Kind.GONE):
        parts = read_name(event.name)
        is_judges = parts is not None and parts[2].lower() == "judge"
        scratch = event.detail == "entry" and not is_key_like(event.name)
        if event.detail and not is_judges and not scratch:
            wrong.append(event)
    if not wrong:
        return Finding(True, f"{len(log.of(Kind.GONE))} removals, all of .judge directories")
    names = ", ".join(printable(event.name) for event in wrong[:3])
    own = wrong[0].detail == "entry"
    return Finding(
        False,
        f"{len(wrong)} other things were removed: {names}",
        "do not remove the .other directories that you make: the judge's program does, when it "
        "has read them"
        if own
        else "remove only names that end in .judge",
        tuple(event.number for event in wrong[:3]),
    )
