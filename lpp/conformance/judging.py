"""Judges a log: one pure function for each case.

The identifier of a case in the table (cases.toml) names its function.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from lpp.conformance import texts
from lpp.conformance.log import (
    DIRECTORY,
    Ask,
    Event,
    Kind,
    Log,
    is_in_rules,
    is_key_like,
    text_of,
)
from lpp.keypress import printable
from lpp.names import ALIASES, BACKSPACE, NAMES, RETURN, is_sent_as_itself, is_strict

#: Seconds within which a key should be removed, and the share of keys for which this must be so.
PROMPT, SHARE = 1.0, 0.95
#: A key counts as unread if a running program left it for this many seconds.
UNREAD = 2.0
#: The fewest keys during the entry's typing that allow a judgement.
FEWEST_KEYS = 5
#: Seconds within which an answer to the first line must begin.
ANSWER_LIMIT = 30.0
#: Seconds: the median gap between keys of the fastest program in 2012.
FASTEST = 0.047
#: Acts that type faster than a person, or while the entry types; they don't test promptness.
_FAST = ("spelling", "backspace", "unknown", "burst", "keys", "long", "while-typing")


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding on one case.

    Attributes:
        good: True if the rule was kept, False if broken, None if the log doesn't show it.
        observed: what was observed, in words.
        cause: the likely cause of a fault and the remedy, for an entrant; "" for the case's own.
        evidence: numbers of the log entries that show it.
    """

    good: bool | None
    observed: str
    cause: str = ""
    evidence: tuple[int, ...] = ()


def _broken(observed: str, cause: str, *evidence: Event) -> Finding:
    return Finding(False, observed, cause, tuple(event.number for event in evidence))


_NOT_PLAYED = Finding(None, "not played")
_TYPED_NOTHING = Finding(None, "it typed nothing")
_NO_ECHO = Finding(None, "it does not echo, so the check can't see what it read")


def _name(key: Event) -> str:
    return printable(key.name)


def _said(keys: Iterable[Event]) -> str:
    return repr(text_of(keys).strip()[:60])


# 2.A: the directories that the entry creates


def _numbers(log: Log, odd: Callable[[Event, Event], str], good: str, cause: str = "") -> Finding:
    """Judges each key and the previous one in its life; `odd` says what is wrong with them."""
    keys = log.typed()
    for before, key in pairwise([*keys[:1], *keys]):
        before = before if before.life == key.life else key
        if observed := odd(before, key):
            return _broken(observed, cause, *dict.fromkeys((before, key)))
    return Finding(True, f"{len(keys)} {good}") if keys else _TYPED_NOTHING


def unique(log: Log) -> Finding:
    """2.A.a/unique."""
    known: dict[tuple[int, object], Event] = {}
    repeated = []
    for key in log.typed():
        number = key.sequence if key.value is None else key.value
        first = known.setdefault((key.life, number), key)
        if first is not key:
            repeated.append((first, key))
    if repeated:
        pair = " then ".join(map(_name, repeated[0]))
        observed = f"{len(repeated)} numbers were repeated: {pair}"
        return _broken(observed, "", *repeated[0])
    return _numbers(log, lambda _before, _key: "", "numbers, none twice")


def numeric(log: Log) -> Finding:
    """2.A.a/numeric."""

    def odd(before: Event, key: Event) -> str:
        if key.value is None:
            return f"{key.sequence!r} in {_name(key)} is not a number"
        is_less = key.value < (before.value or 0)
        return f"{_name(key)} came after {_name(before)}" if is_less else ""

    return _numbers(log, odd, "numbers, none below the previous one")


def lexical(log: Log) -> Finding:
    """2.A.a/lexical."""

    def odd(before: Event, key: Event) -> str:
        is_less = key.sequence < before.sequence
        return f"{_name(key)} came after {_name(before)} but sorts before it" if is_less else ""

    padded = len({len(key.sequence) for key in log.typed()}) < 2
    cause = "pad the number with zeros to ten digits: as text, 10 comes before 9"
    if padded:
        cause = "numbers must grow, all with the same number of digits"
    return _numbers(log, odd, "names, in the order of their text", cause)


def width(log: Log) -> Finding:
    """2.A.a/width."""
    keys = log.typed()

    def odd(_before: Event, key: Event) -> str:
        digits = len(keys[0].sequence)
        if key.value is not None and len(key.sequence) == digits:
            return ""
        has = "is not a number" if key.value is None else f"has {len(key.sequence)} digits"
        return f"the number of {_name(keys[0])} has {digits} digits, that of {_name(key)} {has}"

    return _numbers(log, odd, "numbers, all of the same width")


def restart(log: Log) -> Finding:
    """3/restart."""
    numbered = [key for key in log.typed() if key.value is not None]
    lives = {key.life for key in numbered}
    if len(lives) < 2:
        return Finding(None, "it did not type both before and after a restart")
    highest: dict[int, Event] = {}  # for each life, the highest up to its end
    for key in numbered:
        before = max((life for life in highest if life < key.life), default=None)
        if before is not None and (key.value or 0) <= (highest[before].value or 0):
            observed = f"before the restart {_name(highest[before])}, after it {_name(key)}"
            return _broken(observed, "", highest[before], key)
        highest[key.life] = max(highest.get(key.life, key), key, key=lambda event: event.value or 0)
    return Finding(True, f"numbers continued across {len(lives) - 1} restarts")


def name(log: Log) -> Finding:
    """2.A.b/name."""
    for event in log.of(Kind.MADE):
        if not is_key_like(event.name) and event.name.lower().endswith(".other"):
            observed = f"{_name(event)} doesn't have the form sequence.keyname.extension"
            cause = "a name has three parts separated by dots, such as 0000000123.H.other"
            return _broken(observed, cause, event)
    keys = log.typed()
    if not keys:
        return _TYPED_NOTHING
    wrong = [
        key
        for key in keys
        if not is_strict(key.key)
        and (key.key.isascii() or len(key.key) != 1 or not is_sent_as_itself(key.key))
    ]
    if not wrong:
        return Finding(True, f"{len({key.key for key in keys})} different names, all known")
    names = sorted({printable(key.key) for key in wrong})
    shown = ", ".join(f"`{name}`" for name in names[:8])
    observed = f"{len(wrong)} of {len(keys)} names are not in the appendix: {shown}"
    return _broken(observed, _name_remedy(wrong[0].key), *wrong[:3])


def _name_remedy(key: str) -> str:
    right = {char: name for name, char in NAMES.items()}
    lower = {name.lower(): name for name in NAMES}
    known = right.get(ALIASES.get(key, key)) or lower.get(key.lower())
    if known:
        return f"send `{known}` instead of `{printable(key)}`"
    return "create one directory for each character, with its name in the appendix"


def extension(log: Log) -> Finding:
    """2.A.c/extension."""
    keys = log.typed()
    wrong = [key for key in keys if key.extension != "other"]
    if not wrong:
        return Finding(bool(keys) or None, f"{len(keys)} names end in .other")
    shown = printable(wrong[0].extension)
    cause = "write the extension in lower case: .other"
    if shown == "judge":
        cause = "`.judge` is the judge's extension; your program's names must end in .other"
    observed = f"{len(wrong)} of {len(keys)} names have another extension: .{shown}"
    return _broken(observed, cause, *wrong[:3])


def directory(log: Log) -> Finding:
    """2.A.d/directory."""
    keys = log.typed()
    names = {key.name for key in keys}
    # The entry may put something into a directory later: then the removal shows it.
    made = log.of(Kind.MADE, Kind.TAKEN)
    wrong = [event for event in made if event.name in names and event.what != DIRECTORY]
    if not wrong:
        return Finding(bool(keys) or None, f"{len(keys)} empty directories")
    cause = "leave the directory empty; otherwise the judge's program can't remove it"
    if any("directory" not in event.what for event in wrong):
        cause = "create a directory (mkdir), not a file: the judge's program looks for directories"
    return _broken(f"{_name(wrong[0])} is a {wrong[0].what}", cause, *wrong[:3])


# 2.B: how the entry removes the judge's keys


class JudgeKey(NamedTuple):
    """A key of the judge.

    Attributes:
        pressed: its log entry.
        took: seconds until the entry removed it; infinite if it didn't.
        existed: seconds that it existed while the program was running.
    """

    pressed: Event
    took: float
    existed: float

    @property
    def is_unread(self) -> bool:
        """Whether the entry had enough time to remove it, and didn't."""
        return self.took == math.inf and self.existed >= UNREAD


def judge_keys(log: Log) -> dict[int, JudgeKey]:
    """The judge's keys, except leftovers, by the numbers of their log entries."""
    return _judge_keys(log, len(log.events))


@functools.lru_cache(maxsize=1)  # several cases look at the same log
def _judge_keys(log: Log, _entries: int) -> dict[int, JudgeKey]:
    present: dict[str, Event] = {}
    found: dict[int, JudgeKey] = {}

    def end(pressed: Event, at: float, removed: bool) -> None:
        existed = at - pressed.at
        found[pressed.number] = JudgeKey(pressed, existed if removed else math.inf, existed)

    for event in log.events:
        if event.kind is Kind.PRESSED and event.act != "leftovers":
            present[event.name] = event
        elif event.kind in (Kind.GONE, Kind.TAKEN) and event.name in present:
            end(present.pop(event.name), event.at, event.kind is Kind.GONE)
        elif event.kind in (Kind.STOPPED, Kind.EXITED):
            for pressed in present.values():
                end(pressed, event.at, False)
            present.clear()
    for pressed in present.values():
        end(pressed, log.events[-1].at, False)
    return dict(sorted(found.items()))


def _removes_nothing(log: Log) -> bool:
    reads = judge_keys(log).values()
    return any(r.existed >= UNREAD for r in reads) and all(r.took == math.inf for r in reads)


def removes(log: Log) -> Finding:
    """2.B/removes."""
    # 2.B/unknown and 2.B/keys judge other names. A key pressed while the entry typed may be read
    # only after that: 2.B/while-typing judges this.
    reads = [
        read
        for read in judge_keys(log).values()
        if is_in_rules(read.pressed.name) and read.pressed.act != "while-typing"
    ]
    unread = [read.pressed for read in reads if read.is_unread]
    removed = sum(read.took < math.inf for read in reads)
    if not unread:
        if not removed:
            return Finding(None, "no key was there long enough while the program was running")
        return Finding(True, f"all {removed} were removed")
    cause = "remove (rmdir) each .judge directory as soon as you have read it"
    if not removed:
        cause += "; does the program look into this directory at all?"
    elif unread[-1] is reads[-1].pressed:
        cause = f"it stopped reading at {printable(unread[0].name)}: did it hang, or lose the key?"
        before = log.of(Kind.PRESSED, before=unread[0].number)
        if before and not is_in_rules(before[-1].name):
            cause += (
                f" The rules don't define the name of the previous key, "
                f"{printable(before[-1].name)}: ignore such names, and continue reading"
            )
    return _broken(
        f"{len(unread)} of {len(reads)} were still there after at least {UNREAD:.0f} seconds, "
        f"the first of them {printable(unread[0].name)}",
        cause,
        unread[0],
    )


def prompt(log: Log) -> Finding:
    """2.B/prompt."""
    # Keys pressed while the program was loading say nothing about its speed, and keys pressed after
    # it had stopped reading are judged by 2.B/removes.
    first_sign: dict[int, int] = {}
    last_sign: dict[int, int] = {}
    numbers = {event.name: event.number for event in log.of(Kind.PRESSED)}
    for event in log.of(Kind.GONE):
        first_sign.setdefault(event.life, event.number)
        last_sign[event.life] = max(last_sign.get(event.life, 0), numbers.get(event.name, 0))
    measured = [
        (pressed, min(took, existed))
        for pressed, took, existed in judge_keys(log).values()
        if pressed.act not in _FAST
        and is_in_rules(pressed.name)
        and (took < math.inf or existed >= PROMPT)
        and first_sign.get(pressed.life, 0) < pressed.number
        and pressed.number <= last_sign.get(pressed.life, pressed.number)
    ]
    if not measured:
        if first_sign:
            return Finding(None, "all keys came before it had read one; it may have been loading")
        return Finding(None, "no key was there long enough while the program was running")
    if _removes_nothing(log):
        observed = f"none of the {len(measured)} keys was removed"
        return _broken(observed, "see 2.B/removes", measured[0][0])
    kept, late, observed = _in_time(measured, "")
    if kept:
        return Finding(True, observed)
    gone = [e for e in log.of(Kind.GONE, after=late[0].number) if e.name == late[0].name]
    return _broken(f"{observed}; the first late one is {_name(late[0])}", "", late[0], *gone[:1])


def _in_time(measured: list[tuple[Event, float]], what: str) -> tuple[bool, list[Event], str]:
    """Judges the seconds that each key took to be removed; `what` describes the keys in words.

    Returns:
        Whether enough keys were removed in time, the late keys, and the distribution in words.
    """
    times = sorted(took for _, took in measured)
    late = [pressed for pressed, took in measured if took > PROMPT]
    half, most = times[len(times) // 2], times[math.ceil(len(times) * SHARE) - 1]
    observed = (
        f"{len(times) - len(late)} of {len(times)}{what} within a second: half in "
        f"{half * 1000:.0f} ms, 95 % in {most * 1000:.0f} ms, the slowest in "
        f"{times[-1] * 1000:.0f} ms"
    )
    return len(times) - len(late) >= SHARE * len(times), late, observed


def while_typing(log: Log) -> Finding:
    """2.B/while-typing."""
    if ended := _exited(log, "while-typing"):
        return ended
    asked = log.asks("while-typing")
    if not asked:
        return _NOT_PLAYED
    answer = asked[0].keys
    if not answer:
        return Finding(
            None, f"{asked[0].line!r} was not answered, so it typed nothing in the meantime"
        )
    first, end = answer[0], answer[-1]
    last = asked[1].event.number if len(asked) > 1 else len(log.events)
    measured = [
        (read.pressed, min(read.took, read.existed))
        for number, read in judge_keys(log).items()
        if first.number < number <= last and (read.took < math.inf or read.existed >= PROMPT)
    ]
    during = [(pressed, took) for pressed, took in measured if pressed.number < end.number]
    typed = f"it typed for {end.at - first.at:.1f} s"
    if len(during) < FEWEST_KEYS:
        if measured and all(took <= PROMPT for _, took in measured):
            observed = f"all {len(measured)} keys since the start of the answer were removed"
            return Finding(True, f"{typed}; {observed} within a second")
        return Finding(None, f"{typed}: too few keys came during that time")
    kept, late, observed = _in_time(during, " keys that came while it typed were removed")
    if kept:
        return Finding(True, observed)
    if prompt(log).good is not True:
        return Finding(None, f"{observed}; but it removes keys slowly at other times, too")
    return _broken(observed, "", late[0])


def unknown(log: Log) -> Finding:
    """2.B/unknown."""
    observed = []
    reads = judge_keys(log)
    for event in log.of(Kind.ALONE):
        # The entry just before this one is the key press.
        read = reads[event.number - 1]
        gone = "removed" if read.took < math.inf else f"left for {read.existed:.0f} s"
        watched = log.of(Kind.WATCHED, after=event.number)
        # Keys after that, or after the next line, don't answer it.
        until = watched[0].number if watched else None
        keys = log.typed(event.number, until, event.life)
        said = f"answered with {_said(keys)}" if keys else "not answered"
        if log.of(Kind.EXITED, after=event.number, before=until):
            said = "and the program ended"
        observed.append(f"{event.detail}: {gone}, {said}")
    return Finding(None, "; ".join(observed) or "not seen: no unknown name could be pressed alone")


def only(log: Log) -> Finding:
    """2.B/only."""
    if not log.of(Kind.PRESSED):
        return Finding(None, "nothing was typed to the entry")
    removed = log.of(Kind.GONE)
    wrong = [
        event
        for event in removed
        if event.detail
        and event.extension.lower() != "judge"
        and (event.detail != "entry" or is_key_like(event.name))  # else a scratch file of its own
    ]
    if not wrong:
        return Finding(True, f"{len(removed)} removals, all of .judge directories")
    cause = "remove only names that end in .judge"
    if wrong[0].detail == "entry":
        cause = (
            "do not remove the .other directories that you create: the judge's program removes "
            "them when it has read them"
        )
    names = ", ".join(map(_name, wrong[:3]))
    return _broken(f"{len(wrong)} other things were removed: {names}", cause, *wrong[:3])


def _exited(log: Log, *acts: str) -> Finding | None:
    """The finding on a program that ended by itself in one of these acts; None if it didn't."""
    exited = log.of(Kind.EXITED, act=acts)
    if not exited:
        return None
    gone = log.of(Kind.GONE, before=exited[0].number)
    names = {event.name for event in gone}
    pressed = log.of(Kind.PRESSED, life=exited[0].life, before=exited[0].number)
    left = [event for event in pressed if event.name not in names]
    last = f" after it had removed {printable(gone[-1].name)}" if gone else ""
    following = f"; the next was {printable(left[0].name)}" if left else ""
    return _broken(
        f"the program ended by itself ({exited[0].detail}){last}{following}",
        "the program died because of what it read: it must survive each key, and ignore those that "
        "it does not know (the end of the program's output is at the end of the report)",
        exited[0],
    )


# 2.A.e and 2.B: how the entry reads the keys, as shown by its answers


def spelling(log: Log) -> Finding:
    """2.A.e/spelling."""
    return (_echoed_exactly(log, "spelling") or _NOT_PLAYED) if log.echoes() else _NO_ECHO


def backspace(log: Log) -> Finding:
    """2.B/backspace."""
    if not log.echoes():
        return _exited(log, "backspace") or _NO_ECHO
    found = _compared_with_plain(log, "backspace", _echoed_exactly(log, "backspace") or _NOT_PLAYED)
    return found if _exited(log, "backspace") else replace(found, cause="")


def keys(log: Log) -> Finding:
    """2.B/keys."""
    if ended := _exited(log, "keys", "unknown", "alone"):
        return ended
    changed = _echoed_exactly(log, "unknown") if log.echoes() else None
    changed = changed and _compared_with_plain(log, "unknown", changed)
    if changed and changed.good is False:
        cause = "ignore names that are neither one character nor in the appendix"
        return replace(changed, cause=f"{changed.cause}; {cause}" if changed.cause else cause)
    asked = log.asks("keys")
    if not asked:
        return _NOT_PLAYED
    first, life = asked[0].event, asked[-1].event.life
    ever = any(ask.keys for ask in log.asks())
    later = [a for a in log.asks() if a.event.life == life and a.event.number >= first.number]
    if ever and not any(a.keys for a in later) and any(a.ended for a in later):
        return _broken(
            "after all names, letters, digits and unknown names it stopped answering",
            "it hangs at a name that it doesn't know: ignore such names",
            first,
        )
    observed = "it answered after all names" if ever else "it kept running after all names"
    if changed and changed.good:
        observed += "; unknown names left the line unchanged"
    elif changed:
        observed += f"; the effect of unknown names on a line can't be judged: {changed.observed}"
    if any(r.is_unread for r in judge_keys(log).values() if not r.pressed.name.isascii()):
        observed += f"; `{texts.NON_ASCII}`, which is not ASCII, was not removed"
    return Finding(True, observed)


def burst(log: Log) -> Finding:
    """2.B/burst."""
    return _read_completely(log, "burst")


def slow(log: Log) -> Finding:
    """2.B/slow."""
    return _read_completely(log, "slow")


def _read_completely(log: Log, act: str) -> Finding:
    """Whether a line that was typed in an unusual way was read completely."""
    if ended := _exited(log, act):
        return ended
    ask, again = log.trial(act)
    begun = log.begun(act)
    if ask is None or begun is None:
        return _NOT_PLAYED
    reads = [r for n, r in judge_keys(log).items() if begun.number < n <= ask.event.number]
    answered = Finding(True, f"the line of {len(reads)} keys was answered")
    if not any(other.keys for other in log.asks()):
        unread = [read.pressed for read in reads if read.is_unread]
        if not unread:
            return Finding(True, f"all {len(reads)} keys were removed; it never answers")
        cause = ""
        if _removes_nothing(log):
            cause = "it has not removed a single key, here or elsewhere; see 2.B/removes"
        return _broken(f"{len(unread)} of {len(reads)} keys were not removed", cause, unread[0])
    echoes = log.echoes()
    if echoes and log.came_back(ask, again):
        return answered
    if ask.keys and not echoes:
        return answered
    if ask.keys:
        found = _compare(log, ask)
        observed = "; ".join(filter(None, (found.observed, found.cause)))
        return _compared_with_plain(log, act, replace(found, observed=observed, cause=""))
    if not echoes and log.typed(begun.number, ask.event.number):
        return Finding(True, f"{len(reads)} keys were read; it began to answer before Return")
    if not ask.ended:
        return _NOT_PLAYED
    return _compared_with_plain(log, act, _broken("the line was not answered", "", ask.event))


def _echoed_exactly(log: Log, act: str) -> Finding | None:
    """Whether the line of an act came back as typed; None if it was not asked."""
    if ended := _exited(log, act):
        return ended
    ask, again = log.trial(act)
    if ask is None or not (ask.keys or ask.ended):
        return None
    if log.came_back(ask, again):
        return Finding(True, "came back as typed")
    if not ask.keys:
        return _broken(f"{ask.line!r} was not answered", "", ask.event)
    return _compare(log, ask)


def _compared_with_plain(log: Log, act: str, found: Finding) -> Finding:
    """A finding that blames the way of typing only if it is the cause: the same line, typed in the
    plain way, must come back right (or be answered, if the entry doesn't echo)."""
    ask, again = log.trial(act)
    if found.good is not False or ask is None or _exited(log, act):
        return found
    if again is not None:
        if log.came_back(again) if log.echoes() else again.keys:
            observed = f"{found.observed}; the same line, typed plainly, was right"
            return replace(found, observed=observed)
        return Finding(
            None,
            f"{found.observed}; the same line, typed plainly, went wrong, too, so the way of "
            "typing is not the cause",
        )
    later = [a for a in log.asks() if a.event.number > ask.event.number]
    if not ask.keys:
        if not any(a.keys for a in later if a.event.life == ask.event.life):
            return found  # it hangs: there is nothing to compare with
    elif ask.cut and all(log.came_back(a) for a in log.asks("greet", "probe") if not a.cut):
        return found  # it typed for so long that there was no time for the plain line
    return Finding(None, f"{found.observed}; the plain line could not be typed for comparison")


def _compare(log: Log, ask: Ask) -> Finding:
    """What is wrong with an echo that did not come back as typed."""
    if ask.cut and texts.may_become(ask.text, ask.line, log.changes_case(), _longest_lead(log)):
        return Finding(
            None,
            "it was still typing its answer when the check had to continue; the answer so far was "
            f"as typed: {ask.text.strip()[-40:]!r}",
        )
    own = texts.answering_part(ask.line, ask.text, log.earlier_lines(ask.event))
    if not own and ask.text.strip():
        observed = f"{ask.line!r} was not answered; the keys received answer an earlier line"
        found = _broken(f"{observed}: {_said(ask.keys)}", "", ask.event)
        return replace(found, good=None) if ask.cut else found
    pairs = zip(ask.line, ask.text.lstrip(), strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), 0)
    return _broken(
        f"{ask.line!r} came back as {own!r}",
        texts.spelling_cause(texts.nearest_prefix(ask.line, own) if ask.cut else ask.line, own),
        ask.event,
        ask.keys[min(same, len(ask.keys) - 1)],
    )


def _longest_lead(log: Log) -> int:
    """How many characters may precede an echo, such as `You said:`, judging by earlier echoes."""
    asked = log.asks("greet", "probe")
    leads = [ask.text.lstrip().casefold().find(ask.line.casefold()) for ask in asked]
    longest = max(leads, default=0)
    return longest + 20 if longest > 0 else 0


# 2 and 3: the course of a talk


def browse(log: Log) -> Finding:
    """2/browse."""
    if "browse" in log.attested:
        return Finding(True, "attested by the person who ran the check")
    return Finding(None, "only a person can see this: start the program without a directory")


_WATCHES = {
    "waits-empty": "in an empty directory",
    "waits-with-others": "with old .other directories",
}


def waits(log: Log) -> Finding:
    """3/waits."""
    watched = []
    for act, where in _WATCHES.items():
        played = log.of(Kind.ACT, act=act)
        if not played:
            continue
        start = next(iter(log.of(Kind.STARTED, life=played[0].life)), played[0])
        pressed = log.of(Kind.PRESSED, after=start.number)
        spoken = log.typed(start.number, pressed[0].number if pressed else None)
        if spoken:
            observed = f"{where}, it typed {_said(spoken)} before the judge had pressed a key"
            return _broken(observed, "", *spoken[:3])
        if ended := log.of(Kind.EXITED, act=act):
            return Finding(None, f"the program ended by itself ({ended[0].detail})")
        if ends := log.of(Kind.WATCHED, act=act):
            watched.append(f"{where} for {ends[0].at - start.at:.1f} s")
    return Finding(True, f"silent {' and '.join(watched)}") if watched else _NOT_PLAYED


def answers(log: Log) -> Finding:
    """3/answers."""
    asked = log.asks("greet")
    if not asked:
        if ended := log.of(Kind.EXITED):
            return _broken(
                f"the program ended by itself ({ended[0].detail}) before it could answer",
                "look at the end of its output; it must run until it gets a signal to end",
                ended[0],
            )
        return _NOT_PLAYED
    first = asked[0].event
    if keys := [key for ask in asked for key in ask.keys]:
        latency = keys[0].at - first.at
        if latency <= ANSWER_LIMIT:
            bare = ", with no Return" if _without_return(log) else ""
            text = text_of(keys).strip()[:80]
            return Finding(True, f"it began {latency:.1f} s after the line{bare}: {text!r}")
        return _broken(f"an answer began only after {latency:.1f} s", "", first)
    if ended := log.of(Kind.EXITED, act="greet"):
        return _broken(
            f"the program ended by itself ({ended[0].detail}) without an answer",
            "look at its output before it ended",
            ended[0],
        )
    return _broken(
        f"no answer within {ANSWER_LIMIT:.0f} seconds after {asked[0].line!r}",
        "it removes the judge's keys but types nothing: does it wait for something other than "
        "Return to end a line? Or does it not answer lines like this, for example because it only "
        "answers questions? It should answer every line"
        if log.of(Kind.GONE, act="greet")
        else "it doesn't remove the judge's keys either: does it look into this directory?",
        first,
    )


_TRIALS = {"silence": "a silence", "empty-lines": "empty lines", "long": "a line of 500 characters"}


def lives(log: Log) -> Finding:
    """3/lives."""
    if not any(ask.keys for ask in log.asks()):
        return Finding(None, "it never answered; see 3/answers")
    kept, untried = [], []
    for act, name in _TRIALS.items():
        if ended := log.of(Kind.EXITED, act=act):
            observed = f"after {name} the program ended by itself ({ended[0].detail})"
            return _broken(observed, "", ended[0])
        begun = log.begun(act)
        later = [
            ask
            for ask in log.asks()
            if begun
            and ask.event.life == begun.life
            and ask.event.number > begun.number
            and (ask.keys or ask.ended)
        ]
        if begun is None or not later:
            untried.append(name)
        elif any(ask.keys for ask in later):
            kept.append(name)
        else:
            observed = f"after {name} it stopped answering"
            return _broken(observed, "", begun, later[-1].event)
    if untried:
        return Finding(None, f"not tested: {', '.join(untried)}")
    return Finding(True, f"it still answered after {', '.join(kept)}")


def leftovers(log: Log) -> Finding:
    """3/leftovers."""
    if log.begun("leftovers") is None:
        return Finding(None, "not seen: the program was not started in a directory with leftovers")
    old = log.of(Kind.PRESSED, act="leftovers")
    names = {event.name for event in old}
    gone = sum(event.name in names for event in log.of(Kind.GONE))
    typed = [key for key in log.typed(old[0].number) if key.act == "leftovers"]
    said = f"answered with {_said(typed)}" if typed else "not answered"
    return Finding(None, f"{gone} of {len(old)} were removed and {said} while we watched")


def rhythm(log: Log) -> Finding:
    """3/rhythm."""
    asked = log.asks()
    keys = [key for ask in asked for key in ask.keys]
    gaps = [later.at - sooner.at for ask in asked for sooner, later in pairwise(ask.keys)]
    if not gaps:
        return Finding(None, "it typed too little")
    mean, median = statistics.fmean(gaps), statistics.median(gaps)
    rubbed = sum(printable(key.key) == BACKSPACE for key in keys)
    rate = f"{1 / mean:.1f}" if mean > 0.001 else "more than 1,000"
    variation = statistics.pstdev(gaps) / mean if mean > 0 else 0.0
    observed = [
        f"median gap {median * 1000:.0f} ms (people in 2012: 135 to 259), {rate} keys/s on "
        f"average, variation {variation:.2f}, {100 * rubbed / len(keys):.1f} % BackSpace "
        "(people: 1 to 3)"
    ]
    if median < FASTEST:
        observed.append("no program of 2012 typed this fast: pause between keys as people do")
    if _without_return(log):
        observed.append("it never pressed Return: on a judge's screen its answers run together")
    return Finding(None, "; ".join(observed))


def _without_return(log: Log) -> bool:
    """Whether the entry has completed an answer, and has never pressed Return."""
    whole = any(ask.keys and ask.ended == "answered" for ask in log.asks())
    return whole and not any(key.key == RETURN for key in log.typed())
