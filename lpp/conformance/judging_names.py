"""Judgements on what the entry makes: numbers, key names, extensions, kinds (2.A), restart."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from lpp.conformance.log import DIRECTORY, Kind, Log, Seen, is_key_like
from lpp.conformance.outcome import Finding
from lpp.keypress import printable
from lpp.names import ALIASES, NAMES, is_bare, is_strict

_NOTHING = Finding(None, "it typed nothing")


def _lives(log: Log) -> list[list[Seen]]:
    lives: dict[int, list[Seen]] = defaultdict(list)
    for seen in log.typed():
        lives[seen.event.life].append(seen)
    return list(lives.values())


def _name(seen: Seen) -> str:
    return printable(seen.event.name)


def _count(found: int, of: int) -> str:
    return f"{found} of {of} names"


def unique(log: Log) -> Finding:
    """2.A.a/unique."""
    lives = _lives(log)
    if not lives:
        return _NOTHING
    repeated: list[tuple[Seen, Seen]] = []
    for life in lives:
        known: dict[object, Seen] = {}
        for seen in life:
            number: object = seen.sequence if seen.number is None else seen.number
            if number in known:
                repeated.append((known[number], seen))
            else:
                known[number] = seen
    if not repeated:
        return Finding(True, f"{sum(map(len, lives))} numbers, none twice")
    first, again = repeated[0]
    return Finding(
        False,
        f"{len(repeated)} numbers came again: {_name(first)}, then {_name(again)}",
        "count one up for every key press, and never start again while the program runs; a clock "
        "is too coarse for a number, unless it counts microseconds",
        (first.event.number, again.event.number),
    )


def numeric(log: Log) -> Finding:
    """2.A.a/numeric."""
    lives = _lives(log)
    if not lives:
        return _NOTHING
    for life in lives:
        highest: Seen | None = None
        for seen in life:
            if seen.number is None:
                return Finding(
                    False,
                    f"{seen.sequence!r} in {_name(seen)} is no number",
                    "write the number in decimal digits",
                    (seen.event.number,),
                )
            if highest is not None and highest.number is not None and seen.number < highest.number:
                return Finding(
                    False,
                    f"{_name(seen)} came after {_name(highest)}",
                    "number the keys in the order in which they are typed, and make the "
                    "directories one after the other",
                    (highest.event.number, seen.event.number),
                )
            highest = seen
    return Finding(True, f"{sum(map(len, lives))} numbers, each above the one before")


def lexical(log: Log) -> Finding:
    """2.A.a/lexical."""
    lives = _lives(log)
    if not lives:
        return _NOTHING
    for life in lives:
        for before, seen in pairwise(life):
            if seen.sequence < before.sequence:
                unpadded = len(seen.sequence) > len(before.sequence)
                return Finding(
                    False,
                    f"{_name(seen)} came after {_name(before)}, and sorts before it",
                    "pad the number with zeros to ten digits: as text, 10 comes before 9"
                    if unpadded
                    else "numbers must grow, with as many digits each",
                    (before.event.number, seen.event.number),
                )
    return Finding(True, f"{sum(map(len, lives))} names, in the order of their text")


def width(log: Log) -> Finding:
    """2.A.a/width."""
    lives = _lives(log)
    if not lives:
        return _NOTHING
    digits = lives[0][0]
    for life in lives:
        for seen in life:
            if seen.number is None or len(seen.sequence) != len(digits.sequence):
                odd = "is no number" if seen.number is None else f"has {len(seen.sequence)} digits"
                return Finding(
                    False,
                    f"the number of {_name(digits)} has {len(digits.sequence)} digits, that of "
                    f"{_name(seen)} {odd}",
                    "pad the number with zeros to ten digits",
                    (digits.event.number, seen.event.number),
                )
    return Finding(True, f"all numbers have {len(digits.sequence)} digits")


def key_name(log: Log) -> Finding:
    """2.A.b/name."""
    keys = log.typed()
    shapeless = [
        event
        for event in log.made()
        if not is_key_like(event.name) and event.name.lower().endswith(".other")
    ]
    if shapeless:
        return Finding(
            False,
            f"{printable(shapeless[0].name)} has not the form sequence.keyname.extension",
            "a name has three parts with dots between them, such as 0000000123.H.other",
            (shapeless[0].number,),
        )
    if not keys:
        return _NOTHING
    wrong = [seen for seen in keys if not _is_name(seen.key)]
    if not wrong:
        return Finding(True, f"{len({seen.key for seen in keys})} different names, all known")
    names = sorted({printable(seen.key) for seen in wrong})
    return Finding(
        False,
        f"{_count(len(wrong), len(keys))} are not in the appendix: "
        + ", ".join(f"`{name}`" for name in names[:8]),
        _name_remedy(wrong[0].key),
        tuple(seen.event.number for seen in wrong[:3]),
    )


def _is_name(key: str) -> bool:
    return is_strict(key) or (len(key) == 1 and not key.isascii() and is_bare(key))


def _name_remedy(key: str) -> str:
    right = {char: name for name, char in NAMES.items()}
    char = ALIASES.get(key, key)
    if char in right:
        return f"`{printable(key)}` is to be sent as `{right[char]}`"
    lower = {name.lower(): name for name in NAMES}
    if key.lower() in lower:
        return f"`{printable(key)}` is to be spelt `{lower[key.lower()]}`"
    return "send one directory for each character, with the appendix's name of it"


def extension(log: Log) -> Finding:
    """2.A.c/extension."""
    keys = log.typed()
    if not keys:
        return _NOTHING
    wrong = [seen for seen in keys if seen.extension != "other"]
    if not wrong:
        return Finding(True, f"{len(keys)} names end in .other")
    shown = printable(wrong[0].extension)
    cause = "write the extension in small letters: .other"
    if shown == "judge":
        cause = "`.judge` is the judge's extension; what your program types ends in .other"
    return Finding(
        False,
        f"{_count(len(wrong), len(keys))} end otherwise: .{shown}",
        cause,
        tuple(seen.event.number for seen in wrong[:3]),
    )


def directory(log: Log) -> Finding:
    """2.A.d/directory."""
    keys = log.typed()
    if not keys:
        return _NOTHING
    names = {seen.event.name for seen in keys}
    # Something may be put into a directory after it was made: then its removal shows it.
    wrong = log.of(Kind.MADE, Kind.TAKEN, where=lambda e: e.name in names and e.what != DIRECTORY)
    if not wrong:
        return Finding(True, f"{len(keys)} empty directories")
    cause = (
        "make a directory (mkdir), not a file: the judge's program lists directories"
        if any(event.what != DIRECTORY and "directory" not in event.what for event in wrong)
        else "leave the directory empty: the judge's program can't remove it otherwise"
    )
    return Finding(
        False,
        f"{printable(wrong[0].name)} is a {wrong[0].what}",
        cause,
        tuple(event.number for event in wrong[:3]),
    )


def restart(log: Log) -> Finding:
    """3/restart."""
    lives = [[s for s in life if s.number is not None] for life in _lives(log)]
    lives = [life for life in lives if life]
    if len(lives) < 2:
        return Finding(None, "it did not type both before and after a restart")
    highest = max(lives[0], key=lambda seen: seen.number or 0)
    for life in lives[1:]:
        for seen in life:
            assert seen.number is not None
            assert highest.number is not None
            if seen.number <= highest.number:
                return Finding(
                    False,
                    f"before the restart {_name(highest)}, after it {_name(seen)}",
                    "keep the highest number in a file of your own and go on from it, or take the "
                    "time in microseconds, in UTC, as the number",
                    (highest.event.number, seen.event.number),
                )
        highest = max([highest, *life], key=lambda seen: seen.number or 0)
    return Finding(True, f"numbers went on over {len(lives) - 1} restarts")
