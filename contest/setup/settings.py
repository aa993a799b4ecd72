"""A contest's settings, from its contest.toml or from its record.

Options are declared here with their limits. An unknown option is refused by its name and table. An
error is one line with the file, the table and the remedy.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

import scheduler
from contest.errors import BadSettings, NotAContest, RecordTrouble
from contest.setup.filenames import is_device
from scheduler.planning.problem import Problem
from scheduler.planning.wishes import Wishes, wishes_of

FILE_NAME = "contest.toml"

TALLY = tuple(step.name for step in scheduler.RULES_2010.steps)
SILVER = scheduler.RULES_2010.silver.name
_2010 = scheduler.PRIZES_2010
#: Minutes, up to a day.
_Minutes = Annotated[float, Meta(gt=0, le=24 * 60)]
#: Whole units of a currency; larger numbers are not exact in every program's JSON.
_Money = Annotated[int, Meta(ge=0, le=2**53 - 1)]
#: A name of a currency, a medal, a platform or a medium, and an optional one.
_NAME = r"\A(?!\s)[^\x00-\x1f\x7f-\x9f]{1,60}(?<!\s)\Z"
_Name = Annotated[str, Meta(pattern=_NAME)]
_OPTIONAL = rf"{_NAME}|\A\Z"
_Names = Annotated[tuple[_Name, ...], Meta(min_length=1)]
_NameOrNone = Annotated[str, Meta(pattern=_OPTIONAL)]
#: A host as browsers write it, with or without a port; IPv6 also without brackets.
_HOST = r"\A(?:[\w-]+(\.[\w-]+)*\.?(:\d{1,5})?|\[[\da-fA-F:.]+\](:\d{1,5})?|[\da-fA-F:.]+)\Z"
_Host = Annotated[str, Meta(pattern=_HOST)]
#: The ids of the judges, entries and confederates.
People = tuple[Sequence[str], Sequence[str], Sequence[str]]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class ContestTable(_Table, frozen=True):
    """`[contest]`: its name, place and time."""

    name: str
    venue: str = ""
    date: dt.date | None = None
    start: dt.time | None = None


class RulesTable(_Table, frozen=True):
    """`[rules]`: the rounds and the minutes of their parts (rules 2010, section 3); ties in final
    rankings; the rules for places and the silver medal; whether orders that affect results need two
    persons; pasted text."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 4
    interaction_minutes: _Minutes = 25
    scoring_minutes: _Minutes = 5
    ranking_minutes: _Minutes = 15
    #: The file of a schedule in the contest's folder; by default one is made for these numbers.
    schedule: str = ""
    ties: bool = True
    #: The steps that decide the places, in this order: names of `scheduler.rules.STEPS`.
    tally: tuple[str, ...] = TALLY
    #: The rule for the silver medal: a name of `scheduler.rules.SILVER`.
    silver: str = SILVER
    #: Whether orders that affect results need a second person, who has a separate code.
    two_persons: bool = False
    #: Pasted text is refused, or typed key by key at a person's pace.
    paste: Literal["refuse", "type"] = "refuse"


class ScheduleTable(_Table, frozen=True):
    """`[schedule]`: wishes for the schedule. They also apply to the organizer's own schedule, and
    to each new plan on the day."""

    #: Pairs who must not meet, such as `J1E2` or `J3/hal`, or both ids in a list.
    conflicts: tuple[str | tuple[str, str], ...] = ()
    #: Id to the rounds in which that participant is away.
    away: dict[str, tuple[int, ...]] = {}
    #: The number of desks, or one number per round; empty for enough.
    desks: int | tuple[int, ...] = ()
    #: A wish's letter (a, b, c: rules 2010, section 3) to the weight of a missing pair.
    weights: dict[str, int] = {}
    #: The letters of the wishes that the schedule must fulfil completely.
    hard: tuple[str, ...] = ()

    def wishes(self) -> Wishes:
        """The wishes for `scheduler`.

        Raises:
            scheduler.BadInput: if a value does not fit; without the name of the file.
        """
        return wishes_of(msgspec.json.decode(msgspec.json.encode(self)), "")


class PrizesTable(_Table, frozen=True):
    """`[prizes]`: money in whole units of `currency`, and the names of the medals. Entries that
    share a place share the prizes of the places that they take up."""

    currency: _NameOrNone = _2010.currency
    #: For the first place, the second and so on.
    places: Annotated[tuple[_Money, ...], Meta(max_length=100)] = _2010.places
    #: The medal for the first place; "" for none.
    first_medal: _NameOrNone = _2010.first_medal
    #: For each finalist when the finalists are announced, in addition to the prize or as a part of
    #: it.
    finalist: _Money = _2010.finalist
    finalist_is_advance: bool = _2010.finalist_is_advance
    silver: _Money = _2010.silver
    silver_medal: _Name = _2010.silver_medal
    #: With the gold medal, in the contest that follows a silver medal; 0 for none.
    gold: _Money = _2010.gold
    gold_medal: _Name = _2010.gold_medal

    def prizes(self) -> scheduler.Prizes:
        """The prizes for `scheduler`."""
        return scheduler.Prizes(**msgspec.structs.asdict(self))


class PublicationTable(_Table, frozen=True):
    """`[publication]`: the text that judges and confederates are asked to agree to (by default one
    that explains what this program does), and the default for people who give no answer."""

    text: Annotated[str, Meta(max_length=20_000)] = ""
    default: Literal["publish", "withhold"] = "withhold"

    @property
    def agreement(self) -> str:
        """The text that people are asked to agree to: the organizer's or, by default, ours."""
        return self.text.strip() or _AGREEMENT.format(silence=_SILENCE[self.default])


_AGREEMENT = (resources.files("contest.setup") / "agreement.txt").read_text("utf-8").rstrip("\n")
_SILENCE = {
    "publish": "If you give no answer, what you type is published under your name.",
    "withhold": "If you give no answer, your name and what you type are withheld.",
}


class SpectatorsTable(_Table, frozen=True):
    """`[spectators]`: whether an audience can follow the talks live, and the delay in seconds of
    real time."""

    show: bool = True
    delay_seconds: Annotated[int, Meta(ge=0, le=600)] = 30


class SeatsTable(_Table, frozen=True):
    """`[seats]`: who may use a browser (`/sit`) instead of a console. Confederates need a hardware
    keyboard, so that judges can't recognize them by their device."""

    browser: Literal["none", "judges", "all"] = "judges"

    @property
    def in_browser(self) -> tuple[str, ...]:
        """The roles whose seats can be used in a browser."""
        return {"none": (), "judges": ("judge",), "all": ("judge", "confederate")}[self.browser]


class ServerTable(_Table, frozen=True):
    """`[server]`: further names and addresses under which browsers may use the server, each as
    `HOST` or `HOST:PORT`."""

    names: tuple[_Host, ...] = ()


class LinksTable(_Table, frozen=True):
    """`[links]`: after how many minutes without a server this machine's links end, with the
    entries' programs."""

    minutes_without_server: _Minutes = 10


class RecordTable(_Table, frozen=True):
    """`[record]`: where the record is kept, by default in `record.db` in the contest's folder;
    `copy_to` is the file of a second copy, which is always kept up to date."""

    database: str = ""
    copy_to: str = ""


class PersonTable(_Table, frozen=True):
    """`[[judge]]` and `[[confederate]]`: the person at a seat."""

    id: str
    name: str = ""


class EntryTable(_Table, frozen=True):
    """`[[entry]]`: a program, its entrant and all individuals associated with it.

    `command` starts it, with `{dir}` for its communications directory. `directory` is that
    directory; by default one is made in memory. `link` says on which machine the directory is.
    """

    id: str
    name: str = ""
    entrant: str = ""
    individuals: tuple[str, ...] = ()
    command: str = ""
    directory: str = ""
    link: Literal["local", "remote"] = "local"


class SeasonTable(_Table, frozen=True):
    """`[season]`: when entries may be posted, tested and announced, on which media and platforms,
    how many are screened, and how many of these are finalists (rules 2010, section 1)."""

    #: First and last day of posting.
    opens: dt.date = dt.date(2010, 5, 3)
    closes: dt.date = dt.date(2010, 6, 7)
    #: Entrants who come for testing must make an appointment before this day.
    agreed_before: dt.date = dt.date(2010, 6, 7)
    #: The first and last day for testing.
    testing_from: dt.date = dt.date(2010, 6, 8)
    testing_to: dt.date = dt.date(2010, 6, 30)
    #: When the finalists are announced.
    announced: dt.date = dt.date(2010, 7, 5)
    #: The last day on which the date and venue of the contest may be changed; the first and last
    #: day for a new date.
    fixed_after: dt.date = dt.date(2010, 5, 1)
    contest_from: dt.date = dt.date(2010, 10, 4)
    contest_to: dt.date = dt.date(2010, 11, 1)
    #: Entries that run on the management's computers need at least one of these.
    platforms: _Names = ("Windows XP", "Windows Vista", "Windows 7")
    media: _Names = ("CD", "DVD", "USB flash")
    #: How many compliant entries are screened, and how many of these are finalists.
    screened: Annotated[int, Meta(ge=1, le=1000)] = 16
    finalists: Annotated[int, Meta(ge=1)] = 4

    def __post_init__(self) -> None:
        for first, second in _ORDER:
            earlier, later = getattr(self, first), getattr(self, second)
            if earlier > later:
                raise ValueError(
                    f"{first} ({earlier}) is after {second} ({later}); put these dates in order"
                )
        if self.finalists > self.screened:
            raise ValueError(
                f"finalists must be between 1 and {self.screened}, the number of entries that are "
                f"screened, not {self.finalists}"
            )


_ORDER = (
    ("opens", "closes"),
    ("closes", "testing_to"),
    ("agreed_before", "testing_to"),
    ("testing_from", "testing_to"),
    ("testing_to", "announced"),
    ("announced", "contest_to"),
    ("contest_from", "contest_to"),
)


class ScreeningTable(_Table, frozen=True):
    """`[screening]`: the facts that screening questions ask about, which stay the same even if the
    time or venue changes (rules 2010, section 4, set 1)."""

    start: dt.datetime = dt.datetime(2010, 10, 23, 9, 30)
    rounds: int = 6
    round_minutes: int = 30
    clock_minutes: int = 2


class Settings(_Table, frozen=True):
    """A whole contest.toml."""

    contest: ContestTable
    rules: RulesTable = RulesTable()
    schedule: ScheduleTable = ScheduleTable()
    prizes: PrizesTable = PrizesTable()
    publication: PublicationTable = PublicationTable()
    spectators: SpectatorsTable = SpectatorsTable()
    seats: SeatsTable = SeatsTable()
    server: ServerTable = ServerTable()
    links: LinksTable = LinksTable()
    record: RecordTable = RecordTable()
    judge: tuple[PersonTable, ...] = ()
    entry: tuple[EntryTable, ...] = ()
    confederate: tuple[PersonTable, ...] = ()
    season: SeasonTable = SeasonTable()
    screening: ScreeningTable = ScreeningTable()

    def as_json(self) -> dict[str, Any]:
        """The settings for the record: dates and minutes as text, because all numbers in a record
        are integers. The record's address has no user and password."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        for table in ("rules", "links"):
            plain[table] = {
                key: f"{value:g}" if isinstance(value, float) else value
                for key, value in plain[table].items()
            }
        plain["record"]["database"] = _without_secrets(self.record.database)
        return plain

    def recorded_in(self, database: str | None) -> Settings:
        """The same settings with the record at another address.

        Arguments:
            database: the address; None for the one in these settings.
        """
        if database is None:
            return self
        record = msgspec.structs.replace(self.record, database=database)
        return msgspec.structs.replace(self, record=record)


# At import, because msgspec crashes if two threads use a struct for the first time at once; see
# `contest.record.events.kinds_in`.
msgspec.json.Decoder(Settings)


def _without_secrets(database: str) -> str:
    """The address of a database without user, password and options, which may be secret."""
    kind, mark, place = database.partition("://")
    if not mark or kind.startswith("sqlite"):
        return database
    # As in SQLAlchemy, a password may have any characters except @.
    parted = re.fullmatch(r"(?:[^:/]*(?::[^@]*)?@)?([^?]*)(?:\?.*)?", place, re.DOTALL)
    return f"{kind}://{parted[1] if parted else ''}"


def require_folder(folder: Path) -> None:
    """Raises NotAContest if there is no such folder."""
    if folder.is_file():
        if folder.name == FILE_NAME:
            raise NotAContest(f"{folder}: this is a file; name its folder, {folder.parent}")
        raise NotAContest(
            f"{folder}: this is a file; name the folder of a contest (`loebner recover FILE --out "
            "DIR` makes one from a record or its copy), or for verify an events.jsonl"
        )
    if not folder.is_dir():
        name = shlex.quote(str(folder))
        raise NotAContest(
            f"{folder}: no such folder; name the folder of a contest, or make one with `loebner "
            f"new {name}`"
        )


def load(folder: Path) -> Settings:
    """Reads a contest's settings.

    Arguments:
        folder: the contest's folder.

    Raises:
        NotAContest: if there is no contest.toml.
        BadSettings: if it can't be used; the text says where, and what to do.
    """
    require_folder(folder)
    file = folder / FILE_NAME
    if not file.is_file():
        raise NotAContest(
            f"{folder}: this folder has no {FILE_NAME}; make one with `loebner new DIR`"
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise BadSettings(f"{file}: can't be read ({exc})") from exc
    return parse(text, str(file))


def parse(text: str, where: str = FILE_NAME) -> Settings:
    """Reads the text of a contest.toml.

    Arguments:
        text: TOML.
        where: the file's name for errors.

    Raises:
        BadSettings: if it can't be used.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise BadSettings(f"{where}: this is not TOML: {exc}") from exc
    _refuse_unknown(raw, where)
    try:
        settings = msgspec.convert(raw, Settings)
    except msgspec.ValidationError as exc:
        raise BadSettings(f"{where}: {_in_words(str(exc))}") from exc
    _check(settings, where)
    return settings


# Our own check for unknown options comes first, because msgspec names only the first one and
# doesn't suggest a known one. Table to its class, and whether there may be several:
_TABLES: dict[str, tuple[type[msgspec.Struct], bool]] = {
    name: (get_args(kind)[0], True) if get_origin(kind) is tuple else (kind, False)
    for name, kind in get_type_hints(Settings).items()
}


def _refuse_unknown(raw: dict[str, Any], where: str) -> None:
    _check_keys(raw, list(_TABLES), f"{where}: unknown table or option", "at the top level")
    for name, (struct, many) in _TABLES.items():
        tables = raw.get(name, [] if many else {})
        shown, count = (f"[[{name}]]", "two brackets") if many else (f"[{name}]", "one bracket")
        if not isinstance(tables, list if many else dict):
            raise BadSettings(f"{where}: write {shown} with {count}, once{' for each' * many}")
        for table in tables if many else [tables]:
            if isinstance(table, dict):
                _check_keys(
                    table, struct.__struct_fields__, f"{where}: unknown option", f"in {shown}"
                )


def _check_keys(table: Iterable[str], options: Sequence[str], what: str, place: str) -> None:
    for key in table:
        if key not in options:
            near = difflib.get_close_matches(key, options, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(options)}"
            raise BadSettings(f"{what} {key!r} {place}; {hint}")


#: Plainer wording for messages of msgspec with technical terms.
_PLAINLY = {
    "Invalid RFC3339 encoded date": "this is not a date; write it as 2010-10-23, without quotes",
    "Invalid RFC3339 encoded time": "this is not a time; write it as 09:30:00, without quotes",
    "Invalid RFC3339 encoded datetime": (
        "this is not a date with time; write it as 2010-10-23T09:30:00, without quotes"
    ),
    "Expected `array` of length >= 1": "name at least one",
    f"Expected `str` matching regex {_NAME!r}": (
        "write one line of 1 to 60 characters, without spaces around it"
    ),
    f"Expected `str` matching regex {_OPTIONAL!r}": (
        "write one line of at most 60 characters, without spaces around it"
    ),
    f"Expected `str` matching regex {_HOST!r}": (
        'give a name or address alone, such as "contest.example:8443" or "192.168.1.10"'
    ),
}


def _in_words(message: str) -> str:
    """A message of msgspec with its path in terms of TOML: `$.entry[1].id` becomes `[[entry]]
    number 2, id`."""
    text, _, path = message.partition(" - at `$")
    match = re.fullmatch(r"\.(\w+)(?:\[(\d+)\])?(?:\.(\w+))?.*`", path)
    if match is None:
        return text
    table, index, field = match.groups()
    place = f"[[{table}]] number {int(index) + 1}" if index else f"[{table}]"
    said = _PLAINLY.get(text, f"{text[0].lower()}{text[1:]}")
    return f"{place}{', ' + field if field else ''}: {said}"


def _check(settings: Settings, where: str) -> None:
    """Checks rules between options; each option's own limits are in its declaration."""
    try:
        scheduler.rules_of(settings.rules.tally, settings.rules.silver)
    except scheduler.BadInput as exc:
        raise BadSettings(f"{where}: [rules] tally and silver: {exc}") from exc
    _check_ids(settings, where)
    _check_names(settings, where)
    problem_of(settings, where)


def people_of(settings: Settings) -> People:
    """The ids of all judges, entries and confederates."""
    return (
        [judge.id for judge in settings.judge],
        [entry.id for entry in settings.entry],
        [confederate.id for confederate in settings.confederate],
    )


def problem_of(settings: Settings, where: str) -> Problem:
    """The problem that a schedule for these settings must solve.

    Arguments:
        settings: the contest's settings.
        where: the file's name for errors.

    Raises:
        BadSettings: if a wish can't be used, or names an unknown participant or round.
    """
    try:
        return settings.schedule.wishes().problem(*people_of(settings), settings.rules.rounds)
    except scheduler.BadInput as exc:
        field = f" {exc.field}" if exc.field else ""
        raise BadSettings(f"{where}: [schedule]{field}: {exc.problem}") from None


# Participants: unique ids that can be used in file names, unique names of seats, and nobody with
# two entries (rules 2010, section 1)

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")
#: The record's names for actors without a seat.
_OURS = {"organizer", "witness", "server", "withheld"}


def _check_ids(settings: Settings, where: str) -> None:
    seen: dict[str, str] = {}
    for table in ("judge", "entry", "confederate"):
        for number, each in enumerate(getattr(settings, table), 1):
            place, known = f"[[{table}]] number {number}", each.id.casefold()
            wrong = ""
            if not _ID.fullmatch(each.id):
                wrong = "ids begin with a letter and have up to 16 letters, digits, - and _"
            elif known in _OURS:
                wrong = "the record uses it for something else"
            elif is_device(each.id):
                wrong = "Windows reserves this name for a device"
            elif known in seen:
                wrong = f"{seen[known]} has it already"
            if wrong:
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} can't be used: {wrong}; choose another"
                )
            seen[known] = place


def _check_names(settings: Settings, where: str) -> None:
    seats: dict[str, str] = {}
    for each in (*settings.judge, *settings.confederate):
        name = _alike(each.name)
        if name and name in seats:
            raise BadSettings(
                f"{where}: the seats {seats[name]} and {each.id} have the same name, "
                f"{each.name!r}; give each seat its own name"
            )
        seats[name] = each.id
    associated: dict[str, str] = {}
    for entry in settings.entry:
        people = {_alike(name): name for name in (*entry.individuals, entry.entrant) if name}
        for key, name in people.items():
            if other := associated.get(key):
                raise BadSettings(
                    f"{where}: {name!r} is associated with {other} and {entry.id}; "
                    "no individual may be associated with more than one entry (rules, section 1)"
                )
            associated[key] = entry.id
        if entry.command and "{dir}" not in entry.command:
            raise BadSettings(
                f"{where}: the command of {entry.id} needs {{dir}}, which stands for its "
                "communications directory"
            )


def _alike(name: str) -> str:
    return " ".join(name.split()).casefold()


#: Tables that concern this machine, and can be changed in the middle of a contest.
_THIS_MACHINE = ("links", "record", "server", "spectators")


def resume_settings(recorded: Mapping[str, Any], file: Settings) -> tuple[Settings, list[str]]:
    """The settings with which a contest continues: those with which it was opened, except for those
    that concern this machine or the audience.

    Arguments:
        recorded: the settings in its record.
        file: the current contest.toml, for the tables of this machine and the entries' commands.

    Returns:
        The settings, and in words the changes in contest.toml that have no effect.

    Raises:
        RecordTrouble: if the record's settings can't be used.
    """
    try:
        kept = msgspec.convert(dict(recorded), Settings, strict=False)
    except msgspec.ValidationError as exc:
        raise RecordTrouble(f"the settings in the record can't be used ({exc})") from exc
    ways = {entry.id: entry for entry in file.entry}
    started = ("command", "directory", "link")
    entries = tuple(
        msgspec.structs.replace(
            entry, **{name: getattr(ways.get(entry.id, entry), name) for name in started}
        )
        for entry in kept.entry
    )
    own = {name: getattr(file, name) for name in file.__struct_fields__ if name in _THIS_MACHINE}
    settings = msgspec.structs.replace(kept, entry=entries, **own)
    # The record has the text that people agree to, even if the file has none.
    said = msgspec.structs.replace(file.publication, text=kept.publication.text)
    now = msgspec.structs.replace(file, publication=said)
    names = [name for name in settings.__struct_fields__ if name not in _THIS_MACHINE]
    return settings, [
        f"{name!r} in {FILE_NAME} has changed since the contest was opened; the change has no "
        "effect"
        for name in names
        if getattr(settings, name) != getattr(now, name)
    ]


# From a record, which has the settings with which a contest was opened. Options that are newer than
# the record have their defaults.

_T = TypeVar("_T", bound=msgspec.Struct)


def _table_in(settings: Mapping[str, Any], name: str, kind: type[_T], what: str) -> _T:
    try:
        return msgspec.convert(settings.get(name, {}), kind)
    except msgspec.ValidationError as exc:
        raise RecordTrouble(f"{what} in the record's settings can't be used: {exc}") from exc


def rules_in(settings: Mapping[str, Any]) -> scheduler.Rules:
    """The rules for the tally of a record.

    Arguments:
        settings: the settings in the record.

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
    """The prizes of a recorded contest; see `rules_in`."""
    return _table_in(settings, "prizes", PrizesTable, "the prizes").prizes()


def wishes_in(settings: Mapping[str, Any]) -> Wishes:
    """The wishes of a recorded contest for its schedule; see `rules_in`."""
    try:
        return _table_in(settings, "schedule", ScheduleTable, "the wishes").wishes()
    except scheduler.BadInput as exc:
        raise RecordTrouble(f"the wishes in the record's settings can't be used: {exc}") from exc
