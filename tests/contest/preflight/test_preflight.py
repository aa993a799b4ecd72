"""The pre-flight: what each check says, and that none of them changes anything."""

from __future__ import annotations

import datetime as dt
import re
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scheduler
from contest.errors import NotAContest, Surroundings
from contest.net.door import Door
from contest.preflight import (
    CHECKS,
    Check,
    Finding,
    Level,
    Machine,
    Report,
    Running,
    Serving,
    Site,
    checks,
    look,
    run,
)
from contest.preflight.checks import NOTICED, TOO_SLOW
from contest.preflight.report import green
from contest.setup import folder as folders
from contest.setup.lock import locked
from lpp.conformance.talk import Measures
from tests.certificates import make
from tests.contest.build import brief, save, small

GB = 1_000_000_000
REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "check-setup.md"


@pytest.fixture(autouse=True)
def _few_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this disk is, no test wants to know."""
    monkeypatch.setattr(checks, "COMMITS", 5)
    monkeypatch.setattr(checks, "NOTICED", 60.0)
    monkeypatch.setattr(checks, "TOO_SLOW", 120.0)


class Venue(Machine):
    """A machine as it should be; tests spoil it."""

    def __init__(self, **spoilt: Any) -> None:
        self.platform = "linux"
        self.spoilt = spoilt

    def _told(self, what: str, usual: Any) -> Any:
        told = self.spoilt.get(what, usual)
        if isinstance(told, Exception):
            raise told
        return told

    def free(self, place: Path) -> int:
        return int(self._told("free", 50 * GB))

    def disk(self, place: Path) -> int:
        disks: Mapping[str, int] = self._told("disks", {})
        return disks.get(place.name, 1)

    def network_kind(self, place: Path) -> str | None:
        kinds: Mapping[str, str] = self._told("kinds", {})
        return kinds.get(place.name)

    def program(self, word: str) -> str | None:
        return None if word == "nothing" else word

    def watch(self, place: Path) -> None:
        self._told("watch", None)

    def now(self) -> dt.datetime:
        now: dt.datetime = self._told(
            "now", dt.datetime(2026, 5, 1, 9, 30, tzinfo=dt.timezone(dt.timedelta(hours=2), "CEST"))
        )
        return now

    def ticks(self) -> list[tuple[float, float]]:
        ticks: list[tuple[float, float]] = self._told("ticks", [(n / 10, n / 10) for n in range(3)])
        return ticks

    def synchronised(self) -> bool | None:
        return bool(self._told("synchronised", True))

    def open_files(self) -> int | None:
        return int(self._told("open_files", 4096))

    def memory(self) -> int:
        return int(self._told("memory", 8 * GB))

    def on_mains(self) -> bool | None:
        return bool(self._told("on_mains", True))

    def listen(self, host: str, port: int) -> None:
        self._told("listen", None)

    def addresses(self) -> list[str]:
        return list(self._told("addresses", ["192.168.1.10", "fd00::10"]))

    def host_name(self) -> str:
        return "venue"

    def version(self, package: str) -> str | None:
        return None if package == self.spoilt.get("missing") else "1.0"


def nobody(door: Door) -> Mapping[str, Any]:
    raise Surroundings("nobody answers")


def made(place: Path, *changes: tuple[str, str]) -> Path:
    """A contest's folder with nothing to complain of, and then changed."""
    text = folders.template()
    for old, new in (
        ("date = 2010-10-23", "date = 2026-10-23"),
        ('copy_to = "" ', 'copy_to = "stick/copy.db" '),
        *changes,
    ):
        assert old in text, old
        text = text.replace(old, new)
    folders.make(place, text)
    (place / "stick").mkdir()
    return place


def report(
    place: Path,
    *changes: tuple[str, str],
    serving: Serving | None = None,
    **spoilt: Any,
) -> dict[str, Finding]:
    spoilt = {"disks": {"stick": 2}, **spoilt}
    if not place.exists():
        made(place, *changes)
    site = look(place, nobody, serving=serving, start=False, machine=Venue(**spoilt))
    return by_id(run(site, CHECKS))


def by_id(made: Report) -> dict[str, Finding]:
    found = {finding.id: finding for finding in made.checks}
    assert len(found) == len(made.checks), "each line has an identifier of its own"
    return found


def files(place: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(place)): file.read_bytes()
        for file in place.rglob("*")
        if file.is_file()
    }


def test_a_contest_that_is_ready_is_green_and_as_it_was(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    before = files(place)
    found = report(place)
    assert {f.level for f in found.values()} == {Level.GREEN}
    assert all(f.found and not f.remedy for f in found.values())
    assert files(place) == before
    ids = {id_.partition("/")[0] for id_ in found}
    quiet = {
        "tls",
        "server",
        "ready",
        "link",
        "codes",
        "start",
    }  # there is nothing that they could look at
    assert ids == {check.id for check in CHECKS} - quiet


REMOTE = ('command = "loebner bot retrieval --dir {dir}"', 'link = "remote"')
FOUR = ('command = "loebner bot retrieval --dir {dir}"\n', "")

#: (change of contest.toml, whose line, its level, what it says).
SET: dict[str, tuple[tuple[str, str], str, Level, str]] = {
    "unknown option": (("venue =", "venu ="), "settings", Level.RED, "'venu'"),
    "no TOML": (("[rules]", "[rules"), "settings", Level.RED, "no TOML"),
    "no venue": (('venue = "California', 'venue = "" # "California'), "facts", Level.YELLOW, "ven"),
    "over": (("2026-10-23", "2026-04-30"), "facts", Level.YELLOW, "that day is over"),
    "no judges": (("[[judge]]", "[[confederate]]"), "numbers", Level.RED, "0 judges"),
    "uneven": (
        ('[[judge]]\nid = "J4"\nname = "Walt"\n', ""),
        *("numbers", Level.YELLOW, "3 judges, 4 entries"),
    ),
    "shorter rounds": (("= 25", "= 10"), "numbers", Level.YELLOW, "10 and 5 minutes"),
    "too few rounds": (("rounds = 4 ", "rounds = 3 "), "schedule", Level.YELLOW, "missing: J1"),
    "too many rounds": (
        ("rounds = 4 ", "rounds = 17 "),
        *("schedule", Level.RED, "take 16 rounds or fewer"),
    ),
    "no schedule file": (
        ('schedule = ""', 'schedule = "plan.txt"'),
        *("schedule", Level.RED, "plan.txt"),
    ),
    "label": (('"Harriet"', '"Judge 2"'), "names", Level.YELLOW, "reads like a side"),
    "taken": (('"Harriet"', '"Magpie"'), "names", Level.YELLOW, "taken"),
    "nameless": (('name = "Gordon"', ""), "names", Level.YELLOW, "C2 has no name"),
    "no program": (("loebner bot aiml", "nothing"), "command/E2", Level.RED, "'nothing'"),
    "by hand": (FOUR, "command/E4", Level.YELLOW, "started by hand"),
    "quotes": (("bot aiml", "bot 'aiml"), "command/E2", Level.RED, "can't be read"),
    "link": (REMOTE, "link/E4", Level.YELLOW, "no server runs"),
    "no copy": (('"stick/copy.db"', '""'), "copy", Level.YELLOW, "no second copy"),
    "copy nowhere": (('"stick/', '"sticks/'), "copy", Level.RED, "can't be written"),
    "database": (('database = ""', 'database = "nonsense"'), "record", Level.RED, "no address"),
}


@pytest.mark.parametrize("case", SET)
def test_what_is_set_wrong_is_said(case: str, tmp_path: Path) -> None:
    change, id_, level, words = SET[case]
    found = report(tmp_path / "c", change)
    assert (found[id_].level, bool(found[id_].remedy)) == (level, True), found[id_]
    assert words in found[id_].found


def test_who_must_not_meet_is_not_missed(tmp_path: Path) -> None:
    file, conflict = (
        ('schedule = ""', 'schedule = "plan.csv"'),
        ("flicts = []", 'flicts = ["J1E4"]'),
    )
    rest = [p for p in scheduler.schedule_2010().pairings if (p.judge, p.entry) != ("J1", "E4")]
    said = {}
    for name, *changes in (("a", file), ("b", file, conflict)):
        place = made(tmp_path / name, *changes)
        plan = scheduler.write_csv(scheduler.Schedule.of(rest))
        (place / "plan.csv").write_text(plan, encoding="utf-8")
        said[name] = report(place)["schedule"].found
    assert "judge with entry missing: J1E4;" in said["a"]
    assert "J1E4" not in said["b"]
    assert "judge with confederate missing: J1C3;" in said["b"]


def test_settings_that_cant_be_read_take_their_checks_with_them(tmp_path: Path) -> None:
    found = report(tmp_path / "c", ("[rules]", "[rules"))
    assert found["settings"].level is Level.RED
    assert set(found) == {"settings"} | {check.id for check in CHECKS if not check.settings} - {
        "tls"
    }


#: (what the machine says, whose line, its level, what it says).
MACHINE: dict[str, tuple[dict[str, Any], str, Level, str]] = {
    "full disk": ({"free": 1000}, "disk-space", Level.RED, "1 kB are free"),
    "little disk": ({"free": GB // 2}, "disk-space", Level.YELLOW, "500 MB"),
    "rooms full": ({"free": 1000}, "directory/E1", Level.RED, "1 kB"),
    "same disk": ({"disks": {}}, "copy", Level.YELLOW, "same disk"),
    "share": ({"kinds": {"c": "nfs4"}}, "folder", Level.YELLOW, "nfs4"),
    "old clock": (
        {"now": dt.datetime(1970, 1, 1, tzinfo=dt.UTC)},
        *("clock", Level.RED, "1970"),
    ),
    "free clock": ({"synchronised": False}, "clock", Level.YELLOW, "nothing keeps"),
    "clock back": ({"ticks": [(1.0, 1.0), (0.5, 1.5)]}, "steady", Level.RED, "runs back"),
    "clocks part": ({"ticks": [(1.0, 1.0), (1.2, 1.3)]}, "steady", Level.YELLOW, "100 ms"),
    "no memory": ({"memory": 1000}, "memory", Level.RED, "1 kB"),
    "some memory": ({"memory": GB // 2}, "memory", Level.YELLOW, "500 MB"),
    "battery": ({"on_mains": False}, "power", Level.YELLOW, "on battery"),
    "no watches": (
        {"watch": OSError(24, "inotify instance limit reached")},
        *("watches", Level.YELLOW, "a quarter of a second"),
    ),
    "files": ({"open_files": 80}, "open-files", Level.RED, "80 files"),
    "spectators": ({"open_files": 200}, "open-files", Level.YELLOW, "88 spectators"),
    "package": ({"missing": "aiohttp"}, "versions", Level.RED, "aiohttp missing"),
    "port": ({"listen": OSError(98, "Address already in use")}, "port", Level.RED, "in use"),
}


@pytest.mark.parametrize("case", MACHINE)
def test_what_is_wrong_with_the_machine_is_said(case: str, tmp_path: Path) -> None:
    spoilt, id_, level, words = MACHINE[case]
    found = report(tmp_path / "c", **spoilt)
    assert (found[id_].level, bool(found[id_].remedy)) == (level, True), found[id_]
    assert words in found[id_].found


@pytest.mark.parametrize(
    ("host", "level", "words"),
    [
        ("127.0.0.1", Level.GREEN, "on this machine alone connect to 127.0.0.1:8765"),
        ("0.0.0.0", Level.GREEN, "192.168.1.10:8765 or venue:8765"),
        ("::", Level.GREEN, "192.168.1.10:8765 or [fd00::10]:8765 or venue:8765"),
        ("10.1.2.3", Level.GREEN, "connect to 10.1.2.3:8765;"),
        ("venue.local", Level.GREEN, "venue.local:8765"),
    ],
)
def test_where_consoles_connect_to(host: str, level: Level, words: str, tmp_path: Path) -> None:
    found = report(tmp_path / "c", serving=Serving(host))
    assert found["addresses"].level is level
    assert words in found["addresses"].found
    # What goes over a network without TLS is said.
    assert ("tls" in found) == (host != "127.0.0.1")


def test_the_names_of_the_server(tmp_path: Path) -> None:
    found = report(tmp_path / "c", serving=Serving("0.0.0.0"))["hosts"]
    assert "its addresses, localhost, venue and venue.local" in found.found
    more = ("names = [] ", 'names = ["contest.example:8443"] ')
    assert "contest.example" in report(tmp_path / "d", more)["hosts"].found


def test_a_machine_without_a_network(tmp_path: Path) -> None:
    found = report(tmp_path / "c", serving=Serving("0.0.0.0"), addresses=[])
    assert found["addresses"].level is Level.YELLOW


def test_a_real_port_that_is_taken(tmp_path: Path) -> None:
    machine = Machine()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(OSError, match="in use"):
            machine.listen("127.0.0.1", other.getsockname()[1])
    machine.listen("127.0.0.1", 0)


def test_certificates(tmp_path: Path) -> None:
    long_ago = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    good = make(tmp_path / "good", "venue.local")
    over = make(tmp_path / "over", since=long_ago, until=long_ago + dt.timedelta(days=1))
    place = made(tmp_path / "c")

    def told(certificate: Path, key: Path) -> Finding:
        return report(place, serving=Serving("0.0.0.0", 8765, certificate, key))["tls"]

    assert told(good.certificate, good.key).level is Level.GREEN
    assert "for venue.local; fingerprint " in told(good.certificate, good.key).found
    assert told(over.certificate, over.key).level is Level.YELLOW
    assert told(good.certificate, over.key).level is Level.RED
    assert told(tmp_path / "none", good.key).level is Level.RED


# Entries


def test_directories(tmp_path: Path) -> None:
    good, cloud, share, full = (tmp_path / name for name in ("good", "Dropbox", "share", "full"))
    for path in (good, cloud / "d", share, full):
        path.mkdir(parents=True)
    (good / "0001.H.judge").mkdir()
    (full / "my thesis").mkdir()
    base = 'command = "loebner bot {} --dir {{dir}}"'

    def report_of(one: Path, two: Path) -> dict[str, Finding]:
        place = tmp_path / f"{one.name}-{two.name}"
        return report(
            place,
            ('directory = ""', f"directory = '{one}'"),
            (base.format("aiml"), base.format("aiml") + f"\ndirectory = '{two}'"),
            kinds={"share": "cifs"},
        )

    found = report_of(good, cloud / "d")
    assert found["directory/E1"].level is Level.GREEN
    assert "the 1 key presses that stand there" in found["directory/E1"].found
    assert found["directory/E2"].level is Level.YELLOW
    assert "'Dropbox'" in found["directory/E2"].found
    found = report_of(share, full)
    assert "network mount (cifs)" in found["directory/E1"].found
    assert "1 things that are no key presses" in found["directory/E2"].found
    found = report_of(good, good)
    assert found["directory/E2"].level is Level.RED
    assert "the directory of E1, too" in found["directory/E2"].found
    found = report_of(tmp_path / "nowhere", good)
    assert found["directory/E1"].level is Level.RED
    assert found["directory/E1"].remedy


ECHO = """
import sys
from lpp.blocking import Talk
with Talk(sys.argv[1]) as talk:
    print("ready", flush=True)
    for line in talk:
        talk.say("You said: " + line + chr(10))
"""
EAGER = ECHO.replace("    for line", "    talk.say('Hello! ')\n    for line")
DEAD = "print('I lack my brain file'); raise SystemExit(3)"


def test_entries_are_started_for_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As long as the echo needs on a machine that is busy, and no longer for the others.
    monkeypatch.setattr(checks, "SHORT", Measures(still=5.0, first=16.0, whole=40.0))
    place = tmp_path / "c"
    changes = []
    for bot, script in (("therapist", ECHO), ("aiml", EAGER), ("screening", DEAD)):
        file = tmp_path / f"{bot}.py"
        file.write_text(script)
        changes.append((f"loebner bot {bot} --dir {{dir}}", f"{sys.executable} {file} {{dir}}"))
    made(place, *changes, FOUR)
    site = look(place, nobody, machine=Venue(disks={"stick": 2}))
    start = [check for check in CHECKS if check.id == "start"]
    found = by_id(run(site, start))
    assert found["start/E1"].level is Level.GREEN, found["start/E1"]
    assert found["start/E2"].level is Level.RED
    assert "before the judge had pressed a key" in found["start/E2"].found
    assert "check-bot" in found["start/E2"].remedy
    assert found["start/E3"].level is Level.RED
    assert "I lack my brain file" in found["start/E3"].found
    assert "start/E4" not in found, "what has no command can't be started"


# The record


@pytest.mark.parametrize(
    ("seconds", "level"), [(0.01, Level.GREEN), (0.1, Level.YELLOW), (0.7, Level.RED)]
)
def test_a_slow_disk(
    seconds: float, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "commits", lambda place: [0.001, seconds])
    monkeypatch.setattr(checks, "NOTICED", NOTICED)
    monkeypatch.setattr(checks, "TOO_SLOW", TOO_SLOW)
    found = report(tmp_path / "c")["disk-speed"]
    assert found.level is level
    assert f"99 of 100 after {seconds * 1000:.1f} ms" in found.found


def test_a_record_that_was_begun_closed_or_damaged(tmp_path: Path) -> None:
    begun = save(tmp_path / "begun", small())
    (begun / "head.txt").unlink()
    played = save(tmp_path / "played", brief())
    damaged = save(tmp_path / "damaged", brief())
    raw = (damaged / "record.db").read_bytes()
    (damaged / "record.db").write_bytes(raw.replace(b'"key":"H"', b'"key":"J"'))
    assert raw != (damaged / "record.db").read_bytes()
    before = files(tmp_path)
    found = report(begun)["record"]
    assert found.level is Level.GREEN
    assert "goes on where it was" in found.found
    found = report(played)["record"]
    assert (found.level, found.found) == (Level.RED, "this contest was played already")
    found = report(damaged)["record"]
    assert found.level is Level.RED
    assert "damaged" in found.found
    assert files(tmp_path) == before


def test_codes_without_a_contest_are_in_the_way(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    (place / "codes.txt").write_text("J1\tsecret\n")
    found = report(place)["codes"]
    assert found.level is Level.RED
    assert "secret" not in found.found + found.remedy
    begun = save(tmp_path / "begun", small())
    (begun / "codes.txt").write_text("J1\tsecret\n")
    assert report(begun)["codes"].level is Level.GREEN


def test_a_folder_that_somebody_holds(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    with locked(place):
        found = report(place)["folder"]
    assert found.level is Level.RED
    assert "another server holds this contest" in found.found
    assert report(place)["folder"].level is Level.GREEN


# A server that runs


def answer(**levels: str) -> dict[str, Any]:
    return {
        "checks": [
            {"what": what.replace("_", " "), "level": level, "ok": level != "red", "words": "so"}
            for what, level in levels.items()
        ],
        "status": {
            "words": "the contest has not begun",
            "entries": [{"entry": "E4", "here": True}],
        },
    }


def with_door(place: Path, ask: Callable[[Door], Mapping[str, Any]]) -> Site:
    (place / "organizer.json").write_text('{"server": "http://127.0.0.1:8765", "code": "x"}')
    return look(place, ask, start=True, machine=Venue(disks={"stick": 2}))


def test_a_server_that_runs_is_asked(tmp_path: Path) -> None:
    place = made(tmp_path / "c", REMOTE)
    asked: list[Door] = []

    def ask(door: Door) -> Mapping[str, Any]:
        asked.append(door)
        return answer(seat_J1="green", seat_J2="red", entry_E1="red", entry_E4="red", copy="yellow")

    with locked(place):
        found = by_id(run(with_door(place, ask), CHECKS))
    assert [door.code for door in asked] == ["x"]
    assert "the contest has not begun" in found["server"].found
    levels = {id_: f.level.value for id_, f in found.items() if id_.startswith("ready/")}
    assert levels == {
        "ready/seat J1": "green",
        "ready/seat J2": "yellow",
        "ready/entry E1": "red",
        "ready/entry E4": "yellow",
        "ready/copy": "yellow",
    }
    assert found["ready/seat J2"].what == "the server's word on seat J2"
    assert found["link/E4"].level is Level.GREEN
    assert found["port"].level is Level.GREEN
    assert "own server" in found["port"].found
    assert found["record"].found == "the server has it open"
    # The server says how its own do: no second one of each is started.
    assert not any(id_.startswith("start/") for id_ in found)


def test_a_server_at_another_port(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    site = with_door(place, lambda door: answer())
    site.running = Running("http://127.0.0.1:9000", (), site.running.status)  # type: ignore[union-attr]
    found = by_id(run(site, CHECKS))["port"]
    assert found.level is Level.YELLOW
    assert "9000" in found.found


def test_a_server_that_was_killed_has_left_its_door_behind(tmp_path: Path) -> None:
    found = by_id(run(replace(with_door(made(tmp_path / "c"), nobody), start=False), CHECKS))
    assert found["server"].level is Level.YELLOW
    assert "nobody answers" in found["server"].found
    assert found["folder"].level is Level.GREEN


# The whole


def test_a_check_that_fails_itself_is_a_red_line(tmp_path: Path) -> None:
    def crash(site: Site) -> None:
        raise ZeroDivisionError("nothing to divide by\nTraceback")

    told: list[Finding] = []
    own = (
        Check("first", "one", crash, settings=False),
        Check("second", "two", lambda site: green("fine"), settings=False),
    )
    made = run(Site(tmp_path), own, told.append)
    assert told == made.checks
    assert [(f.id, f.level) for f in told] == [("first", Level.RED), ("second", Level.GREEN)]
    assert "ZeroDivisionError: nothing to divide by Traceback" in told[0].found
    assert not made.ready


def test_names_are_text_and_nothing_else() -> None:
    check = Check("id", "what", lambda site: None, settings=False)
    line = Finding.of(check, green("a name \x1b[2J of\nevil \u202e"), "E1")
    assert line.found == "a name \\x1b[2J of evil \\u202e"


def test_every_check_has_an_identifier_of_its_own_and_stands_in_the_reference() -> None:
    ids = [check.id for check in CHECKS]
    told = re.findall(r"^\| `([a-z-]+)", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == ids
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z-]+", id_) for id_ in ids)


def test_no_folder_and_no_contest(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(NotAContest):
            look(place, nobody)


def test_this_machine_answers(tmp_path: Path) -> None:
    """What is asked of the system is of the kind that the checks expect, whatever it is."""
    machine = Machine()
    assert machine.free(tmp_path) > 0
    assert machine.disk(tmp_path) == machine.disk(tmp_path.parent)
    assert machine.program("sh") or machine.platform == "win32"
    assert machine.program("no such program") is None
    assert machine.now().tzinfo is not None
    ticks = machine.ticks()
    assert ticks == sorted(ticks)
    assert machine.synchronised() in (True, False, None)
    assert machine.on_mains() in (True, False, None)
    for number in (machine.open_files(), machine.memory()):
        assert number is None or number > 0
    machine.watch(tmp_path)
    assert all(isinstance(address, str) for address in machine.addresses())
    assert machine.host_name()
    assert machine.version("loebner")
    assert machine.version("no-such-package") is None
