"""What is left of a damaged record: every event that can be had, and in words what can't."""

from __future__ import annotations

import functools
import json
import random
import re
import shutil
import sqlite3
import struct
from pathlib import Path

import pytest

from contest.errors import BadSettings, NotAContest, RecordTrouble, YoursToFix
from contest.history.sides import Sealed
from contest.record import bodies, reading
from contest.record.copying import Copy
from contest.record.events import Event, canonical, event_from_json
from contest.record.pages import cells_in
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.record.wal import log_damage
from contest.recovery.recovery import SALVAGED, SEALED_SETTINGS, recover
from contest.recovery.resettling import of_record, resettled
from contest.recovery.salvage import source_of
from contest.setup import settings
from contest.setup.folder import template
from contest.setup.planning import schedule_of
from contest.verify.verify import verify
from scheduler import schedule_2010
from tests.contest.build import TOML, Builder, brief, play_round
from tests.database_server import database_server

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest that is not finished, with its copy and all that is sealed; not to be changed."""
    b = unfinished()
    folder = tmp_path_factory.mktemp("contest") / "whole"
    folder.mkdir()
    (folder / "contest.toml").write_text(
        TOML + '\n[record]\ncopy_to = "copy.db"  # on another disk\n', encoding="utf-8"
    )
    (folder / "codes.txt").write_text("J1  J1-AAAA-BBBB-CCCC\n")
    (folder / "codes.txt").chmod(0o600)
    with Record(sqlite_url(folder / FILE_NAME), create=True) as record:
        record.append(b.drafts)
        record.seal(SEALED_SETTINGS, (folder / "contest.toml").read_text(encoding="utf-8"))
        for (round_, attempt, judge), (human, nonce) in b.sides.items():
            record.seal(f"side/{round_}.{attempt}.{judge}", Sealed(human, nonce).as_json())
        Copy(folder / "copy.db", record).close()
    return folder


@functools.cache
def unfinished() -> Builder:
    b = Builder()
    schedule = schedule_2010()
    b.open(schedule)
    play_round(b, 1, schedule.rounds[0])
    return b


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "contest"))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def recorded(folder: Path) -> list[Event]:
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        return list(record.events())


def sealed(folder: Path) -> dict[str, str]:
    return reading.sealed_at(sqlite_url(folder / FILE_NAME))


def page_of(file: Path, seq: int) -> int:
    """Where the page that holds an event begins."""
    event = unfinished().events[seq - 1]
    at = file.read_bytes().index(event.hash.encode())
    return at - at % PAGE


def wreck(file: Path, *places: int, length: int = PAGE) -> None:
    """Writes rubbish over a file."""
    data = bytearray(file.read_bytes())
    for at in places:
        data[at : at + length] = bytes(random.Random(at).randrange(256) for _ in range(length))
    file.write_bytes(data)


# Pages


def test_pages_hold_every_row_and_nothing_is_asked_of_sqlite(folder: Path) -> None:
    """The settings with a long agreement stand on pages of their own."""
    file = folder / FILE_NAME
    with Record(sqlite_url(file)) as record:
        record.seal("agreement", {"text": "I agree. " * 3000})
    data = bytearray(file.read_bytes())
    data[:100] = bytes(100)
    file.write_bytes(data)
    found = {rowid: values for rowid, values in cells_in(file, (9,)) if values[0] is None}
    assert sorted(found) == [event.seq for event in unfinished().events]
    for event in unfinished().events:
        assert found[event.seq][5:9] == (
            *(event.kind, canonical(event.body).decode(), event.prev, event.hash),
        )
    names = {str(values[0]): str(values[1]) for _, values in cells_in(file, (2,))}
    assert json.loads(names["agreement"]) == {"text": "I agree. " * 3000}


@pytest.mark.parametrize("size", [512, 1024, 8192, 65536])
def test_pages_of_any_size_are_read(tmp_path: Path, size: int) -> None:
    file = tmp_path / "some.db"
    rows = [(n, "x" * n, None, n / 3, 2**40 + n, -n, bytes(n)) for n in range(1, 300, 7)]
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA page_size={size}")
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c, d, e, f, g)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()
    found = sorted(cells_in(file, (7,)))
    assert [(rowid, *values[1:]) for rowid, values in found] == rows


def test_rubbish_holds_no_rows_and_ends(tmp_path: Path) -> None:
    file = tmp_path / "rubbish.db"
    for seed in range(4):
        rng = random.Random(seed)
        file.write_bytes(bytes(rng.choice((0, 0, 1, 13, 141, 255)) for _ in range(3 * PAGE + 77)))
        for _, values in cells_in(file, (9,)):
            assert len(values) == 9
    assert list(cells_in(tmp_path / "nowhere.db", (9,))) == []


@pytest.mark.parametrize("seed", range(6))
def test_single_bytes_cost_no_more_than_their_events(folder: Path, seed: int) -> None:
    """Wherever a byte is changed, all events but those that hold it can be had."""
    rng, file = random.Random(seed), folder / FILE_NAME
    data = bytearray(file.read_bytes())
    flipped = rng.sample(range(len(data)), 10)
    for at in flipped:
        data[at] ^= rng.randrange(1, 256)
    file.write_bytes(data)
    source = source_of(sqlite_url(file))
    events = unfinished().events
    assert len(events) - len(source.events) <= len(flipped)
    for seq, found in source.events.items():
        assert found == [events[seq - 1]], "what is given is as it was written"
    assert source.trouble or len(source.events) == len(events)


# The log


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """What a server that was killed leaves: a database, and much of it in the log."""
    place, b = tmp_path / "killed", unfinished()
    place.mkdir()
    with Record(sqlite_url(tmp_path / FILE_NAME), create=True) as record:
        with record._writer.transaction() as connection:
            connection.exec_driver_sql("PRAGMA wal_autocheckpoint=0")
        for at in range(0, len(b.drafts), 50):
            record.append(b.drafts[at : at + 50])
        for ending in ("", "-wal"):
            shutil.copy(tmp_path / f"{FILE_NAME}{ending}", place / f"{FILE_NAME}{ending}")
    return place


def frames(log: bytes) -> list[int]:
    """Where the frames of a log begin."""
    return list(range(32, len(log), 24 + PAGE))


def test_a_log_that_is_whole_or_torn_at_its_end_is_no_damage(killed: Path) -> None:
    file, log = killed / FILE_NAME, killed / f"{FILE_NAME}-wal"
    data = log.read_bytes()
    places = frames(data)
    commits = [at for at in places if struct.unpack(">I", data[at + 4 : at + 8])[0]]
    assert len(commits) > 5
    assert log_damage(file) == ""
    for end in (0, 10, 32, 33, places[1], places[-1] + 100, len(data) - 1):
        log.write_bytes(data[:end])
        assert log_damage(file) == "", end
    # The last commit's pages, one of which did not reach the disk.
    log.write_bytes(
        data[: commits[-2] + 24 + PAGE] + bytes(PAGE) + data[commits[-2] + 24 + 2 * PAGE :]
    )
    assert log_damage(file) == ""
    log.unlink()
    assert log_damage(file) == ""


@pytest.mark.parametrize("where", ["header", "salt", "checksum", "page"])
def test_a_log_that_is_damaged_is_found_and_hides_nothing(
    killed: Path, tmp_path: Path, out: Path, where: str
) -> None:
    """SQLite would drop in silence all that stands behind the damage."""
    file, log = killed / FILE_NAME, killed / f"{FILE_NAME}-wal"
    data, events = bytearray(log.read_bytes()), unfinished().events
    third = frames(bytes(data))[len(frames(bytes(data))) // 3]
    data[
        {"header": 17, "salt": third + 9, "checksum": third + 20, "page": third + 24 + 3000}[where]
    ] ^= 1
    log.write_bytes(data)
    assert "damaged at byte" in log_damage(file)
    report = verify(killed)
    assert not report.ok
    # Without its log's header the database is empty.
    said = "no such table" if where == "header" else "its log is damaged"
    assert said in str(report.checks[0].faults[-1])
    before = log.read_bytes()
    with pytest.raises(RecordTrouble, match="save what is left with `loebner recover`"):
        Record(sqlite_url(file), create=True)
    assert log.read_bytes() == before, "what is left is let be"
    (killed / "contest.toml").write_text(TOML)
    found = recover(killed, out)
    # The page that was changed may hold rows that stand nowhere else.
    assert found.events + found.salvaged >= len(events) - 20
    if where != "page":
        assert recorded(out) == events
        assert any("whether anything followed event" in line for line in found.missing)


# Recovering


def test_a_whole_record_is_recovered_whole(folder: Path, out: Path) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    found = recover(folder, out)
    assert found.whole, found.missing
    assert recorded(out) == unfinished().events
    assert sealed(out) == sealed(folder)
    assert (out / "codes.txt").read_bytes() == (folder / "codes.txt").read_bytes()
    assert (out / "codes.txt").stat().st_mode & 0o777 == 0o600
    assert verify(out).ok
    assert not (out / SALVAGED).exists()
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    # The new contest goes on in its own place, and writes over nothing that is left of the old one.
    own = settings.load(out)
    assert (own.record.database, own.record.copy_to) == ("", "")
    assert own.contest == settings.load(folder).contest
    with Record(sqlite_url(out / FILE_NAME), create=True) as record:
        assert record.chains.last_seq == len(unfinished().events)


def test_a_gap_is_filled_from_the_copy(folder: Path, out: Path) -> None:
    events = unfinished().events
    middle = len(events) // 2
    wreck(folder / FILE_NAME, 0, page_of(folder / FILE_NAME, middle))
    found = recover(folder, out)
    assert recorded(out) == events
    with Record(sqlite_url(folder / "copy.db")) as copy:
        assert {name: json.loads(text) for name, text in sealed(out).items()} == copy.unseal("")
    places = [part.place for part in found.parts]
    assert places[0].endswith(FILE_NAME)
    assert any(place.endswith("copy.db") for place in places)
    assert [part.first for part in found.parts] == [
        1,
        *(part.last + 1 for part in found.parts[:-1]),
    ]
    # Nobody can ask a database without its first page what its last event was.
    (said,) = found.missing
    assert f"whether anything followed event {len(events)} can't be told" in said


def test_without_a_copy_the_rest_is_kept_beside_the_record(folder: Path, out: Path) -> None:
    (folder / "copy.db").unlink()
    events = unfinished().events
    wreck(folder / FILE_NAME, page_of(folder / FILE_NAME, 100))
    found = recover(folder, out)
    run, salvaged = recorded(out), (out / SALVAGED).read_bytes().splitlines(keepends=True)
    assert run == events[: len(run)]
    assert len(run) < 100
    kept = [event_from_json(line) for line in salvaged]
    assert all(
        line == canonical(e.as_json()) + b"\n" for line, e in zip(salvaged, kept, strict=True)
    )
    assert kept == [event for event in events[len(run) :] if event in kept]
    assert kept[-1] == events[-1]
    lost = len(events) - len(run) - len(kept)
    assert 0 < lost < 30
    assert found.missing[0].startswith(f"{lost} events can't be had: {len(run) + 1} to ")
    assert f"{len(kept):,} events behind that can be read" in found.missing[1]
    assert any("copy.db: no record here" in note for note in found.notes)
    report = verify(out)
    assert report.ok
    assert report.events == len(run)


def test_the_copy_alone_is_enough_on_another_machine(folder: Path, out: Path) -> None:
    away = out.parent / "usb-stick.db"
    shutil.move(folder / "copy.db", away)
    kept = sealed(folder)
    shutil.rmtree(folder)
    found = recover(away, out)
    assert found.whole
    assert recorded(out) == unfinished().events
    assert sealed(out) == kept
    assert settings.load(out).contest.name == "A contest of tests"
    assert found.settings == "what is sealed in the record"
    assert any("a copy trails its record" in note for note in found.notes)


def test_a_copy_can_be_named(folder: Path, out: Path) -> None:
    shutil.move(folder / "copy.db", away := out.parent / "away.db")
    (folder / FILE_NAME).unlink()
    found = recover(folder, out, away)
    assert found.whole
    assert recorded(out) == unfinished().events
    assert found.settings == f"the folder {folder}"


def test_settings_that_are_nowhere_else_are_written_by_the_record(
    tmp_path: Path, out: Path
) -> None:
    b, given = Builder(), settings.parse(template())
    text = 'Yes,\n"I" \\ agree \x7f \U0001f600'
    body = given.as_json()
    body["publication"] = {"text": text, "default": "publish"}
    b.open(schedule_2010(), body)
    place = tmp_path / "older"
    place.mkdir()
    with Record(sqlite_url(place / FILE_NAME), create=True) as record:
        record.append(b.drafts)
    found = recover(place, out)
    assert found.settings == "the first event of the record"
    read = settings.load(out)
    assert read.publication.text == text
    assert (read.judge, read.entry, read.contest, read.rules) == (
        *(given.judge, given.entry, given.contest, given.rules),
    )


def with_schedule(file: str) -> str:
    text = re.sub(r"^schedule = .*$", f'schedule = "{file}"', template(), flags=re.MULTILINE)
    assert settings.parse(text).rules.schedule == file
    return text


def test_a_schedule_of_its_own_is_taken_along_or_written_anew(folder: Path, out: Path) -> None:
    own = with_schedule("plans/day.csv")
    (folder / "plans").mkdir()
    lines = [f"{p.round},{p.judge},{p.entry},{p.confederate}" for p in schedule_2010().pairings]
    csv = "\n".join(["round,judge,entry,confederate", *lines, ""])
    for name in ("taken", "written"):
        (folder / "contest.toml").write_text(own)
        if name == "taken":
            (folder / "plans" / "day.csv").write_text(csv)
        else:
            (folder / "plans" / "day.csv").unlink()
        target = out / name
        recover(folder, target)
        assert schedule_of(settings.load(target), target).pairings == schedule_2010().pairings


def test_a_schedule_elsewhere_is_not_written_to(folder: Path, out: Path) -> None:
    elsewhere = out.parent / "elsewhere.csv"
    (folder / "contest.toml").write_text(with_schedule("../elsewhere.csv"))
    recover(folder, out)
    assert not elsewhere.exists()


def test_two_stories_are_told_apart(folder: Path, out: Path) -> None:
    """The contest was taken up from the copy, while the old server went on."""
    with Record(sqlite_url(folder / "copy.db")) as copy:
        theirs = copy.append([brief().drafts[-1]])
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        ours = record.append([brief().drafts[-2], brief().drafts[-1]])
    found = recover(folder, out)
    assert recorded(out)[-2:] == ours
    assert [event_from_json(line) for line in (out / SALVAGED).read_bytes().splitlines()] == theirs
    (said,) = found.missing
    assert said.startswith(f"from event {ours[0].seq} on")
    assert "say different things" in said


def test_a_forged_event_is_not_recovered(folder: Path, out: Path) -> None:
    """Who changes the content changes no hash; who changes both breaks the chain."""
    (folder / "copy.db").unlink()
    file = folder / FILE_NAME
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET actor = 'J2' WHERE seq = 50")
    connection.close()
    found = recover(folder, out)
    assert found.events == 49
    assert found.troubles[str(file)] == f"{file}: 1 event not as written"


def test_a_side_that_is_not_the_sealed_one_is_not_taken(folder: Path, out: Path) -> None:
    name = "side/1.1.J1"
    right = json.loads(sealed(folder)[name])
    wrong = {**right, "human": "left" if right["human"] == "right" else "right"}
    with sqlite3.connect(folder / FILE_NAME) as connection:
        connection.execute("DROP TRIGGER sealed_no_update")
        connection.execute(
            "UPDATE sealed SET value = ? WHERE name = ?", (canonical(wrong).decode(), name)
        )
    connection.close()
    assert recover(folder, out / "one").whole
    assert json.loads(sealed(out / "one")[name]) == right, "the copy has it"
    (folder / "copy.db").unlink()
    found = recover(folder, out / "two")
    assert found.missing == ["where the human sat is lost of 1.1.J1 (round.attempt.judge)"]
    assert name not in sealed(out / "two")


def test_a_finished_contest_is_held_against_its_head(tmp_path: Path, out: Path) -> None:
    b, place = brief(), tmp_path / "c"
    place.mkdir()
    (place / "contest.toml").write_text(TOML)
    with Record(sqlite_url(place / FILE_NAME), create=True) as record:
        record.append(b.drafts)
    (place / "head.txt").write_text(b.chains.head(None) + "\n")
    wreck(place / FILE_NAME, 0, length=100)
    found = recover(place, out / "one")
    assert found.whole, "a contest that was closed has no event behind its end"
    assert found.finished
    assert verify(out / "one").ok
    assert (out / "one" / "head.txt").read_text() == b.chains.head(None) + "\n"
    (place / "head.txt").write_text("0" * 64)
    found = recover(place, out / "two")
    assert found.missing == [f"head.txt has another head than what was recovered: {'0' * 64}"]
    assert not (out / "two" / "head.txt").exists()


def test_what_can_not_be_recovered_is_said(folder: Path, out: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder or file"):
        recover(folder / "nowhere", out)
    with pytest.raises(YoursToFix, match="not empty"):
        recover(folder, folder)
    empty = out.parent / "empty"
    empty.mkdir()
    with pytest.raises(NotAContest, match="no record here"):
        recover(empty, out)
    (empty / FILE_NAME).write_bytes(b"\x00\x01" * 8000)
    with pytest.raises(RecordTrouble, match="no event can be read any more"):
        recover(empty, out)
    assert not out.exists()


def test_settings_that_are_damaged_are_taken_from_where_they_are_sealed(
    folder: Path, out: Path
) -> None:
    (folder / "contest.toml").write_bytes(b"\xff\xfe[contest")
    found = recover(folder, out)
    assert found.settings == "what is sealed in the record"
    assert any("can't be read" in note for note in found.notes)
    assert recorded(out) == unfinished().events


# Settings


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            '[record]\ndatabase = "postgresql://o:p@h/c"\n',
            '[record]\ndatabase = ""\n',
        ),
        (
            '[record] # here\n database=\'x\' # y\n copy_to = "y" # "z"\r\n[rules]\nrounds = 1\n',
            '[record] # here\n database="" # y\n copy_to = "" # "z"\r\n[rules]\nrounds = 1\n',
        ),
        (
            '[publication]\ntext = """\n[record]\ndatabase = "1"\n"""\n[record]\ncopy_to = "y"\n',
            None,
        ),
        ('[record]\ndatabase = """x"""\n', None),
        ('record = {database = "x"}\n', None),
        ('record.database = "x"\n', None),
    ],
)
def test_the_places_of_old_records_are_taken_out(text: str, left: str | None) -> None:
    """By lines, so that comments stay; or not at all, where that would change something else."""
    head = '[contest]\nname = "x"\n' if text.startswith("[") else ""
    tail = "" if head else '[contest]\nname = "x"\n'
    if left is None:
        with pytest.raises(BadSettings, match="can't be taken out"):
            resettled(head + text + tail)
    else:
        assert resettled(head + text + tail).text == head + left + tail


def test_settings_without_such_places_stay_as_they_are() -> None:
    assert resettled(template()) == (template(), settings.parse(template()), [])


def test_an_event_that_opens_nothing_has_no_settings() -> None:
    b = Builder()
    assert of_record(b.write(bodies.Trouble("here", "none"))) == ""
    b.open(schedule_2010(), {"contest": {}})
    assert of_record(b.events[1]) == ""


def test_wishes_of_the_schedule_are_among_the_settings_that_are_written_anew() -> None:
    text = template().replace("away = {}", "away = { J2 = [3], C1 = [1, 2] }")
    text = text.replace("session = []", 'session = [{ name = "day", rounds = 4, desks = 4 }]')
    kept = settings.parse(text)
    b = Builder()
    b.open(schedule_2010(), kept.as_json())
    again = settings.parse(of_record(b.events[0]))
    assert again.schedule == kept.schedule
    assert again.schedule.away == {"J2": (3,), "C1": (1, 2)}


# PostgreSQL


def test_a_damaged_page_of_postgresql_costs_its_own_events_only(tmp_path: Path, out: Path) -> None:
    b, place = unfinished(), tmp_path / "c"
    place.mkdir()
    with database_server() as server:
        url = server.fresh()
        (place / "contest.toml").write_text(f'{TOML}\n[record]\ndatabase = "{url}"\n')
        with Record(url, create=True) as record:
            record.append(b.drafts)
        name = url.rpartition("/")[2]
        ((file,),) = server.query("SELECT pg_relation_filepath('events')", name)
        server.stop()
        heap = server.folder / "data" / str(file)
        with heap.open("r+b") as data:
            data.seek(10 * 8192 + 5000)
            data.write(b"\xff" * 100)
        server.start()
        assert not verify(place).ok
        found = recover(place, out)
    assert 100 < found.events < len(b.events)
    assert 0 < len(b.events) - found.events - found.salvaged < 60
    assert recorded(out) == b.events[: found.events]
    assert settings.load(out).record.database == ""
    shown = json.dumps(found.as_json())
    assert "s3cr3t" not in shown
    assert "postgresql://127.0.0.1" in shown
