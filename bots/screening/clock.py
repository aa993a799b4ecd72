"""Questions relating to time (rules 2010, section 4, set 1): clock, part of the day, day, date,
and what comes next. Rounds and the contest itself are in rounds.py.

"The system clock will be accurate to within a minute or two": the wall clock is all that is asked.
"""

from __future__ import annotations

import datetime
import re

from bots.screening.rules import Match, Rules
from bots.screening.wording import number

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_PARTS = ("Morning", "Noon", "Afternoon", "Evening", "Night")
_MEALS = ("Breakfast", "Lunch", "Dinner")
_SEASONS = ("Spring", "Summer", "Fall", "Winter")
_FEASTS = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "new year": (1, 1),
}

_DAYS = "|".join(DAYS).lower()
_MONTHS = "|".join(MONTHS).lower()
_NOW = r"(?:is it|it is|is this|this is)"

RULES: Rules[datetime.datetime] = Rules()


def clock_face(moment: datetime.datetime) -> str:
    """A time as one says it: "9:30 AM"."""
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def date_of(moment: datetime.datetime) -> str:
    """A date as one says it: "Saturday, October 23, 2010"."""
    month = MONTHS[moment.month - 1]
    return f"{DAYS[moment.weekday()]}, {month} {moment.day}, {moment.year}"


def part_of_day(moment: datetime.datetime) -> str:
    """morning (5 to 12), noon (its first quarter of an hour), afternoon, evening (from 18),
    night (from 21)."""
    if moment.hour == 12 and moment.minute < 15:
        return "noon"
    bounds = ((5, "night"), (12, "morning"), (18, "afternoon"), (21, "evening"))
    return next((name for bound, name in bounds if moment.hour < bound), "night")


def season_of(moment: datetime.datetime) -> str:
    """The season of the northern half of the Earth, by whole months."""
    return ("winter", "spring", "summer", "fall")[moment.month % 12 // 3]


def minutes_of(span: datetime.timedelta) -> str:
    """A span as one says it: "12 minutes", "2 hours and 5 minutes", "3 days"."""
    minutes = max(0, round(span.total_seconds() / 60))
    if minutes >= 48 * 60:
        return f"{round(minutes / 60 / 24):,} days"
    counted = zip(divmod(minutes, 60), ("hour", "minute"), strict=True)
    parts = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in counted if count]
    return " and ".join(parts) or "less than a minute"


# What comes next, whatever the day is today.


@RULES.on(
    rf"\bif (?P<given>today|tomorrow|yesterday) (?:is|was|were|will be) (?P<name>{_DAYS})"
    r".*\b(?P<asked>today|tomorrow|yesterday)",
)
def _if_today(match: Match, now: datetime.datetime) -> str | None:
    days = {"yesterday": -1, "today": 0, "tomorrow": 1}
    step = days[match["asked"]] - days[match["given"]]
    named = DAYS[(DAYS.index(match["name"].capitalize()) + step) % 7]
    verb = "was" if match["asked"] == "yesterday" else "would be"
    return f"{match['asked'].capitalize()} {verb} {named}."


@RULES.on(
    r"\b(?:what|which)\b(?!.*\bcontest\b).*\b(?:is|was|comes?|came|follows?) (?:right |just "
    r"|immediately |directly )?(?P<way>after|before|follows)? ?(?P<name>[a-z]+)$",
)
def _next_in_row(match: Match, now: datetime.datetime) -> str | None:
    way = match["way"] or ("after" if "follow" in match[0] else None)
    asked = match["name"].capitalize()
    for row in (DAYS, MONTHS, _SEASONS, _PARTS, _MEALS):
        if way is not None and asked in row:
            return f"{row[(row.index(asked) + (1 if way == 'after' else -1)) % len(row)]}."
    return None


# Clock


@RULES.on(
    r"\bwhat time (?:will it be|is it going to be|was it) (?:in )?(?P<count>[a-z0-9]+(?: an?)?) "
    r"(?P<unit>hour|minute)s?(?: (?P<way>ago|from now|earlier|later))?",
)
def _time_shifted(match: Match, now: datetime.datetime) -> str | None:
    amount = 0.5 if match["count"].startswith("half") else number(match["count"])
    if amount is None:
        return None
    shift = amount * datetime.timedelta(**{match["unit"] + "s": 1})
    if match["way"] in ("ago", "earlier"):
        return f"It was {clock_face(now - shift)}."
    return f"It will be {clock_face(now + shift)}."


@RULES.on(
    rf"\bwhat time (?:{_NOW}|do you have|have you)\b",
    r"\bwhat(?: is|'s)? the (?:correct |current |exact )?(?:time|hour)(?: now| right now)?$",
    r"\b(?:do you have|have you got) the time\b",
    r"\bwhat (?:hour|o'clock)(?: of the day)? (?:is it|it is)",
    r"\bwhat does (?:the|your) (?:clock|watch) (?:say|show)",
    r"^(?:the )?time(?: please)?$",
    r"\bhow late is it",
)
def _time(match: Match, now: datetime.datetime) -> str | None:
    if re.search(r"\b(?:need|use|used|find out)\b", match.string):
        # What one finds out the time by is a thing.
        return None
    return f"It is {clock_face(now)}."


@RULES.on(r"\b(?:am or pm|a m or p m|pm or am|before or after (?:noon|midday))\b")
def _half_of_day(match: Match, now: datetime.datetime) -> str | None:
    if "before" in match[0]:
        return f"It is {'before' if now.hour < 12 else 'after'} noon; it is {clock_face(now)}."
    return f"It is {'AM' if now.hour < 12 else 'PM'}: {clock_face(now)}."


@RULES.on(
    r"\bis it (?:already |still )?(?P<side>before|after|past|later than|earlier than) "
    r"(?P<hour>noon|midday|midnight|\d{1,2}|[a-z]+)(?::(?P<minute>\d\d))?(?: o'clock)?"
    r"(?: ?(?P<half>am|pm|a m|p m))?$",
)
def _is_past(match: Match, now: datetime.datetime) -> str | None:
    named = {"noon": 12, "midday": 12, "midnight": 0}
    hour = named.get(match["hour"], number(match["hour"]))
    if hour is None or hour > 24:
        return None
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].startswith("p") else 0)
    then = hour * 60 + int(match["minute"] or 0)
    is_past = now.hour * 60 + now.minute >= then
    yes = is_past == (match["side"] in ("after", "past", "later than"))
    return f"{'Yes' if yes else 'No'}, it is {clock_face(now)}."


# Part of the day


@RULES.on(r"\bgood (?:morning|afternoon|evening|night),? or good\b")
def _greeting(match: Match, now: datetime.datetime) -> str | None:
    part = part_of_day(now)
    return f"Good {'afternoon' if part == 'noon' else part}, for it is {clock_face(now)}."


@RULES.on(
    rf"\b{_NOW} (?:now |still |already )?(?:the )?(?:in the )?(?P<named>(?:morning|noon|midday"
    r"|afternoon|evening|night(?:time)?|day(?:time)?)\b.*)",
    r"\b(?:what|which) (?:part|time) of (?:the )?day\b(?P<named>.*)",
    r"^is it .*\b(?:or|still|already) .*\b(?P<named>(?:morning|noon|afternoon|evening|night)\b.*)",
)
def _part(match: Match, now: datetime.datetime) -> str | None:
    named = re.findall(r"morning|noon|midday|afternoon|evening|night|day", match["named"])
    part = part_of_day(now)
    if " of " in match[0] or len(named) > 1:
        return f"It is {_within(part, named)}."
    if named[0] in (part, _within(part, named)):
        return f"Yes, it is {clock_face(now)}."
    return f"No, it is {part}: {clock_face(now)}."


@RULES.on(r"\b(?:is it|will it be) (?:still |already |getting )?(?P<sky>dark|light|bright)\b.*")
def _dark(match: Match, now: datetime.datetime) -> str | None:
    light = 7 <= now.hour < 18
    if "or" in match[0].split():
        return f"It should be {'light' if light else 'dark'} outside at {clock_face(now)}."
    yes = light == (match["sky"] != "dark")
    sky = "light" if light else "dark"
    return f"{'Yes' if yes else 'No'}, at {clock_face(now)} it should be {sky} outside."


@RULES.on(
    r"\btime (?:for|to (?:eat|have|go to)) (?:the |a )?"
    r"(?P<meal>breakfast|lunch|dinner|supper|bed|sleep)\b",
    r"\b(?:what|which) meal\b(?P<meal>)",
)
def _meal(match: Match, now: datetime.datetime) -> str | None:
    bounds = ((5, "bed"), (11, "breakfast"), (17, "lunch"), (21, "dinner"))
    meal = next((name for bound, name in bounds if now.hour < bound), "bed")
    asked = {"supper": "dinner", "sleep": "bed"}.get(match["meal"], match["meal"])
    if not asked:
        return f"At {clock_face(now)} it would be {'a snack' if meal == 'bed' else meal}."
    if asked == meal:
        return f"Yes, it is {clock_face(now)}."
    return f"No, at {clock_face(now)} it is rather time for {meal}."


# Day and date


@RULES.on(
    rf"\b(?:is|was) (?P<when>it|today|this|tomorrow|yesterday) (?:a |the |on a )?"
    rf"(?:(?P<day>{_DAYS})|(?P<sort>weekend|weekday|week day|work ?day|school ?day))\b",
)
def _is_day(match: Match, now: datetime.datetime) -> str | None:
    step = {"tomorrow": 1, "yesterday": -1}.get(match["when"], 0)
    there = now + datetime.timedelta(days=step)
    name = DAYS[there.weekday()]
    weekend = there.weekday() >= 5
    right = (
        weekend == (match["sort"] == "weekend") if match["sort"] else match["day"] == name.lower()
    )
    said = {1: "tomorrow is", -1: "yesterday was"}.get(step, "today is")
    return f"{'Yes' if right else 'No'}, {said} {name}."


@RULES.on(
    r"\b(?P<when>day after tomorrow|day before yesterday|tomorrow|yesterday)\b",
)
def _other_day(match: Match, now: datetime.datetime) -> str | None:
    text = match.string
    if not re.search(
        r"\b(?:date|day)\b(?! (?:after|before)\b)"
        r"|^what (?:is|was|will|will be) (?:tomorrow|yesterday|the day)",
        text,
    ):
        return None
    steps = {"tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2}
    step = steps[match["when"]]
    other = now + datetime.timedelta(days=step)
    named = date_of(other) if "date" in text else DAYS[other.weekday()]
    said = match["when"].capitalize() if abs(step) == 1 else f"The {match['when']}"
    return f"{said} {'is' if step > 0 else 'was'} {named}."


@RULES.on(
    rf"\b(?:what|which) (?:week)?day (?:of the week )?(?:{_NOW}|today is|is today|do we have)\b",
    rf"\bwhat is the (?:name of the )?(?:week)?day(?: of the week)?(?: today| now| {_NOW})?$",
    r"^what is today$",
)
def _day(match: Match, now: datetime.datetime) -> str | None:
    return f"It is {DAYS[now.weekday()]}."


@RULES.on(
    r"\btoday'?s date\b",
    rf"\b(?:what|which) date (?:{_NOW}|today is|is today|do we have)\b",
    r"^(?:what is )?the (?:current |exact )?date(?: today| now| please)?$",
    r"\bday of the month\b",
)
def _date(match: Match, now: datetime.datetime) -> str | None:
    return f"Today is {date_of(now)}."


@RULES.on(r"\b(?:what|which) (?P<what>month|year) (?:is|was|will)\b.*\b(?P<way>next|last)\b")
def _other_month_or_year(match: Match, now: datetime.datetime) -> str | None:
    step = 1 if match["way"] == "next" else -1
    said = "will be" if step > 0 else "was"
    if match["what"] == "year":
        return f"It {said} {now.year + step}."
    return f"It {said} {MONTHS[(now.month - 1 + step) % 12]}."


@RULES.on(
    rf"\b(?:what|which) (?P<what>month|year|season|century)(?: of the year)? "
    rf"(?:{_NOW}|are we|do we)\b",
    r"\bwhat is the (?:current |present )?(?P<what>month|year|season)(?: now| today)?$",
)
def _month_or_year(match: Match, now: datetime.datetime) -> str | None:
    if match["what"] == "century":
        return f"It is the {now.year // 100 + 1}st century." if now.year // 100 == 20 else None
    named = {"month": MONTHS[now.month - 1], "year": str(now.year), "season": season_of(now)}
    return f"It is {named[match['what']]}."


@RULES.on(
    rf"\bis (?:it|this) (?:now |still |already |the month of |the year )?(?:(?P<month>{_MONTHS})"
    r"|(?P<year>\d{4})|(?P<season>spring|summer|fall|autumn|winter))\b",
)
def _is_month_or_year(match: Match, now: datetime.datetime) -> str | None:
    if match["month"]:
        named = MONTHS[now.month - 1]
        yes = match["month"] == named.lower()
    elif match["year"]:
        named = str(now.year)
        yes = match["year"] == named
    else:
        named = season_of(now)
        yes = match["season"].replace("autumn", "fall") == named
    if " or " in match.string:
        return f"It is {named}."
    return f"{'Yes' if yes else 'No'}, it is {named}."


@RULES.on(
    r"\b(?:how long|how many days)\b.*\b(?:until|till|before|to)\b (?P<feast>"
    + "|".join(sorted(_FEASTS, key=len, reverse=True))
    + ")",
)
def _until_feast(match: Match, now: datetime.datetime) -> str | None:
    month, day = _FEASTS[match["feast"]]
    there = datetime.date(now.year, month, day)
    if there < now.date():
        there = there.replace(year=now.year + 1)
    days = (there - now.date()).days
    return f"{days} day{'' if days == 1 else 's'} until {match['feast'].title()}."


def _within(part: str, named: list[str]) -> str:
    # "Is it day or night?": the part that was asked for and holds the real one.
    wider = {
        "noon": ("midday", "day", "afternoon"),
        "morning": ("day",),
        "afternoon": ("day",),
        "evening": ("night",),
    }
    if part in named:
        return part
    return next((name for name in wider.get(part, ()) if name in named), part)
