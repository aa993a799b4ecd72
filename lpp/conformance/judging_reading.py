"""Judgements on how the entry reads and removes the judge's keys (2.B), and on spelling (2.A.e)."""

from __future__ import annotations

import math

from lpp.conformance import texts
from lpp.conformance.log import (
    Ask,
    Event,
    Kind,
    Log,
    asks,
    earlier_lines,
    is_key_like,
    read_name,
    text_of,
)
from lpp.conformance.outcome import Finding
from lpp.keypress import printable

#: Seconds within which a key is removed, and the share of keys for which that must hold.
PROMPT, SHARE = 1.0, 0.95
#: A key that has stood so long before a living program was not read.
UNREAD = 2.0
#: Acts that type faster than a person: no measure of promptness.
_FAST = ("spelling", "backspace", "unknown", "burst", "keys", "long")


def echoes(log: Log) -> bool:
    """Whether the entry says back what it is told, by its answers to two lines."""
    near = [
        any(texts.nearness(ask.told, ask.text) >= texts.ECHO for ask in asks(log, act))
        for act in ("greet", "probe")
    ]
    return all(near)


def _reads(log: Log) -> dict[int, tuple[Event, float, float]]:
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


def removes(log: Log) -> Finding:
    """2.B/removes."""
    reads = list(_reads(log).values())
    unread = [pressed for pressed, took, stood in reads if took == math.inf and stood >= UNREAD]
    removed = sum(1 for _, took, _ in reads if took < math.inf)
    if unread:
        cause = "remove (rmdir) each .judge directory as soon as you have read it"
        if removed and unread[-1].number == max(p.number for p, _, _ in reads):
            cause = (
                f"it stopped reading at {printable(unread[0].name)}: did it hang, or lose the key?"
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
        for pressed, took, stood in _reads(log).values()
        if pressed.act not in _FAST
        and (took < math.inf or stood >= PROMPT)
        and first_sign.get(pressed.life, 0) < pressed.number
        and pressed.number <= last_sign.get(pressed.life, pressed.number)
    ]
    times = sorted(took for _, took in measured)
    if not times:
        return Finding(None, "no key stood long enough before a running program")
    within = sum(1 for took in times if took <= PROMPT)
    told = (
        f"{within} of {len(times)} within a second: half in {times[len(times) // 2] * 1000:.0f} "
        f"ms, 95 % in {times[max(0, math.ceil(len(times) * 0.95) - 1)] * 1000:.0f} ms, the "
        f"slowest in {times[-1] * 1000:.0f} ms"
    )
    if within >= SHARE * len(times):
        return Finding(True, told)
    late = [pressed.number for pressed, took in measured if took > PROMPT]
    return Finding(
        False,
        told,
        "look at the directory at least every 50 ms, take all that is there, and remove each "
        "directory before you think about the answer",
        tuple(late[:2]),
    )


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


def spelling(log: Log) -> Finding:
    """2.A.e/spelling."""
    if not echoes(log):
        return Finding(None, "it does not echo, so what it read can't be seen")
    return _exact(log, "spelling") or _not_played(log, "spelling")


def backspace(log: Log) -> Finding:
    """2.B/backspace."""
    if not echoes(log):
        return Finding(None, "it does not echo, so what it read can't be seen")
    found = _exact(log, "backspace") or _not_played(log, "backspace")
    if found.good is False and not found.cause.startswith("the program"):
        return Finding(
            False,
            found.observed,
            "BackSpace takes the last character of the unsent line away: apply it when you read, "
            "before the line is answered",
            found.evidence,
        )
    return found


def keys(log: Log) -> Finding:
    """2.B/keys."""
    died = _died(log, "keys", "unknown")
    if died is not None:
        return died
    changed = _exact(log, "unknown") if echoes(log) else None
    if changed is not None and changed.good is False:
        return Finding(
            False, changed.observed, _unknown_cause(log) or changed.cause, changed.evidence
        )
    asked = asks(log, "keys")
    if not asked:
        return _not_played(log, "keys")
    life = asked[-1].event.life
    ever = any(ask.answered for ask in asks(log))
    later = [
        a for a in asks(log) if a.event.life == life and a.event.number >= asked[0].event.number
    ]
    if ever and not any(ask.answered for ask in later) and any(ask.ended for ask in later):
        return Finding(
            False,
            "after all names, letters, digits and unknown names it answered nothing any more",
            "it hangs at a name that it does not know: ignore such names",
            (asked[0].event.number,),
        )
    told = "it went on after all names" if ever else "it went on running after all names"
    if changed is not None and changed.good:
        told += "; unknown names left the line unchanged"
    return Finding(True, told)


def burst(log: Log) -> Finding:
    """2.B/burst."""
    return _taken(
        log,
        "burst",
        "take all that a listing holds, in the order of the numbers; do not take one key a turn, "
        "and do not rely on an event for each",
    )


def slow(log: Log) -> Finding:
    """2.B/slow."""
    return _taken(
        log,
        "slow",
        "a pause of a second is no end of a line: wait for Return, or for some seconds of silence",
    )


def _taken(log: Log, act: str, cause: str) -> Finding:
    died = _died(log, act)
    if died is not None:
        return died
    asked = asks(log, act)
    if not asked:
        return _not_played(log, act)
    begun = log.acts(act)[-1]
    ask = next((a for a in asked if a.event.number > begun.number), asked[-1])
    reads = [
        read for number, read in _reads(log).items() if begun.number < number <= ask.event.number
    ]
    if not any(other.answered for other in asks(log)):
        unread = [p for p, took, stood in reads if took == math.inf and stood >= UNREAD]
        if unread:
            told = f"{len(unread)} of {len(reads)} keys were not removed"
            return Finding(False, told, cause, (unread[0].number,))
        return Finding(True, f"all {len(reads)} keys were removed; it never answers")
    if echoes(log) and _came_back(log, ask):
        return Finding(True, f"the line of {len(reads)} keys was answered")
    early = log.typed(begun.number, ask.event.number)
    if not ask.answered and early and not echoes(log):
        return Finding(True, f"{len(reads)} keys were read; it began to answer before Return")
    if not ask.answered:
        if not ask.ended:
            return _not_played(log, act)
        return Finding(False, "the line was not answered", cause, (ask.event.number,))
    if echoes(log):
        found = _compare(log, ask)
        causes = [part for part in (found.cause, cause) if part]
        return Finding(found.good, found.observed, "; ".join(causes), found.evidence)
    return Finding(True, f"the line of {len(reads)} keys was answered")


def _exact(log: Log, act: str) -> Finding | None:
    """Whether the line of an act came back as typed; None if it was not asked."""
    died = _died(log, act)
    if died is not None:
        return died
    asked = asks(log, act)
    if not asked:
        return None
    ask = asked[-1]
    if _came_back(log, ask):
        return Finding(True, "came back as typed")
    if not ask.answered:
        if not ask.ended:
            return None
        return Finding(False, f"{ask.told!r} was not answered", "", (ask.event.number,))
    return _compare(log, ask)


def _folds(log: Log) -> bool:
    """Whether the entry changes capitals everywhere."""
    probes = asks(log, "probe")
    return not any(texts.holds(a.text, a.told, False) for a in probes) and any(
        texts.holds(a.text, a.told, True) for a in probes
    )


def _came_back(log: Log, ask: Ask) -> bool:
    """Whether a line came back as typed, be it so late that the next had been told."""
    said = text_of(log.typed(ask.event.number, life=ask.event.life))
    return texts.holds(said, ask.told, _folds(log))


def _compare(log: Log, ask: Ask) -> Finding:
    """What is wrong with an echo that did not come back as typed."""
    fold = _folds(log)
    if ask.cut and texts.may_become(ask.text, ask.told, fold, _lead(log)):
        return Finding(
            None,
            "it was still typing its answer when we had to go on; what had come so far was as "
            f"typed: {ask.text.strip()[-40:]!r}",
        )
    own = texts.own_part(ask.told, ask.text, earlier_lines(log, ask.event))
    if not own and ask.text.strip():
        return Finding(
            None if ask.cut else False,
            f"{ask.told!r} was not answered; what came answers an earlier line: "
            f"{ask.text.strip()[:60]!r}",
            "",
            (ask.event.number,),
        )
    return Finding(
        False,
        f"{ask.told!r} came back as {own!r}",
        texts.spelling_cause(texts.so_far(ask.told, own) if ask.cut else ask.told, own),
        (ask.event.number, _departure(ask)),
    )


def _lead(log: Log) -> int:
    """How many characters an echo may have in front, such as `You said:`, by those that came."""
    leads = [
        ask.text.lstrip().casefold().find(ask.told.casefold())
        for ask in asks(log, "greet", "probe")
    ]
    longest = max(leads, default=0)
    return longest + 20 if longest > 0 else 0


def _departure(ask: Ask) -> int:
    """The number of the key at which an answer departs from the line."""
    pairs = zip(ask.told, ask.text.lstrip(), strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), 0)
    return ask.keys[min(same, len(ask.keys) - 1)].event.number


def _unknown_cause(log: Log) -> str:
    for ask in asks(log, "unknown"):
        for name in texts.UNKNOWN:
            if name.lower() in ask.text.lower():
                return (
                    f"the unknown name `{name}` was inserted as a word: ignore names that are "
                    "neither one character nor in the appendix"
                )
        added = "".join(instead for gone, instead in texts.differences(ask.told, ask.text.strip()))
        firsts = "".join(name[0] for name in texts.UNKNOWN)
        if added.lower() in (firsts.lower(), firsts.lower()[:2]):
            return (
                f"the first letter of the unknown name `{texts.UNKNOWN[0]}` was taken for a "
                "letter: ignore names that are neither one character nor in the appendix"
            )
    return ""


def _died(log: Log, *acts: str) -> Finding | None:
    for event in log.of(Kind.EXITED, where=lambda e: e.act in acts):
        before = [e for e in log.events[: event.number] if e.kind is Kind.GONE]
        last = f" after it had removed {printable(before[-1].name)}" if before else ""
        return Finding(
            False,
            f"the program ended by itself ({event.detail}){last}",
            "the program died of what it read: ignore what you do not know",
            (event.number,),
        )
    return None


def _not_played(log: Log, act: str) -> Finding:
    if log.acts(act) and log.of(Kind.EXITED, where=lambda e: e.act == act):
        return Finding(None, "the program ended by itself")
    return Finding(None, "it was not come to")
