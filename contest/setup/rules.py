"""The rules of 2010 for submissions: their sentences by name, the contest's own date, and names as
people write them, compared.

A finding quotes the sentence that it rests on, whatever dates the settings have put in the place of
those of 2010.
"""

from __future__ import annotations

import datetime as dt
import difflib
import functools
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from contest.setup.settings import SeasonTable


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for submissions.

    Attributes:
        id: its name, such as `1/posted`: section and what it is about.
        sentence: as printed in the rules of 2010.
    """

    id: str
    sentence: str

    @property
    def section(self) -> str:
        """The section of the rules."""
        return self.id.partition("/")[0]

    def quoted(self) -> str:
        """Section and sentence, to follow what is wrong."""
        return f"rules 2010, section {self.section}: “{self.sentence}”"


_FILE = resources.files("contest.setup") / "rules_2010.toml"
RULES = {
    name: Rule(name, sentence)
    for name, sentence in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What is not as a rule wants it.

    Attributes:
        rule: the rule's id, one of `RULES`.
        words: what is wrong, as a clause without a full stop.
    """

    rule: str
    words: str

    def in_full(self) -> str:
        """What is wrong, and the sentence that says so."""
        return f"{self.words} ({RULES[self.rule].quoted()})"

    def as_json(self) -> dict[str, str]:
        """For programs."""
        return {"rule": self.rule, "words": self.words, "sentence": RULES[self.rule].sentence}


def date_findings(table: SeasonTable, date: dt.date | None) -> list[Finding]:
    """Whether the contest's date lies where a date may lie.

    Arguments:
        table: `[season]`.
        date: the contest's, or None if it has none yet.
    """
    if date is None or table.contest_from <= date <= table.contest_to:
        return []
    return [
        Finding(
            "1/moved",
            f"the contest's date is {date}, and not between {table.contest_from} and "
            f"{table.contest_to}",
        )
    ]


def changes(table: SeasonTable, held: Iterable[tuple[dt.date, Mapping[str, Any]]]) -> list[Finding]:
    """Changes of the contest's date and venue that came too late.

    Arguments:
        table: `[season]`.
        held: the day from which settings held, and the contest's date and venue in them, in their
            order.
    """
    found = []
    before: Mapping[str, Any] | None = None
    for day, contest in held:
        for name in ("date", "venue") if before is not None and day > table.fixed_after else ():
            old, new = (before or {}).get(name), contest.get(name)
            if old and old != new:
                found.append(
                    Finding(
                        "1/date",
                        f"the contest's {name} was changed from {old} to {new or 'none'} on {day}, "
                        f"after {table.fixed_after}",
                    )
                )
        before = contest
    return found


# Names: capitals, spaces, points and accents make no difference

#: How alike two names are, from 0 to 1, that somebody should look at.
NEAR = 0.85


@functools.lru_cache(4096)
def folded(name: str) -> str:
    """What of a name counts when it is compared: its letters and digits without accents, all small.

    Vowel signs of scripts that write them as marks count, for without them names would be others.

    Arguments:
        name: as written.

    Returns:
        Empty if no letter and no digit is in it.
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    kept = "".join(
        char
        for char in unicodedata.normalize("NFKD", plain)
        if not unicodedata.combining(char)
        and (char.isalnum() or unicodedata.category(char) in ("Mn", "Mc"))
    )
    return kept if any(map(str.isalnum, kept)) else ""


def same(one: str, other: str) -> bool:
    """Whether two names are written alike; a text without any letter is not a name and like
    none."""
    return bool(folded(one)) and folded(one) == folded(other)


def near(one: str, other: str) -> bool:
    """Whether two names that are not the same may be one person's: nearly alike, or the same words
    in another order.

    Symmetric, whichever is given first.
    """
    # In one order, because the ratio is not the same from both sides.
    first, second = sorted((one, other))
    if not folded(first) or not folded(second) or same(first, second):
        return False
    if _words(first) == _words(second):
        return True
    matcher = difflib.SequenceMatcher(None, folded(first), folded(second), autojunk=False)
    return matcher.ratio() >= NEAR


def _words(name: str) -> list[str]:
    """The words of a name, folded, in an order of their own."""
    parted = "".join(char if char.isalnum() or not char.isascii() else " " for char in name)
    return sorted(filter(None, map(folded, parted.split())))
