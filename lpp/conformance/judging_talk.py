"""Judgements on the course of a talk (section 3): waiting, answering, living on, rhythm."""

from __future__ import annotations

import statistics
from itertools import pairwise

from lpp.conformance.log import Kind, Log, Seen, asks, text_of
from lpp.conformance.outcome import Finding
from lpp.keypress import printable
from lpp.names import BACKSPACE, RETURN

#: Seconds within which an answer to the first line must begin.
ANSWER_LIMIT = 30.0
#: Seconds: the median gap between keys of the fastest program in 2012.
FASTEST = 0.047

_WATCHES = {"waits-empty": "in an empty directory", "waits-beside": "beside old .other directories"}


def waits(log: Log) -> Finding:
    """3/waits."""
    watched = []
    for act, where in _WATCHES.items():
        begun = log.acts(act)
        if not begun:
            continue
        life = begun[0].life
        starts = log.of(Kind.STARTED, where=lambda e, life=life: e.life == life)  # type: ignore[misc]
        since = starts[0].number if starts else begun[0].number
        pressed = log.of(Kind.PRESSED, where=lambda e, since=since: e.number > since)  # type: ignore[misc]
        until = pressed[0].number if pressed else None
        spoken = log.typed(since, until)
        if spoken:
            return Finding(
                False,
                f"{where}, before the judge had pressed a key, it typed "
                f"{text_of(spoken).strip()[:60]!r}",
                "type nothing before the first .judge directory of a talk",
                tuple(seen.event.number for seen in spoken[:3]),
            )
        ended = log.of(Kind.EXITED, where=lambda e, act=act: e.act == act)  # type: ignore[misc]
        if ended:
            return Finding(
                None, f"the program ended by itself ({ended[0].detail})", "", (ended[0].number,)
            )
        ends = log.of(Kind.WATCHED, where=lambda e, act=act: e.act == act)  # type: ignore[misc]
        if ends:
            watched.append(f"{where} for {ends[0].at - (starts or begun)[0].at:.1f} s")
    if not watched:
        return Finding(None, "it was not come to")
    return Finding(True, f"silent {' and '.join(watched)}")


def answers(log: Log) -> Finding:
    """3/answers."""
    asked = asks(log, "greet")
    if not asked:
        ended = log.of(Kind.EXITED)
        if ended:
            return Finding(
                False,
                f"the program ended by itself ({ended[0].detail}) before it could answer",
                "see what it wrote before it ended; it must run until it is told to end",
                (ended[0].number,),
            )
        return Finding(None, "it was not come to")
    first = asked[0]
    keys = [seen for ask in asked for seen in ask.keys]
    if keys:
        latency = keys[0].event.at - first.event.at
        text = text_of(keys).strip()
        if latency <= ANSWER_LIMIT:
            bare = ", with no Return" if _without_return(log) else ""
            return Finding(True, f"{latency:.1f} s after the line it began{bare}: {text[:80]!r}")
        return Finding(
            False, f"an answer began after {latency:.1f} s only", "", (first.event.number,)
        )
    ended = log.of(Kind.EXITED, where=lambda e: e.act == "greet")
    if ended:
        return Finding(
            False,
            f"the program ended by itself ({ended[0].detail}) and had not answered",
            "see what it wrote before it ended",
            (ended[0].number,),
        )
    read = log.of(Kind.GONE, where=lambda e: e.act == "greet")
    cause = (
        "it removes the judge's keys, but types nothing: does it wait for something else than "
        "Return to end a line? Or had it nothing to say to this line, as a program that answers "
        "questions only? Then let it say something to every line"
        if read
        else "it does not remove the judge's keys either: does it look into this directory?"
    )
    return Finding(
        False,
        f"no answer within {ANSWER_LIMIT:.0f} seconds after {first.told!r}",
        cause,
        (first.event.number,),
    )


_TRIALS = {
    "silence": "a silence",
    "empties": "empty lines",
    "long": "a line of 500 characters",
}


def lives(log: Log) -> Finding:
    """3/lives."""
    if not any(ask.answered for ask in asks(log)):
        return Finding(None, "it never answered, see 3/answers")
    kept, untried = [], []
    for act, name in _TRIALS.items():
        ended = log.of(Kind.EXITED, where=lambda e, act=act: e.act == act)  # type: ignore[misc]
        if ended:
            return Finding(
                False,
                f"after {name} the program ended by itself ({ended[0].detail})",
                "a round has 25 minutes: nothing that the judge does, or leaves undone, should "
                "end the program",
                (ended[0].number,),
            )
        begun = log.acts(act)
        later = [
            ask
            for ask in asks(log)
            if begun
            and ask.event.life == begun[-1].life
            and ask.event.number > begun[-1].number
            and (ask.answered or ask.ended)
        ]
        if not later:
            untried.append(name)
        elif any(ask.answered for ask in later):
            kept.append(name)
        else:
            return Finding(
                False,
                f"after {name} it answered nothing any more",
                "a round has 25 minutes: go on reading and answering, whatever came before",
                (begun[-1].number, later[-1].event.number),
            )
    if untried:
        return Finding(None, f"not tried: {', '.join(untried)}")
    return Finding(True, f"it still answered after {', '.join(kept)}")


def leftovers(log: Log) -> Finding:
    """3/leftovers."""
    begun = log.acts("leftovers")
    if not begun:
        return Finding(None, "not seen: the program was not started beside left-overs")
    old = log.of(Kind.PRESSED, where=lambda e: e.act == "leftovers")
    names = {event.name for event in old}
    gone = log.of(Kind.GONE, where=lambda e: e.name in names)
    typed = [seen for seen in log.typed(old[0].number) if seen.event.act == "leftovers"]
    removed = f"{len(gone)} of {len(old)} were removed"
    said = f"and answered with {text_of(typed).strip()[:60]!r}" if typed else "and not answered"
    return Finding(None, f"{removed} {said} while it was watched")


def rhythm(log: Log) -> Finding:
    """3/rhythm."""
    gaps: list[float] = []
    keys: list[Seen] = []
    for ask in asks(log):
        keys += ask.keys
        times = [seen.event.at for seen in ask.keys]
        gaps += [later - sooner for sooner, later in pairwise(times)]
    if not gaps:
        return Finding(None, "it typed too little to tell")
    mean = statistics.fmean(gaps)
    rubbed = len([seen for seen in keys if printable(seen.key) == BACKSPACE])
    median = statistics.median(gaps)
    rate = f"{1 / mean:.1f}" if mean > 0.001 else "more than 1,000"
    variation = statistics.pstdev(gaps) / mean if mean > 0 else 0.0
    told = [
        f"half of the gaps under {median * 1000:.0f} ms (people in 2012: 135 to 259), {rate} "
        f"keys/s in the mean, variation {variation:.2f}, {100 * rubbed / len(keys):.1f} % "
        "BackSpace (people 1 to 3)"
    ]
    if median < FASTEST:
        told.append("no program of 2012 typed so fast: wait between keys to type as people do")
    if _without_return(log):
        told.append("it pressed no Return: on a judge's screen its answers run together")
    return Finding(None, "; ".join(told))


def _without_return(log: Log) -> bool:
    """Whether an answer was heard to its end, and the entry has never pressed Return."""
    whole = any(ask.answered and ask.ended == "answered" for ask in asks(log))
    return whole and not any(seen.key == RETURN for seen in log.typed())
