"""Settings: a contest's folder and its contest.toml.

Options are declared here; an unknown one is refused by name, with the table it stands in. All that
is wrong is said in one line: which file, which table, what to do.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from contest.errors import BadSettings, NotAContest, RecordTrouble
from contest.setup import calendar, winning, wishing
from contest.setup.calendar import SeasonTable
from contest.setup.filenames import is_device
from contest.setup.winning import PrizesTable
from contest.setup.wishing import ScheduleTable

FILE_NAME = "contest.toml"

_MINUTES_LIMIT = 24 * 60
#: Characters that a person can be asked to read.
_TEXT_LIMIT = 20_000
#: Seconds by which an audience may be behind.
_DELAY_LIMIT = 600
#: A host as a browser has it, with a port or without; of IPv6 also without brackets.
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*\.?(:\d{1,5})?|\[[\da-fA-F:.]+\](:\d{1,5})?|[\da-fA-F:.]+")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class ContestTable(_Table, frozen=True):
    """`[contest]`: what it is called, where and when it is held."""

    name: str
    venue: str = ""
    date: dt.date | None = None
    start: dt.time | None = None


class RulesTable(_Table, frozen=True):
    """`[rules]`: rounds, and minutes of each part of one (rules 2010, section 3); whether final
    rankings may have ties, what settles the places and wins the silver medal, whether two persons
    are required for what changes results, and what becomes of a pasted text."""

    rounds: int = 4
    interaction_minutes: float = 25
    scoring_minutes: float = 5
    ranking_minutes: float = 15
    #: A schedule's file in the contest's folder; left out: one is made for these numbers.
    schedule: str = ""
    ties: bool = True
    #: The steps that settle the places, in this order: names of `scheduler.rules.STEPS`.
    tally: tuple[str, ...] = winning.TALLY
    #: What wins the silver medal: a name of `scheduler.rules.SILVER`.
    silver: str = winning.SILVER
    #: Whether what changes results takes a second person, who has a code of his own.
    two_persons: bool = False
    #: Refused, or typed at a person's pace, key by key.
    paste: Literal["refuse", "type"] = "refuse"


class PublicationTable(_Table, frozen=True):
    """`[publication]`: what judges and confederates are asked to agree to (left out: a text that
    says what this program does), and what holds for those who give no answer."""

    text: str = ""
    default: Literal["publish", "withhold"] = "withhold"


class SpectatorsTable(_Table, frozen=True):
    """`[spectators]`: whether an audience may follow the talks while they are on, and by how many
    seconds of its own time everything reaches it later."""

    show: bool = True
    delay_seconds: int = 30


class ServerTable(_Table, frozen=True):
    """`[server]`: names and addresses by which browsers may ask for the server, beside those that
    it has by itself; each as `HOST` or `HOST:PORT`."""

    names: tuple[str, ...] = ()


class LinksTable(_Table, frozen=True):
    """`[links]`: after how many minutes without a server the links of this machine end, and the
    entries' programs with them."""

    minutes_without_server: float = 10


class RecordTable(_Table, frozen=True):
    """`[record]`: where the record is kept; left out: `record.db` in the contest's folder.
    `copy_to` is the file of a second copy, kept all the time."""

    database: str = ""
    copy_to: str = ""


class JudgeTable(_Table, frozen=True):
    """`[[judge]]`"""

    id: str
    name: str = ""


class ConfederateTable(_Table, frozen=True):
    """`[[confederate]]`"""

    id: str
    name: str = ""


class EntryTable(_Table, frozen=True):
    """`[[entry]]`: a program, its entrant and all individuals associated with it.

    `command` starts it, with `{dir}` for its communications directory; `directory` names that,
    else one is made in memory. `link` says on which machine the directory is.
    """

    id: str
    name: str = ""
    entrant: str = ""
    individuals: tuple[str, ...] = ()
    command: str = ""
    directory: str = ""
    link: Literal["local", "remote"] = "local"


class ScreeningTable(_Table, frozen=True):
    """`[screening]`: what screening takes for true, whatever becomes of time and venue
    (rules 2010, section 4, set 1)."""

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
    server: ServerTable = ServerTable()
    links: LinksTable = LinksTable()
    record: RecordTable = RecordTable()
    judge: tuple[JudgeTable, ...] = ()
    entry: tuple[EntryTable, ...] = ()
    confederate: tuple[ConfederateTable, ...] = ()
    season: SeasonTable = SeasonTable()
    screening: ScreeningTable = ScreeningTable()

    def as_json(self) -> dict[str, Any]:
        """The settings for the record: dates as text, and minutes too, for all its numbers are
        whole. Where the record is, is said without user and password."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        for table in ("rules", "links"):
            plain[table] = {
                key: f"{value:g}" if isinstance(value, float) else value
                for key, value in plain[table].items()
            }
        plain["record"]["database"] = _without_secrets(self.record.database)
        return plain

    def recorded_in(self, database: str | None) -> Settings:
        """The same settings with the record elsewhere.

        Arguments:
            database: its address; None for where these settings have it.
        """
        if database is None:
            return self
        record = msgspec.structs.replace(self.record, database=database)
        return msgspec.structs.replace(self, record=record)


def _without_secrets(database: str) -> str:
    """The address of a database without user, password and options, any of which may tell."""
    kind, mark, place = database.partition("://")
    if not mark or kind.startswith("sqlite"):
        return database
    # As SQLAlchemy parts it: a password may hold anything but @.
    parted = re.fullmatch(r"(?:[^:/]*(?::[^@]*)?@)?([^?]*)(?:\?.*)?", place, re.DOTALL)
    return f"{kind}://{parted[1] if parted else ''}"


def load(folder: Path) -> Settings:
    """Reads a contest's settings.

    Arguments:
        folder: the contest's folder.

    Raises:
        NotAContest: if there is no contest.toml.
        BadSettings: if it can't be used; the text says where and what to do.
    """
    file = folder / FILE_NAME
    if not folder.is_dir():
        name = shlex.quote(str(folder))
        raise NotAContest(f"{folder}: no such folder; make a contest with `loebner new {name}`")
    if not file.is_file():
        raise NotAContest(f"{folder}: holds no {FILE_NAME}; make one with `loebner new DIR`")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise BadSettings(f"{file}: can't be read ({exc})") from exc
    return parse(text, str(file))


def parse(text: str, where: str = FILE_NAME) -> Settings:
    """Reads the text of a contest.toml.

    Arguments:
        text: TOML.
        where: what errors call it.

    Raises:
        BadSettings: if it can't be used.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise BadSettings(f"{where}: this is no TOML: {exc}") from exc
    _refuse_unknown(raw, where)
    try:
        settings = msgspec.convert(raw, Settings)
    except msgspec.ValidationError as exc:
        raise BadSettings(f"{where}: {_in_words(str(exc))}") from exc
    _check(settings, where)
    return settings


# Unknown options are found before anything else is read, for msgspec names only the first and
# does not say what was meant.
_TABLES: dict[str, tuple[type[msgspec.Struct], bool]] = {
    "contest": (ContestTable, False),
    "rules": (RulesTable, False),
    "schedule": (ScheduleTable, False),
    "prizes": (PrizesTable, False),
    "publication": (PublicationTable, False),
    "spectators": (SpectatorsTable, False),
    "server": (ServerTable, False),
    "links": (LinksTable, False),
    "record": (RecordTable, False),
    "judge": (JudgeTable, True),
    "entry": (EntryTable, True),
    "confederate": (ConfederateTable, True),
    "season": (SeasonTable, False),
    "screening": (ScreeningTable, False),
}


def _refuse_unknown(raw: dict[str, Any], where: str) -> None:
    _known(raw, list(_TABLES), f"{where}: unknown table or option", "at the top")
    for name, (struct, many) in _TABLES.items():
        tables = raw.get(name, [] if many else {})
        shown = f"[[{name}]]" if many else f"[{name}]"
        if many and not isinstance(tables, list):
            raise BadSettings(f"{where}: write {shown} with two brackets, once for each")
        if not many and not isinstance(tables, dict):
            raise BadSettings(f"{where}: write {shown} with one bracket, once")
        for table in tables if many else [tables]:
            if isinstance(table, dict):
                fields = list(struct.__struct_fields__)
                _known(table, fields, f"{where}: unknown option", f"in {shown}")


def _known(table: Iterable[str], options: Sequence[str], what: str, place: str) -> None:
    for key in table:
        if key not in options:
            near = difflib.get_close_matches(key, options, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(options)}"
            raise BadSettings(f"{what} {key!r} {place}; {hint}")


#: What msgspec says in terms that nobody who writes a contest.toml has to know.
_PLAINLY = {
    f"Invalid RFC3339 encoded {kind}": f"this is no {kind}; write it as {such}, without quotes"
    for kind, such in (
        ("date", "2010-10-23"),
        ("time", "09:30:00"),
        ("datetime", "2010-10-23T09:30:00"),
    )
}


#: Tables that are this machine's own, and can be mended in the middle of a contest.
_THIS_MACHINE = ("links", "record", "server", "spectators")


def resumed(recorded: Mapping[str, Any], file: Settings) -> tuple[Settings, list[str]]:
    """The settings that a contest goes on with: those that it was opened with, but for what belongs
    to this machine, and to those who look on.

    Arguments:
        recorded: those of its record.
        file: what contest.toml says now: from there come where the record is, and how entries are
            started.

    Returns:
        The settings, and in words what contest.toml says otherwise and does not hold.

    Raises:
        RecordTrouble: if the record's settings can't be used.
    """
    try:
        kept = msgspec.convert(dict(recorded), Settings, strict=False)
    except msgspec.ValidationError as exc:
        raise RecordTrouble(f"the settings in the record can't be used ({exc})") from exc
    ways = {entry.id: entry for entry in file.entry}
    entries = tuple(
        msgspec.structs.replace(
            entry,
            command=ways[entry.id].command,
            directory=ways[entry.id].directory,
            link=ways[entry.id].link,
        )
        if entry.id in ways
        else entry
        for entry in kept.entry
    )
    own = {name: getattr(file, name) for name in file.__struct_fields__ if name in _THIS_MACHINE}
    settings = msgspec.structs.replace(kept, entry=entries, **own)
    # The text that people agree to stands in the record even where the file has none.
    said = msgspec.structs.replace(file.publication, text=kept.publication.text)
    now = msgspec.structs.replace(file, publication=said)
    names = [name for name in settings.__struct_fields__ if name not in _THIS_MACHINE]
    return settings, [
        f"{FILE_NAME} says something else under {name!r} than the contest was opened with; "
        "that does not hold any more"
        for name in names
        if getattr(settings, name) != getattr(now, name)
    ]


def _in_words(message: str) -> str:
    """msgspec's message with its path as TOML writes it: `$.entry[1].id` is `[[entry]] 2, id`."""
    text, _, path = message.partition(" - at `$")
    match = re.fullmatch(r"\.(\w+)(?:\[(\d+)\])?(?:\.(\w+))?.*`", path)
    if match is None:
        return text
    table, index, field = match.groups()
    place = f"[[{table}]] number {int(index) + 1}" if index else f"[{table}]"
    said = _PLAINLY.get(text, f"{text[0].lower()}{text[1:]}")
    return f"{place}{', ' + field if field else ''}: {said}"


def _check(settings: Settings, where: str) -> None:
    rules = settings.rules
    if not 1 <= rules.rounds <= 100:
        raise BadSettings(f"{where}: [rules] rounds is {rules.rounds}; give 1 to 100")
    for name in ("interaction_minutes", "scoring_minutes", "ranking_minutes"):
        minutes = getattr(rules, name)
        if not 0 < minutes <= _MINUTES_LIMIT:
            raise BadSettings(f"{where}: [rules] {name} is {minutes:g}; give more than 0, to 1440")
    minutes = settings.links.minutes_without_server
    if not 0 < minutes <= _MINUTES_LIMIT:
        raise BadSettings(
            f"{where}: [links] minutes_without_server is {minutes:g}; give more than 0, to 1440"
        )
    winning.check(rules.tally, rules.silver, settings.prizes, where)
    calendar.check(settings.season, where)
    delay = settings.spectators.delay_seconds
    if not 0 <= delay <= _DELAY_LIMIT:
        raise BadSettings(
            f"{where}: [spectators] delay_seconds is {delay}; give 0 to {_DELAY_LIMIT}"
        )
    for name in settings.server.names:
        if not _HOST.fullmatch(name):
            raise BadSettings(
                f"{where}: [server] names has {name!r}; give a name or address alone, such as "
                '"contest.example", "contest.example:8443" or "192.168.1.10"'
            )
    if len(settings.publication.text) > _TEXT_LIMIT:
        raise BadSettings(
            f"{where}: [publication] text has {len(settings.publication.text):,} characters; "
            f"nobody reads more than {_TEXT_LIMIT:,} before a contest"
        )
    _check_people(settings, where)
    wishing.check(settings.schedule, people_of(settings), rules.rounds, where)


def people_of(settings: Settings) -> wishing.People:
    """The ids of all judges, entries and confederates."""
    return (
        [judge.id for judge in settings.judge],
        [entry.id for entry in settings.entry],
        [confederate.id for confederate in settings.confederate],
    )


# Who takes part: ids that can be told apart and stand in file names, names of seats that nobody
# else has, and nobody with two entries (rules 2010, section 1)

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")
#: What the record calls those who act and have no seat.
_OURS = {"organizer", "witness", "server", "withheld"}


def _check_people(settings: Settings, where: str) -> None:
    """Whether these judges, entries and confederates can take part.

    Arguments:
        settings: the contest's.
        where: what errors call the file.

    Raises:
        BadSettings: if an id or a name can't be used or is somebody else's, or an entry is against
            the rules.
    """
    _check_ids(settings, where)
    _check_names(settings, where)
    _check_entries(settings.entry, where)


def _check_ids(settings: Settings, where: str) -> None:
    seen: dict[str, str] = {}
    for table in ("judge", "entry", "confederate"):
        for number, each in enumerate(getattr(settings, table), 1):
            place = f"[[{table}]] number {number}"
            if not _ID.fullmatch(each.id):
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} can't be used; ids begin with a letter "
                    "and hold up to 16 letters, digits, - and _, such as E1"
                )
            if each.id.casefold() in _OURS:
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} is what the record calls one of ours; "
                    "take another, such as E1"
                )
            if is_device(each.id):
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} is a device of Windows, and no file can "
                    "bear its name there; take another, such as E1"
                )
            if each.id.casefold() in seen:
                raise BadSettings(
                    f"{where}: {place} has the id {each.id!r}, as {seen[each.id.casefold()]} has; "
                    "give each its own"
                )
            seen[each.id.casefold()] = place


def _check_names(settings: Settings, where: str) -> None:
    seen: dict[str, str] = {}
    for table in ("judge", "confederate"):
        for each in getattr(settings, table):
            name = " ".join(each.name.split()).casefold()
            if name and name in seen:
                raise BadSettings(
                    f"{where}: the seats {seen[name]} and {each.id} have one name, {each.name!r}; "
                    "name each seat apart"
                )
            seen[name] = each.id


def _check_entries(entries: Sequence[EntryTable], where: str) -> None:
    associated: dict[str, str] = {}
    for entry in entries:
        people = {" ".join(name.split()).casefold(): name for name in entry.individuals}
        if entry.entrant:
            people.setdefault(" ".join(entry.entrant.split()).casefold(), entry.entrant)
        for key, name in people.items():
            if key in associated:
                raise BadSettings(
                    f"{where}: {name!r} is associated with {associated[key]} and {entry.id}; "
                    "no individual may be associated with more than one entry (rules, section 1)"
                )
            associated[key] = entry.id
        if entry.command and "{dir}" not in entry.command:
            raise BadSettings(
                f"{where}: the command of {entry.id} lacks {{dir}}, the place of its "
                "communications directory"
            )
