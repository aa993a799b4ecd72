"""Judgements on what the entry makes of the keys that it reads (2.B), and on spelling (2.A.e): by
the lines that it answers, and says back where it echoes."""

from __future__ import annotations

import math

from lpp.conformance import texts
from lpp.conformance.judging_reading import UNREAD, died, reads_of, removes_nothing
from lpp.conformance.log import (
    Ask,
    Kind,
    Log,
    asks,
    came_back,
    earlier_lines,
    folds,
    line_of_act,
)
from lpp.conformance.outcome import Finding


def echoes(log: Log) -> bool:
    """Whether the entry says back what it is told, by its answers to two lines."""
    near = [
        any(texts.nearness(ask.told, ask.text) >= texts.ECHO for ask in asks(log, act))
        for act in ("greet", "probe")
    ]
    return all(near)


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
    found = _fair(log, "backspace", found)
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
    ended = died(log, "keys", "unknown", "alone")
    if ended is not None:
        return ended
    changed = _exact(log, "unknown") if echoes(log) else None
    changed = changed and _fair(log, "unknown", changed)
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
    elif changed is not None:
        told += f"; what unknown names do to a line can't be told: {changed.observed}"
    beyond = [read for read in reads_of(log).values() if not read[0].name.isascii()]
    if any(took == math.inf and stood >= UNREAD for _, took, stood in beyond):
        told += f"; `{texts.BEYOND_ASCII}`, which is beyond ASCII, was not removed"
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
    ended = died(log, act)
    if ended is not None:
        return ended
    ask, again = line_of_act(log, act)
    if ask is None:
        return _not_played(log, act)
    begun = log.acts(act)[-1]
    reads = [
        read for number, read in reads_of(log).items() if begun.number < number <= ask.event.number
    ]
    if not any(other.answered for other in asks(log)):
        unread = [p for p, took, stood in reads if took == math.inf and stood >= UNREAD]
        if unread:
            told = f"{len(unread)} of {len(reads)} keys were not removed"
            if removes_nothing(log):
                cause = "it has not removed a single key, here or elsewhere: see 2.B/removes"
            return Finding(False, told, cause, (unread[0].number,))
        return Finding(True, f"all {len(reads)} keys were removed; it never answers")
    if echoes(log) and came_back(log, ask, again):
        return Finding(True, f"the line of {len(reads)} keys was answered")
    early = log.typed(begun.number, ask.event.number)
    if not ask.answered and early and not echoes(log):
        return Finding(True, f"{len(reads)} keys were read; it began to answer before Return")
    if not ask.answered:
        if not ask.ended:
            return _not_played(log, act)
        found = Finding(False, "the line was not answered", cause, (ask.event.number,))
        return _fair(log, act, found)
    if echoes(log):
        found = _compare(log, ask)
        causes = "; ".join(part for part in (found.cause, cause) if part)
        return _fair(log, act, Finding(found.good, found.observed, causes, found.evidence))
    return Finding(True, f"the line of {len(reads)} keys was answered")


def _exact(log: Log, act: str) -> Finding | None:
    """Whether the line of an act came back as typed; None if it was not asked."""
    ended = died(log, act)
    if ended is not None:
        return ended
    ask, again = line_of_act(log, act)
    if ask is None:
        return None
    if came_back(log, ask, again):
        return Finding(True, "came back as typed")
    if not ask.answered:
        if not ask.ended:
            return None
        return Finding(False, f"{ask.told!r} was not answered", "", (ask.event.number,))
    return _compare(log, ask)


def _fair(log: Log, act: str, found: Finding) -> Finding:
    """What is wrong with the line of an act, unless it is the line and not the way of typing: the
    same line, typed plainly, has to come back right (or be answered, where nothing echoes)."""
    ask, again = line_of_act(log, act)
    if found.good is not False or ask is None or died(log, act):
        return found
    if again is not None:
        right = came_back(log, again) if echoes(log) else again.answered
        if right:
            return Finding(
                False,
                f"{found.observed}; the same line, typed plainly, was right",
                found.cause,
                found.evidence,
            )
        return Finding(
            None,
            f"{found.observed}; the same line, typed plainly, went wrong as well, so the way of "
            "typing is not to blame",
        )
    if not ask.answered:
        life = ask.event.life
        later = [a for a in asks(log) if a.event.number > ask.event.number and a.event.life == life]
        if not any(a.answered for a in later):
            return found  # it hangs: there was nothing to compare with
    elif ask.cut and all(came_back(log, a) for a in asks(log, "greet", "probe") if not a.cut):
        return found  # it types for so long that there was no time for more
    return Finding(None, f"{found.observed}; the same line could not be typed plainly to compare")


def _compare(log: Log, ask: Ask) -> Finding:
    """What is wrong with an echo that did not come back as typed."""
    fold = folds(log)
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


def _not_played(log: Log, act: str) -> Finding:
    if log.acts(act) and log.of(Kind.EXITED, where=lambda e: e.act == act):
        return Finding(None, "the program ended by itself")
    return Finding(None, "it was not come to")
