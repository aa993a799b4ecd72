"""What settings say of the result: the steps of the tally, the silver medal's rule, the prizes.

`contest.setup.settings` has the options; here they are checked, and read again out of a record,
which keeps the settings that a contest was opened with. A record from before these options has the
rules and the prizes of 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

import scheduler
from contest.errors import BadSettings, RecordTrouble

#: The most that a prize can be: numbers beyond are not exact in every program's JSON.
MOST_MONEY = 2**53 - 1
#: Places with a prize of their own at most.
_MOST_PLACES = 100
#: Characters of a currency's or a medal's name.
_LONGEST = 60

TALLY = tuple(step.name for step in scheduler.RULES_2010.steps)
SILVER = scheduler.RULES_2010.silver.name
_2010 = scheduler.PRIZES_2010


class PrizesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[prizes]`: money in whole units of `currency`, and what the medals are called. Those who
    share a place share the prizes of the places that they take up."""

    currency: str = _2010.currency
    #: For the first place, the second and so on.
    places: tuple[int, ...] = _2010.places
    #: The medal of the first place; "" for none.
    first_medal: str = _2010.first_medal
    #: For each finalist when the finalists are announced, beside the prize or as a part of it.
    finalist: int = _2010.finalist
    finalist_is_advance: bool = _2010.finalist_is_advance
    silver: int = _2010.silver
    silver_medal: str = _2010.silver_medal
    #: With the medal of the contest that follows when the silver one is won; 0: none follows.
    gold: int = _2010.gold
    gold_medal: str = _2010.gold_medal

    def prizes(self) -> scheduler.Prizes:
        """As `scheduler` has them."""
        return scheduler.Prizes(**msgspec.structs.asdict(self))


def check(tally: tuple[str, ...], silver: str, prizes: PrizesTable, where: str) -> None:
    """Whether these options can be used.

    Arguments:
        tally, silver: of `[rules]`.
        prizes: the table.
        where: what errors call the file.

    Raises:
        BadSettings: if not; says which option and what to do.
    """
    try:
        scheduler.rules_of(tally, silver)
    except scheduler.BadInput as exc:
        raise BadSettings(f"{where}: [rules] tally and silver: {exc}") from exc
    if len(prizes.places) > _MOST_PLACES:
        raise BadSettings(f"{where}: [prizes] places: {_MOST_PLACES} places at most have a prize")
    for name in ("places", "finalist", "silver", "gold"):
        value = getattr(prizes, name)
        for money in value if isinstance(value, tuple) else (value,):
            if not 0 <= money <= MOST_MONEY:
                raise BadSettings(f"{where}: [prizes] {name}: {money} is no prize; give 0 or more")
    for name in ("currency", "first_medal", "silver_medal", "gold_medal"):
        text = getattr(prizes, name)
        if len(text) > _LONGEST or not text.isprintable() or text != text.strip():
            raise BadSettings(
                f"{where}: [prizes] {name}: write one line of {_LONGEST} characters at most, "
                "without spaces around it"
            )
        if not text and name in ("silver_medal", "gold_medal"):
            raise BadSettings(f"{where}: [prizes] {name} is empty; say what it is called")


def rules_in(settings: Mapping[str, Any]) -> scheduler.Rules:
    """The rules by which a record is tallied.

    Arguments:
        settings: those that the contest was opened with, as the record has them.

    Raises:
        RecordTrouble: if they can't be used.
    """
    table = settings.get("rules")
    rules = table if isinstance(table, Mapping) else {}
    steps, silver = rules.get("tally", TALLY), rules.get("silver", SILVER)
    try:
        return scheduler.rules_of(tuple(map(str, steps)), str(silver), "the record's settings")
    except (scheduler.BadInput, TypeError) as exc:
        raise RecordTrouble(f"the rules of the tally can't be used: {exc}") from exc


def prizes_in(settings: Mapping[str, Any]) -> scheduler.Prizes:
    """The prizes of a contest on record; see `rules_in`."""
    try:
        return msgspec.convert(settings.get("prizes", {}), PrizesTable).prizes()
    except msgspec.ValidationError as exc:
        raise RecordTrouble(f"the prizes in the record's settings can't be used: {exc}") from exc
