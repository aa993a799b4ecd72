"""Tests the recovery of a damaged record: every readable event is recovered, and the report says
what is missing."""

from __future__ import annotations

import functools
import json
import random
import re
import shutil
import sqlite3
from dataclasses import asdict
from pathlib import Path

import pytest

from contest.errors import NotAContest, RecordTrouble, UserError
from contest.live.conductor import Sealed
from contest.record import reading, season
from contest.record.events import Event, canonical, event_from_json
from contest.record.store import FILE_NAME, Copy, Record, sqlite_url
from contest.recovery.recovery import SALVAGED, recover, source_of, without_databases
from contest.setup import settings
from contest.setup.folder import template
from contest.setup.planning import schedule_of
from contest.verify.verify import verify
from scheduler import schedule_2010
from tests.contest.build import TOML, Builder, brief, play_round

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unfinished contest with its copy and all sealed values; tests must not change it."""
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
        record.seal("contest.toml", (folder / "contest.toml").read_text(encoding="utf-8"))
        for (round_, attempt, judge), (human, nonce) in b.sides.items():
            record.seal(f"side/{round_}.{attempt}.{judge}", asdict(Sealed(human, nonce)))
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
    """A copy of the whole contest's folder."""
    return Path(shutil.copytree(whole, tmp_path / "contest"))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def recorded(folder: Path) -> list[Event]:
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        return list(record.events())


def sealed(folder: Path) -> dict[str, str]:
    return reading.open_reader(sqlite_url(folder / FILE_NAME)).sealed()


def page_of(file: Path, event: Event) -> int:
    """The position of the page that holds an event."""
    at = file.read_bytes().index(event.hash.encode())
    return at - at % PAGE


def wreck(file: Path, *places: int, length: int = PAGE) -> None:
    """Overwrites places in a file with random bytes."""
    data = bytearray(file.read_bytes())
    for at in places:
        data[at : at + length] = bytes(random.Random(at).randrange(256) for _ in range(length))
    file.write_bytes(data)


# Reading a damaged database


@pytest.mark.parametrize("seed", range(3))
def test_events_read_from_a_damaged_file_are_intact_and_losses_are_reported(
    folder: Path, seed: int
) -> None:
    """Ten random bytes are changed."""
    rng, file = random.Random(seed), folder / FILE_NAME
    data = bytearray(file.read_bytes())
    for at in rng.sample(range(100, len(data)), 10):
        data[at] ^= rng.randrange(1, 256)
    file.write_bytes(data)
    events = unfinished().events
    source = source_of(sqlite_url(file))
    assert all(found == events[seq - 1] for seq, found in source.events.items())
    assert source.trouble or len(source.events) == len(events)
    assert len(source.events) > len(events) // 2


# Recovering


def test_undamaged_record_is_recovered_completely(folder: Path, out: Path) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    found = recover(folder, out)
    assert not found.missing, found.missing
    assert recorded(out) == unfinished().events
    assert sealed(out) == sealed(folder)
    assert (out / "codes.txt").read_bytes() == (folder / "codes.txt").read_bytes()
    assert (out / "codes.txt").stat().st_mode & 0o777 == 0o600
    assert verify(out).ok
    assert not (out / SALVAGED).exists()
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    # The new contest continues in its own folder, and overwrites nothing of the old one.
    own = settings.load(out)
    assert (own.record.database, own.record.copy_to) == ("", "")
    assert own.contest == settings.load(folder).contest
    with Record(sqlite_url(out / FILE_NAME), create=True) as record:
        assert record.chains.last_seq == len(unfinished().events)


def test_record_with_a_season_and_a_contest_is_copied_and_recovered(
    tmp_path: Path, out: Path
) -> None:
    b, place = Builder(), tmp_path / "c"
    b.write(season.SeasonOpened(season.FORMAT, "test"))
    b.write(season.SittingBegun("E1"), talk=f"{season.SITTING}E1")
    b.write(season.FinalistsSet(["E1"]), actor="organizer")
    schedule = schedule_2010()
    b.open(schedule)
    play_round(b, 1, schedule.rounds[0])
    place.mkdir()
    (place / "contest.toml").write_text(template().replace('copy_to = ""', 'copy_to = "copy.db"'))
    with Record(sqlite_url(place / FILE_NAME), create=True) as record:
        copy = Copy(place / "copy.db", record)
        record.seal("letters-1", {"letters": {}, "salt": "0"})
        for at in range(0, len(b.drafts), 100):
            copy.add(record.append(b.drafts[at : at + 100]))
        copy.close()
    wreck(place / FILE_NAME, 0, page_of(place / FILE_NAME, b.events[5]))
    found = recover(place, out)
    assert [event.hash for event in recorded(out)] == [event.hash for event in b.events]
    assert found.settings == f"the folder {place}"
    assert "letters-1" in sealed(out)
    assert verify(out).ok


def test_gap_is_filled_from_the_copy(folder: Path, out: Path) -> None:
    events = unfinished().events
    middle = len(events) // 2
    wreck(folder / FILE_NAME, 0, page_of(folder / FILE_NAME, events[middle - 1]))
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
    assert not found.missing, found.missing


def test_events_after_a_gap_are_salvaged_if_there_is_no_copy(folder: Path, out: Path) -> None:
    (folder / "copy.db").unlink()
    events = unfinished().events
    wreck(folder / FILE_NAME, page_of(folder / FILE_NAME, events[99]))
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
    assert found.missing[0] == (
        f"{lost} events lost, in the range from {len(run) + 1} to {len(events)}"
    )
    assert f"{len(kept):,} events after the gap can be read" in found.missing[1]
    assert any("copy.db: no record here" in note for note in found.notes)
    report = verify(out)
    assert report.ok
    assert report.events == len(run)


def test_contest_can_be_recovered_from_the_copy_alone(folder: Path, out: Path) -> None:
    away = out.parent / "usb-stick.db"
    shutil.move(folder / "copy.db", away)
    kept = sealed(folder)
    shutil.rmtree(folder)
    found = recover(away, out)
    assert any("a copy lags its record" in each for each in found.missing)
    assert recorded(out) == unfinished().events
    assert sealed(out) == kept
    assert settings.load(out).contest.name == "A contest of tests"
    assert found.settings == "the record's sealed values"


def with_schedule(file: str) -> str:
    text = re.sub(r"^schedule = .*$", f'schedule = "{file}"', template(), flags=re.MULTILINE)
    assert settings.parse(text).rules.schedule == file
    return text


def test_schedule_inside_the_folder_is_copied_and_one_outside_is_not(
    folder: Path, out: Path
) -> None:
    (folder / "contest.toml").write_text(with_schedule("plans/day.csv"))
    (folder / "plans").mkdir()
    lines = [f"{p.round},{p.judge},{p.entry},{p.confederate}" for p in schedule_2010().pairings]
    csv = "\n".join(["round,judge,entry,confederate", *lines, ""])
    (folder / "plans" / "day.csv").write_text(csv)
    recover(folder, out / "inside")
    kept = settings.load(out / "inside")
    assert schedule_of(kept, out / "inside").pairings == schedule_2010().pairings
    (folder.parent / "elsewhere.csv").write_text(csv)
    (folder / "contest.toml").write_text(with_schedule("../elsewhere.csv"))
    recover(folder, out / "beside")
    assert not (out / "elsewhere.csv").exists()


def test_diverging_records_are_reported(folder: Path, out: Path) -> None:
    """A second server continued the contest from the copy while the old server was still
    running."""
    with Record(sqlite_url(folder / "copy.db")) as copy:
        theirs = copy.append([brief().drafts[-1]])
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        ours = record.append([brief().drafts[-2], brief().drafts[-1]])
    found = recover(folder, out)
    assert recorded(out)[-2:] == ours
    assert [event_from_json(line) for line in (out / SALVAGED).read_bytes().splitlines()] == theirs
    (said,) = found.missing
    assert said.startswith(f"from event {ours[0].seq} on")
    assert "hold different events" in said


def test_forged_event_is_not_recovered(folder: Path, out: Path) -> None:
    """A changed event doesn't match its hash; with a new hash, it would break the chain."""
    (folder / "copy.db").unlink()
    file = folder / FILE_NAME
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET actor = 'J2' WHERE seq = 50")
    connection.close()
    found = recover(folder, out)
    assert found.events == 49
    assert found.troubles[str(file)] == f"{file}: 1 event damaged or changed"


def test_a_damaged_index_loses_nothing(folder: Path, out: Path) -> None:
    (folder / "copy.db").unlink()
    file, events = folder / FILE_NAME, recorded(folder)
    with sqlite3.connect(file) as connection:
        [(page, root)] = connection.execute(
            "SELECT page_size, rootpage FROM pragma_page_size, sqlite_master "
            "WHERE type = 'index' AND tbl_name = 'events' AND sql NOT NULL"
        )
    connection.close()
    with file.open("r+b") as broken:
        broken.seek((root - 1) * page)
        broken.write(bytes(page))
    with pytest.raises(RecordTrouble, match=r"save .*`loebner recover`"):
        list(reading.read_rows(sqlite_url(file), thorough=True))
    found = recover(folder, out)
    assert found.troubles[str(file)]
    assert "loebner recover" not in found.troubles[str(file)], "that is this command"
    assert recorded(out) == events
    assert not found.missing


def test_side_that_does_not_match_its_seal_is_not_recovered(folder: Path, out: Path) -> None:
    name = "side/1.1.J1"
    right = json.loads(sealed(folder)[name])
    wrong = {**right, "human": "left" if right["human"] == "right" else "right"}
    with sqlite3.connect(folder / FILE_NAME) as connection:
        connection.execute("DROP TRIGGER sealed_no_update")
        connection.execute(
            "UPDATE sealed SET value = ? WHERE name = ?", (canonical(wrong).decode(), name)
        )
    connection.close()
    assert not recover(folder, out / "one").missing
    assert json.loads(sealed(out / "one")[name]) == right, "the copy has it"
    (folder / "copy.db").unlink()
    found = recover(folder, out / "two")
    assert found.missing == ["the human's side is lost for 1.1.J1 (round.attempt.judge)"]
    assert name not in sealed(out / "two")


def test_finished_contest_is_compared_with_its_published_head(tmp_path: Path, out: Path) -> None:
    b, place = brief(), tmp_path / "c"
    place.mkdir()
    (place / "contest.toml").write_text(TOML)
    with Record(sqlite_url(place / FILE_NAME), create=True) as record:
        record.append(b.drafts)
    (place / "head.txt").write_text(b.chains.head(None) + "\n")
    wreck(place / FILE_NAME, 0, length=100)
    found = recover(place, out / "one")
    assert not found.missing, "a closed contest has no later events"
    assert found.finished
    assert verify(out / "one").ok
    assert (out / "one" / "head.txt").read_text() == b.chains.head(None) + "\n"
    (place / "head.txt").write_text("0" * 64)
    found = recover(place, out / "two")
    assert found.missing == [
        f"the head in head.txt, {'0' * 64}, is not that of the recovered record"
    ]
    assert not (out / "two" / "head.txt").exists()


def test_impossible_recovery_is_refused_with_the_reason(folder: Path, out: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder or file"):
        recover(folder / "nowhere", out)
    with pytest.raises(UserError, match="not empty"):
        recover(folder, folder)
    empty = out.parent / "empty"
    empty.mkdir()
    with pytest.raises(NotAContest, match="no record here"):
        recover(empty, out)
    (empty / FILE_NAME).write_bytes(b"\x00\x01" * 8000)
    with pytest.raises(RecordTrouble, match="no event can be read") as refused:
        recover(empty, out)
    assert "loebner recover" not in str(refused.value), "that is the command which was refused"
    assert not out.exists()


def test_damaged_settings_are_replaced_by_the_sealed_ones(folder: Path, out: Path) -> None:
    (folder / "contest.toml").write_bytes(b"\xff\xfe[contest")
    found = recover(folder, out)
    assert found.settings == "the record's sealed values"
    assert any("can't be read" in note for note in found.notes)
    assert recorded(out) == unfinished().events


# Settings


@pytest.mark.parametrize(
    "text",
    [
        '[record]\ndatabase = "postgresql://o:p@h/c"  # here\n',
        '[record] # here\n database=\'x\' # y\n copy_to = "y" # "z"\r\n[rules]\nrounds = 1\n',
        '[publication]\ntext = """\n[record]\ndatabase = "1"\n"""\n[record]\ncopy_to = "y"\n',
        '[record]\ndatabase = """x"""\n',
        'record = {database = "x"}\n',
        'record.database = "x"\n',
    ],
)
def test_database_addresses_are_removed_from_the_settings(text: str) -> None:
    """Comments and all other settings stay."""
    head = "" if text.startswith("record") else '[contest]\nname = "x"\n'
    whole = head + text + ('[contest]\nname = "x"\n' if not head else "")
    before, after = settings.parse(whole), without_databases(whole)
    read = settings.parse(after)
    assert (read.record.database, read.record.copy_to) == ("", "")
    assert read.publication == before.publication
    assert after.count("#") == whole.count("#")
