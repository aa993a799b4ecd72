"""Tests the pre-flight: the findings of each check, and that no check changes anything."""

from __future__ import annotations

import datetime as dt
import re
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import scheduler
from contest.errors import EnvironmentProblem, NotAContest
from contest.net.addresses import ControlAddress
from contest.preflight import checks
from contest.preflight.checks import CHECKS, NOTICED, TOO_SLOW
from contest.preflight.report import (
    Assessment,
    Finding,
    PreflightCheck,
    PreflightReport,
    ServeOptions,
    Site,
    inspect_site,
    run,
)
from contest.setup import folder as folders
from contest.setup.lock import locked
from lpp.conformance.acts import Durations
from tests.certificates import make
from tests.contest.build import brief, save, small

GB = 1_000_000_000


@pytest.fixture(autouse=True)
def _few_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tests independent of the disk's speed."""
    monkeypatch.setattr(checks, "COMMITS", 5)
    monkeypatch.setattr(checks, "NOTICED", 60.0)
    monkeypatch.setattr(checks, "TOO_SLOW", 120.0)


#: The functions that query the machine, and their results on a suitable one.
USUAL: dict[str, tuple[str, Any]] = {
    "free": ("shutil.disk_usage", 50 * GB),
    "open_files": ("_most_open_files", 4096),
    "listen": ("_listen", None),
    "addresses": ("machine_addresses", ["192.168.1.10", "fd00::10"]),
    "name": ("socket.gethostname", "venue"),
    "disks": ("_disk", {"stick": 2}),
    "kinds": ("network_kind", {}),
    "missing": ("shutil.which", ""),
}


@pytest.fixture(autouse=True)
def spoil(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Simulates a suitable machine; a call replaces results, by an exception if it is one."""

    def answers(name: str, told: Any, *asked: Any) -> Any:
        if isinstance(told, Exception):
            raise told
        place = Path(str(asked[0])).name if asked else ""
        forms: dict[str, Callable[[], Any]] = {
            "free": lambda: SimpleNamespace(free=told),
            "disks": lambda: told.get(place, 1),
            "kinds": lambda: told.get(place),
            "missing": lambda: None if place == "nothing" else place,
        }
        return forms.get(name, lambda: told)()

    def spoilt(**more: Any) -> None:
        for name, (where, usual) in USUAL.items():
            told = partial(answers, name, more.get(name, usual))
            monkeypatch.setattr(f"contest.preflight.checks.{where}", told)

    monkeypatch.setattr(sys, "platform", "linux")
    spoilt()
    return spoilt


def nobody(address: ControlAddress) -> Mapping[str, Any]:
    raise EnvironmentProblem("nobody answers")


def made(place: Path, *changes: tuple[str, str]) -> Path:
    """Makes the folder of a contest that is ready, with changes to its contest.toml."""
    text = folders.template()
    for old, new in (
        ("date = 2010-10-23", "date = 2999-10-23"),
        ('copy_to = "" ', 'copy_to = "stick/copy.db" '),
        *changes,
    ):
        assert old in text, old
        text = text.replace(old, new)
    folders.make(place, text)
    (place / "stick").mkdir()
    return place


def report(
    place: Path, *changes: tuple[str, str], only: str = "", serving: ServeOptions | None = None
) -> dict[str, Finding]:
    """Runs one check or all; returns the findings by their identifiers."""
    if not place.exists():
        made(place, *changes)
    site = inspect_site(place, nobody, serving=serving, start=False)
    return by_id(run(site, [check for check in CHECKS if only in ("", check.id)]))


def by_id(made: PreflightReport) -> dict[str, Finding]:
    found = {finding.id: finding for finding in made.checks}
    assert len(found) == len(made.checks), "identifiers are unique"
    return found


def files(place: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(place)): file.read_bytes()
        for file in place.rglob("*")
        if file.is_file()
    }


def test_ready_contest_is_green_and_unchanged(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    before = files(place)
    found = report(place)
    assert {f.level for f in found.values()} == {"green"}
    assert all(f.found and not f.remedy for f in found.values())
    assert files(place) == before
    ids = {id_.partition("/")[0] for id_ in found}
    # These checks have nothing to check here.
    quiet = {"tls", "server", "ready", "link", "codes", "start"}
    assert ids == {check.id for check in CHECKS} - quiet


REMOTE = ('command = "loebner bot retrieval --dir {dir}"', 'link = "remote"')
FOUR = ('command = "loebner bot retrieval --dir {dir}"\n', "")

#: Case to (change of contest.toml, identifier, level, words of the finding).
SET: dict[str, tuple[tuple[str, str], str, str, str]] = {
    "unknown option": (("venue =", "venu ="), "settings", "red", "'venu'"),
    "no TOML": (("[rules]", "[rules"), "settings", "red", "not TOML"),
    "no venue": (('venue = "California', 'venue = "" # "California'), "facts", "yellow", "ven"),
    "over": (("2999-10-23", "2026-04-30"), "facts", "yellow", "has passed"),
    "no judges": (("[[judge]]", "[[confederate]]"), "numbers", "red", "0 judges"),
    "uneven": (
        ('[[judge]]\nid = "J4"\nname = "Walt"\n', ""),
        *("numbers", "yellow", "3 judges, 4 entries"),
    ),
    "shorter rounds": (("= 25", "= 10"), "numbers", "yellow", "10 and 5 minutes"),
    "too few rounds": (("rounds = 4 ", "rounds = 3 "), "schedule", "yellow", "missing: J1"),
    "too many rounds": (
        ("rounds = 4 ", "rounds = 17 "),
        *("schedule", "red", "16 rounds or fewer"),
    ),
    "no schedule file": (
        ('schedule = ""', 'schedule = "plan.txt"'),
        *("schedule", "red", "plan.txt"),
    ),
    "no program": (("loebner bot aiml", "nothing"), "command/E2", "red", "'nothing'"),
    "by hand": (FOUR, "command/E4", "yellow", "somebody must start it"),
    "quotes": (("bot aiml", "bot 'aiml"), "command/E2", "red", "can't be read"),
    "link": (REMOTE, "link/E4", "yellow", "no server runs"),
    "no copy": (('"stick/copy.db"', '""'), "copy", "yellow", "no second copy"),
    "copy nowhere": (('"stick/', '"sticks/'), "copy", "red", "can't be written"),
    "database": (('database = ""', 'database = "nonsense"'), "record", "red", "of a SQLite"),
}


def test_conflicting_pairs_do_not_count_as_missing(tmp_path: Path) -> None:
    file = 'schedule = ""', 'schedule = "plan.csv"'
    rest = [p for p in scheduler.schedule_2010().pairings if (p.judge, p.entry) != ("J1", "E4")]
    place = made(tmp_path / "c", file, ("flicts = []", 'flicts = ["J1E4"]'))
    (place / "plan.csv").write_text(scheduler.write_csv(scheduler.Schedule.of(rest)), "utf-8")
    found = report(place, only="schedule")["schedule"].found
    assert "J1E4" not in found
    assert "judge with confederate missing: J1C3;" in found


#: Case to (results of the machine, identifier, level, words of the finding).
MACHINE: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "full disk": ({"free": 1000}, "disk-space", "red", "1 kB are free"),
    "little disk": ({"free": GB // 2}, "disk-space", "yellow", "500 MB"),
    "rooms full": ({"free": 1000}, "directory/E1", "red", "1 kB"),
    "same disk": ({"disks": {}}, "copy", "yellow", "same disk"),
    "share": ({"kinds": {"c": "nfs4"}}, "folder", "yellow", "nfs4"),
    "files": ({"open_files": 80}, "open-files", "red", "80 files"),
    "spectators": ({"open_files": 200}, "open-files", "yellow", "leaves 88"),
    "port": ({"listen": OSError(98, "Address already in use")}, "port", "red", "in use"),
}


@pytest.mark.parametrize("case", [*SET, *MACHINE])
def test_problem_is_reported_with_a_remedy(
    case: str, tmp_path: Path, spoil: Callable[..., None]
) -> None:
    changes: list[tuple[str, str]] = []
    if case in SET:
        change, id_, level, words = SET[case]
        changes.append(change)
    else:
        spoilt, id_, level, words = MACHINE[case]
        spoil(**spoilt)
    found = report(tmp_path / "c", *changes, only=id_.partition("/")[0])[id_]
    assert (found.level, bool(found.remedy)) == (level, True), found
    assert words in found.found


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("127.0.0.1", "on this machine can connect to 127.0.0.1:8765"),
        ("0.0.0.0", "192.168.1.10:8765 or venue:8765"),
        ("::", "192.168.1.10:8765 or [fd00::10]:8765 or venue:8765"),
        ("10.1.2.3", "connect to 10.1.2.3:8765;"),
        ("venue.local", "venue.local:8765"),
    ],
)
def test_addresses_for_consoles(
    host: str, words: str, tmp_path: Path, spoil: Callable[..., None]
) -> None:
    place, serving = made(tmp_path / "c"), ServeOptions(host)
    found = report(place, only="addresses", serving=serving)["addresses"]
    assert (found.level, words in found.found) == ("green", True), found
    # Without TLS, there is a warning if other machines can connect.
    assert ("tls" in report(place, only="tls", serving=serving)) == (host != "127.0.0.1")
    if host == "0.0.0.0":
        spoil(addresses=[])
        found = report(place, only="addresses", serving=serving)["addresses"]
        assert found.level == "yellow"


LISTEN = checks._listen
MOST_OPEN_FILES = checks._most_open_files


def test_queries_work_on_this_machine() -> None:
    """The queries return the types that the checks expect."""
    most = MOST_OPEN_FILES()
    assert most is None or isinstance(most, int)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(OSError, match="in use"):
            LISTEN("127.0.0.1", other.getsockname()[1])
    LISTEN("127.0.0.1", 0)


def test_certificates(tmp_path: Path) -> None:
    long_ago = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    good = make(tmp_path / "good", "venue.local")
    over = make(tmp_path / "over", since=long_ago, until=long_ago + dt.timedelta(days=1))
    place = made(tmp_path / "c")

    def told(certificate: Path, key: Path) -> Finding:
        serving = ServeOptions("0.0.0.0", 8765, certificate, key)
        return report(place, only="tls", serving=serving)["tls"]

    assert told(good.certificate, good.key).level == "green"
    assert "for venue.local; fingerprint " in told(good.certificate, good.key).found
    assert told(over.certificate, over.key).level == "yellow"
    assert told(good.certificate, over.key).level == "red"
    assert told(tmp_path / "none", good.key).level == "red"


# Entries


def test_directories(tmp_path: Path, spoil: Callable[..., None]) -> None:
    spoil(kinds={"share": "cifs"})
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
            only="directory",
        )

    found = report_of(good, cloud / "d")
    assert found["directory/E1"].level == "green"
    assert "its 1 key press will be removed" in found["directory/E1"].found
    assert found["directory/E2"].level == "yellow"
    assert "'Dropbox'" in found["directory/E2"].found
    found = report_of(share, full)
    assert "network mount (cifs)" in found["directory/E1"].found
    assert "1 file or folder" in found["directory/E2"].found
    found = report_of(good, good)
    assert found["directory/E2"].level == "red"
    assert "the directory of E1, too" in found["directory/E2"].found
    found = report_of(tmp_path / "nowhere", good)
    assert found["directory/E1"].level == "red"
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


def test_entries_are_started_for_a_short_talk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for the echo on a busy machine, and not longer than necessary for the others.
    monkeypatch.setattr(checks, "SHORT", Durations(still=5.0, first=16.0, whole=40.0))
    place = tmp_path / "c"
    changes = []
    for bot, script in (("therapist", ECHO), ("aiml", EAGER), ("screening", DEAD)):
        file = tmp_path / f"{bot}.py"
        file.write_text(script)
        changes.append((f"loebner bot {bot} --dir {{dir}}", f"{sys.executable} {file} {{dir}}"))
    made(place, *changes, FOUR)
    site = inspect_site(place, nobody)
    start = [check for check in CHECKS if check.id == "start"]
    found = by_id(run(site, start))
    assert found["start/E1"].level == "green", found["start/E1"]
    assert found["start/E2"].level == "red"
    assert "before the judge had pressed a key" in found["start/E2"].found
    assert "check-bot" in found["start/E2"].remedy
    assert found["start/E3"].level == "red"
    assert "I lack my brain file" in found["start/E3"].found
    assert "start/E4" not in found, "an entry without a command can't be started"


# The record


@pytest.mark.parametrize(("seconds", "level"), [(0.01, "green"), (0.1, "yellow"), (0.7, "red")])
def test_slow_disk_is_reported(
    seconds: float, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "time_commits", lambda place: [0.001, seconds])
    monkeypatch.setattr(checks, "NOTICED", NOTICED)
    monkeypatch.setattr(checks, "TOO_SLOW", TOO_SLOW)
    found = report(tmp_path / "c", only="disk-speed")["disk-speed"]
    assert found.level == level
    assert f"99 of 100 within {seconds * 1000:.1f} ms" in found.found


def test_begun_closed_and_damaged_records(tmp_path: Path) -> None:
    begun = save(tmp_path / "begun", small())
    (begun / "head.txt").unlink()
    played = save(tmp_path / "played", brief())
    damaged = save(tmp_path / "damaged", brief())
    raw = (damaged / "record.db").read_bytes()
    (damaged / "record.db").write_bytes(raw.replace(b'"key":"H"', b'"key":"J"'))
    assert raw != (damaged / "record.db").read_bytes()
    before = files(tmp_path)
    found = report(begun, only="record")["record"]
    assert found.level == "green"
    assert "the server will continue it" in found.found
    found = report(played, only="record")["record"]
    assert (found.level, found.found) == ("red", "this contest has already been played")
    found = report(damaged, only="record")["record"]
    assert found.level == "red"
    assert "damaged" in found.found
    assert files(tmp_path) == before


def test_codes_without_a_contest_are_red(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    (place / "codes.txt").write_text("J1\tsecret\n")
    found = report(place, only="codes")["codes"]
    assert found.level == "red"
    assert "secret" not in found.found + found.remedy
    begun = save(tmp_path / "begun", small())
    (begun / "codes.txt").write_text("J1\tsecret\n")
    assert report(begun, only="codes")["codes"].level == "green"


def test_folder_of_another_server_is_red(tmp_path: Path) -> None:
    place = made(tmp_path / "c")
    with locked(place):
        found = report(place, only="folder")["folder"]
    assert found.level == "red"
    assert "another server runs this contest" in found.found
    assert report(place, only="folder")["folder"].level == "green"


# A running server


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


def with_control_address(place: Path, ask: Callable[[ControlAddress], Mapping[str, Any]]) -> Site:
    (place / "organizer.json").write_text('{"server": "http://127.0.0.1:8765", "code": "x"}')
    return inspect_site(place, ask, start=True)


def test_running_server_is_asked(tmp_path: Path) -> None:
    place = made(tmp_path / "c", REMOTE)
    asked: list[ControlAddress] = []

    def ask(address: ControlAddress) -> Mapping[str, Any]:
        asked.append(address)
        return answer(seat_J1="green", seat_J2="red", entry_E1="red", entry_E4="red", copy="yellow")

    with locked(place):
        found = by_id(run(with_control_address(place, ask), CHECKS))
    assert [address.code for address in asked] == ["x"]
    assert "the contest has not begun" in found["server"].found
    levels = {id_: f.level for id_, f in found.items() if id_.startswith("ready/")}
    assert levels == {
        "ready/seat J1": "green",
        "ready/seat J2": "yellow",
        "ready/entry E1": "red",
        "ready/entry E4": "yellow",
        "ready/copy": "yellow",
    }
    assert found["ready/seat J2"].what == "the server's check of seat J2"
    assert found["link/E4"].level == "green"
    assert found["port"].level == "green"
    assert "own server" in found["port"].found
    assert found["record"].found == "the server has it open"
    # The server reports on its programs, so no second instance is started.
    assert not any(id_.startswith("start/") for id_ in found)


def test_killed_server_that_left_its_control_file_is_reported(tmp_path: Path) -> None:
    found = by_id(
        run(replace(with_control_address(made(tmp_path / "c"), nobody), start=False), CHECKS)
    )
    assert found["server"].level == "yellow"
    assert "nobody answers" in found["server"].found
    assert found["folder"].level == "green"


# The report


def test_crash_of_a_check_is_a_red_line(tmp_path: Path) -> None:
    def crash(site: Site) -> Assessment:
        raise ZeroDivisionError("nothing to divide by\nTraceback")

    def look_odd(site: Site) -> Assessment:
        return Assessment("green", "a name \x1b[2J of\nevil \u202e")

    told: list[Finding] = []
    own = PreflightCheck("first", "one", crash), PreflightCheck("second", "two", look_odd)
    made = run(Site(tmp_path), own, told.append)
    assert told == made.checks
    assert [(f.id, f.level) for f in told] == [("first", "red"), ("second", "green")]
    assert "ZeroDivisionError: nothing to divide by Traceback" in told[0].found
    assert told[1].found == "a name \\x1b[2J of evil \\u202e"
    assert not made.ready


def test_identifiers_of_checks_are_unique() -> None:
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z-]+", id_) for id_ in ids)


def test_missing_folder_or_contest_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(NotAContest):
            inspect_site(place, nobody)
