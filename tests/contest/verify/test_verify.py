"""Tests verification: green for an unchanged record, red after any change.

Attacks on a database use sqlite3 directly and drop the triggers first, as somebody with the file
would. Attacks on a chain rewrite all of it, so that all hashes are right.
"""

from __future__ import annotations

import functools
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from contest.errors import BadSettings, NotAContest
from contest.record import bodies
from contest.record.events import LARGEST, canonical
from contest.record.reading import Row
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.verify.chain import canonical_text
from contest.verify.findings import KEPT_FAULTS, Report
from contest.verify.verify import HEAD_FILE, verify, verify_rows
from lpp.keypress import Rule
from scheduler import Pairing, Schedule
from tests.contest.build import (
    Builder,
    brief,
    changed,
    contest,
    first,
    reforge,
    rows,
    save,
    small,
    tiny,
)

COLUMNS = Row._fields[:-1]
#: Plays the interaction of J1 with E1 and C1; called with the builder, and entity to talk.
Play = Callable[[Builder, dict[str, str]], None]


def faults_of(report: Report) -> dict[str, list[str]]:
    """The failed checks: name to faults."""
    return {check.name: [str(f) for f in check.faults] for check in report.checks if not check.ok}


def faults_in(b: Builder, head: str | None = None) -> dict[str, list[str]]:
    return faults_of(verify_rows(rows(b), head))


def has_fault(found: dict[str, list[str]], check: str, said: str) -> bool:
    """Whether a check has a fault with this text; for an empty text, whether no check failed."""
    return any(said in fault for fault in found.get(check, [])) if said else found == {}


def hail(b: Builder, talks: dict[str, str]) -> None:
    b.type(talks["E1"], "judge", "J1", "hi\n")


def greet(b: Builder, talks: dict[str, str]) -> None:
    for entity, talk in talks.items():
        b.type(talk, "judge", "J1", "hi\n")
        b.type(talk, "entity", entity, "ho\n")


@functools.cache
def greeted() -> Builder:
    """A contest of one pairing in which all have typed; tests must not change it."""
    return small(greet)


@pytest.fixture(scope="module")
def whole_contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole contest; tests must not change it."""
    return save(tmp_path_factory.mktemp("contest") / "whole", tiny())


@pytest.fixture
def folder(whole_contest: Path, tmp_path: Path) -> Path:
    """A copy of the contest's folder."""
    return Path(shutil.copytree(whole_contest, tmp_path / "contest"))


def attack(folder: Path, *statements: str, values: tuple[Any, ...] = ()) -> dict[str, list[str]]:
    """Changes the database, and returns the checks that fail afterwards."""
    with sqlite3.connect(folder / FILE_NAME) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement, values)
    connection.close()
    report = verify(folder)
    assert not report.ok
    assert not any("\n" in str(fault) for check in report.checks for fault in check.faults)
    return faults_of(report)


# Green


@pytest.mark.parametrize("made", [brief, lambda: contest(speed=60_000)])
def test_a_whole_contest_is_green_and_unchanged(
    tmp_path: Path, made: Callable[[], Builder]
) -> None:
    b = made()
    place = save(tmp_path / "c", b)
    before = {file.name: file.read_bytes() for file in place.iterdir()}
    report = verify(place, f" {b.chains.head(None).upper()}\n")
    assert faults_of(report) == {}
    assert report.finished
    assert (report.events, report.head) == (len(b.events), b.chains.head(None))
    assert [check.name for check in report.checks] == [
        *("chain", "heads", "schedule", "replay", "seals", "tally")
    ]
    assert {file.name: file.read_bytes() for file in place.iterdir()} == before


def test_an_unfinished_record_is_green() -> None:
    for b, step in ((tiny(), 5), (brief(), 97)):
        all_rows = rows(b)
        for end in (*range(1, len(all_rows), step), len(all_rows) - 1):
            report = verify_rows(all_rows[:end])
            assert faults_of(report) == {}, end
            assert not report.finished


def test_a_record_that_is_being_written_can_be_verified(tmp_path: Path) -> None:
    b = small(close=False)
    folder = save(tmp_path / "c", b)
    (folder / HEAD_FILE).unlink()
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        b.write(bodies.Trouble("here", "none"))
        record.append(b.drafts[-1:])
        report = verify(folder)
    assert report.ok
    assert report.events == len(b.events)
    assert "no published head" in report.checks[1].summary


def test_a_possibly_doubled_key_is_a_note_not_a_fault() -> None:
    b = small(close=False)
    b.write(bodies.KeyInDoubt("E1", 1, 17))
    b.write(bodies.KeyInDoubt("E1", 9, 1))  # an entry's id can be any text
    report = verify_rows(rows(b))
    assert report.ok
    [replay] = [check for check in report.checks if check.name == "replay"]
    assert [str(note).partition(": ")[2] for note in replay.notes] == [
        "E1 may have received key 17 of its judge twice (round 1, attempt 1)",
        "E1 may have received key 1 of its judge twice (talk 9)",
    ]


# Anything changed in any row


VALUES: tuple[Any, ...] = (None, "", -1, 2**62, 1.5, b"\xff\xfe", "\x00", "ü" * 300)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_in_any_column_is_found(column: str) -> None:
    b = small(hail)
    before = rows(b)
    for kind in {row.kind for row in before}:
        at = first(b, kind).seq - 1
        row = before[at]
        for value in VALUES:
            if value == getattr(row, column) and type(value) is type(getattr(row, column)):
                continue
            forged = [*before[:at], Row(**{**row._asdict(), column: value}), *before[at + 1 :]]
            report = verify_rows(forged, b.chains.head(None))
            assert not report.ok, (row.kind, value)
            if column != "seq":
                assert any(f.seq == row.seq for f in report.checks[0].faults), (row.kind, value)


@pytest.mark.parametrize("kind", ["contest-opened", "key"])
def test_a_change_of_any_byte_of_an_event_is_found(kind: str) -> None:
    b = small(hail)
    before = rows(b)
    at = first(b, kind).seq - 1
    row = before[at]
    for column in COLUMNS:
        old = getattr(row, column)
        for place, char in enumerate(old if isinstance(old, str) else ""):
            new = old[:place] + chr(ord(char) ^ 1) + old[place + 1 :]
            report = verify_rows([*before[:at], Row(**{**row._asdict(), column: new})])
            assert str(report.checks[0].faults[0]).startswith(f"event {at + 1} "), (column, place)


@pytest.mark.parametrize("seed", range(4))
def test_one_byte_changed_in_the_database_names_the_event(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    event = rng.choice(tiny().events)
    column = rng.choice([c for c in COLUMNS if c not in ("seq", "mono_ns", "talk")])
    text = canonical(event.body) if column == "body" else getattr(event, column).encode()
    forged = bytearray(text)
    forged[rng.randrange(len(text))] ^= rng.randrange(1, 256)
    statement = f"UPDATE events SET {column} = CAST(? AS TEXT) WHERE seq = ?"
    found = attack(folder, statement, values=(bytes(forged), event.seq))
    assert found["chain"][0].startswith(f"event {event.seq} (")


#: Changes to the database of `tiny`; the check that finds each, and the beginning of its message.
LAST = len(tiny().events)
ATTACKS: dict[str, tuple[list[str], str, str]] = {
    "another spelling": (
        ["UPDATE events SET body = '{ ' || substr(body, 2) WHERE seq = 1"],
        *("chain", "event 1 (contest, contest-opened): its body, or its line in a file, is not"),
    ),
    "bytes instead of text": (
        ["UPDATE events SET actor = x'ff00fe' WHERE seq = 200"],
        *("chain", "event 200 ("),
    ),
    "invalid UTF-8": (
        ["UPDATE events SET kind = CAST(x'c328' AS TEXT) WHERE seq = 200"],
        *("chain", "event 200 ("),
    ),
    "removed from the middle": (
        ["DELETE FROM events WHERE seq = 151"],
        *("chain", "event 151: is missing: the numbers go from 150 to 152"),
    ),
    "removed, and later events renumbered": (
        [
            "DELETE FROM events WHERE seq = 151",
            "UPDATE events SET seq = -seq WHERE seq > 151",
            "UPDATE events SET seq = -seq - 1 WHERE seq < 0",
        ],
        *("chain", "event 151 ("),
    ),
    "the first": (
        ["DELETE FROM events WHERE seq = 1"],
        *("chain", "event 1: is missing: the numbers go from 0 to 2"),
    ),
    "the last": (
        [f"DELETE FROM events WHERE seq = {LAST}"],
        *("heads", f"event {LAST - 1} (contest, result): the contest's chain ends"),
    ),
    "two swapped": (
        [
            "UPDATE events SET seq = -1 WHERE seq = 70",
            "UPDATE events SET seq = 70 WHERE seq = 71",
            "UPDATE events SET seq = 71 WHERE seq = -1",
        ],
        *("chain", "event 70 ("),
    ),
    "a number that is not an integer": (
        [
            "CREATE TABLE loose AS SELECT * FROM events",
            "DROP TABLE events",
            "ALTER TABLE loose RENAME TO events",
            "UPDATE events SET seq = 'x' WHERE seq = 200",
        ],
        *("chain", "event 200: is missing"),
    ),
    "no table": (["DROP TABLE events"], "chain", ""),
    "no events": (["DELETE FROM events"], "chain", "the record has no events"),
    "a column is gone": (["ALTER TABLE events DROP COLUMN prev"], "chain", ""),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_changes_to_the_database_are_described(folder: Path, name: str) -> None:
    statements, check, said = ATTACKS[name]
    assert attack(folder, *statements)[check][0].startswith(said)


@pytest.mark.parametrize("seed", range(2))
def test_a_corrupt_database_is_a_fault_not_an_error(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray((folder / FILE_NAME).read_bytes())
    for _ in range(200):
        data[rng.randrange(100, len(data))] = rng.randrange(256)
    (folder / FILE_NAME).write_bytes(data)
    assert not verify(folder).ok


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: b"\0" * 4096,
        lambda data: b"no database at all",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"CREATE TABLE events", b"CREATE \x87\xeaBLE events"),
    ],
)
def test_a_file_that_is_not_a_database_is_a_fault(
    folder: Path, spoil: Callable[[bytes], bytes]
) -> None:
    (folder / FILE_NAME).write_bytes(spoil((folder / FILE_NAME).read_bytes()))
    report = verify(folder)
    assert not report.ok
    assert faults_of(report)["chain"]


# Heads


def test_missing_events_of_a_talk_are_found_by_its_head() -> None:
    b = small(hail)
    talk = first(b, "key").talk
    forged = Builder()
    for draft in b.drafts:
        if not (draft.talk == talk and draft.kind == "talk-closed"):
            forged.events.append(forged.chains.place(draft))
    found = faults_in(forged)
    assert list(found) == ["heads"]
    assert f"talk {talk} with 5 events" in found["heads"][0]
    assert "the record has 4 events" in found["heads"][0]
    closed = first(tiny(), "contest-closed")
    heads = dict(closed.body["heads"])
    left_out, _ = heads.popitem()
    forged = Builder()
    for draft in tiny().drafts[:-1]:
        forged.events.append(forged.chains.place(draft))
    forged.write(bodies.ContestClosed(heads))
    assert has_fault(faults_in(forged), "heads", f"talk {left_out}")


def test_a_rewritten_chain_does_not_match_the_published_head(
    whole_contest: Path, tmp_path: Path
) -> None:
    b = tiny()
    verdict = first(b, "verdict")
    other = {"left": "right", "right": "left"}[verdict.body["human"]]
    forged = changed(b, verdict.seq, human=other)
    assert list(faults_in(forged)) == ["tally"], "its hashes are correct"
    folder = save(tmp_path / "c", forged)
    (folder / HEAD_FILE).write_text((whole_contest / HEAD_FILE).read_text())
    assert faults_of(verify(folder))["heads"][0].startswith(
        f"event {LAST} (contest, contest-closed)"
    )
    # An attacker can rewrite the head file, too, but not the published head.
    (folder / HEAD_FILE).write_text(forged.chains.head(None) + "\n")
    assert "heads" not in faults_of(verify(folder))
    assert "heads" in faults_of(verify(folder, b.chains.head(None)))


def test_events_added_after_publication_or_the_end_are_found() -> None:
    b = small()
    head, last = b.chains.head(None), b.events[-1].seq
    b.write(bodies.Trouble("here", "there"))
    assert f"that is the head at event {last}: later events" in faults_in(b, head)["heads"][0]
    b = reforge(brief().drafts)
    b.now_ns = b.drafts[-1].mono_ns
    b.key("1.1.J1.left", "judge", "J1", "x", out_of_phase=Rule.AFTER_END.value, n=75)
    assert "comes after the contest was closed" in faults_in(b)["heads"][0]


@pytest.mark.parametrize("text", [b"", b"no head", b"\xff" * 64, b"a" * 63, b"g" * 64])
def test_a_malformed_head_file_is_a_fault(folder: Path, text: bytes) -> None:
    (folder / HEAD_FILE).write_bytes(text)
    assert faults_of(verify(folder)) == {
        "heads": ["head.txt does not contain a head (64 hex digits)"]
    }


# Records with correct hashes that break a rule: one value changed


#: The author of the second key whose body is changed; the change; and the message.
KEYS: list[tuple[str, dict[str, Any], str, str]] = [
    ("judge", {"n": 1}, "replay", "its number is 1, not 2"),
    ("judge", {"n": 3}, "replay", "its number is 3, not 2"),
    ("entity", {"n": 7, "raw": "0000000007.o.other"}, "replay", "its number 7 is not"),
    ("entity", {"n": 15}, "replay", "its name 0000000014.o.other does not match its number"),
    ("entity", {"key": "x"}, "replay", "its name 0000000014.o.other does not match its number"),
    ("entity", {"raw": "nonsense"}, "replay", "its name nonsense does not match its number"),
    ("judge", {"side": "nowhere"}, "chain", "is malformed"),
    ("entity", {"out_of_phase": "3/waits"}, "replay", "as too early, but the judge had begun"),
    ("entity", {"out_of_phase": "3/after-end"}, "replay", "after the end, but keys came after"),
    ("entity", {"out_of_phase": "3/not-on"}, "replay", "outside the interaction, but keys"),
    ("entity", {"out_of_phase": "because"}, "replay", "it is marked with an unknown rule: because"),
]


@pytest.mark.parametrize(("author", "body", "check", "said"), KEYS)
def test_impossible_keys_are_found(
    author: str, body: dict[str, Any], check: str, said: str
) -> None:
    b = greeted()
    keys = [e for e in b.events if e.kind == "key" and e.body["author"] == author]
    assert has_fault(faults_in(changed(b, keys[1].seq, **body)), check, said)


#: The kind of the first event of `tiny` whose body is changed; the change; check and message.
CHANGES: list[tuple[str, dict[str, Any], str, str]] = [
    ("talk-opened", {"judge": "J2"}, "schedule", "it opens the talk 1.1.J2."),
    ("talk-opened", {"entity": "E2"}, "schedule", "J1 talks with E2, but the schedule has J1E1C1"),
    ("talk-opened", {"attempt": 2}, "schedule", "it opens the talk 1.2.J1."),
    ("round-opened", {"attempt": 2}, "schedule", "it opens attempt 2 of round 1, not 1"),
    ("round-opened", {"round": 9}, "schedule", "round 9 is not in the schedule"),
    ("verdict", {"judge": "J9"}, "schedule", "J9 has no pairing in round 1 of the schedule"),
    ("verdict", {"version": 2}, "schedule", "its version is 2, not 1"),
    ("verdict", {"attempt": 3}, "schedule", "attempt 3 of round 1 was never opened"),
    ("ranking", {"version": 0}, "schedule", "its version is 0, not 1"),
    ("ranking", {"ranks": {"1 left": 2}}, "schedule", "the ranked labels"),
    ("ranking", {"talks": {"1 left": ["1.1.J2.left"]}}, "schedule", "talks that are not this"),
    (
        *("ranking", {"talks": {"1 left": ["1.1.J1.left", "1.1.J1.right"]}}),
        *("schedule", "several participants"),
    ),
    ("ranking", {"ranks": {"1 left": 99}}, "schedule", "the rank of 1 left is out of range"),
    ("contest-opened", {"format": 0}, "schedule", "its format is 0; this program knows 1 to 2"),
    ("contest-opened", {"format": 3}, "schedule", "its format is 3; this program knows 1 to 2"),
    ("contest-opened", {"schedule": {}}, "schedule", "its schedule"),
    ("contest-opened", {"schedule": {"rounds": 7}}, "schedule", "its schedule"),
    (
        *("contest-opened", {"schedule": {"matrix": {"J1": {"E1": "C1"}}}}),
        *("schedule", "'matrix' is unknown"),
    ),
    ("result", {"table": {}}, "tally", "its field table does not match"),
    ("result", {"winners": ["E2"]}, "tally", "its field winners does not match"),
    ("result", {"silver": [{"entry": "E1"}]}, "tally", "its field silver does not match"),
    ("result", {"entries": []}, "tally", "its field entries does not match"),
]


@pytest.mark.parametrize(("kind", "body", "check", "said"), CHANGES)
def test_inconsistent_values_are_found(
    kind: str, body: dict[str, Any], check: str, said: str
) -> None:
    event = first(tiny(), kind)
    found = faults_in(changed(tiny(), event.seq, **body))[check]
    assert any(said in fault and f"event {event.seq} (" in fault for fault in found), found


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ({"human": "other"}, "it reveals something that is not a side"),
        ({"nonce": "0" * 32}, "that it reveals for round 1, attempt 1, J1 is not what was sealed"),
        ({"nonce": "0" * 31}, "it reveals something that is not a side"),
        ({"round": 9}, "the side that it reveals for round 9, attempt 1, J1 was never sealed"),
        ({"judge": 3}, "it reveals something that is not a side"),
        ({"swap": True}, "it says the human of round 1, attempt 1, J1 was on the "),
    ],
)
def test_a_side_that_differs_from_its_seal_is_found(side: dict[str, Any], said: str) -> None:
    revealed = first(tiny(), "sides-revealed")
    sides = [dict(each) for each in revealed.body["sides"]]
    if "swap" in side:
        side = {"human": {"left": "right", "right": "left"}[sides[0]["human"]]}
    sides[0] |= side
    found = faults_in(changed(tiny(), revealed.seq, sides=sides))
    assert has_fault(found, "seals", said)
    hidden = "does not reveal the side of round 1, attempt 1, J1"
    assert has_fault(found, "seals", hidden) == ("not a side" in said or "never" in said)


# Events in an interaction


def type_(b: Builder, talks: dict[str, str], text: str = "a", rule: Rule | None = None) -> None:
    for key in text:
        b.key(talks["E1"], "judge", "J1", key, out_of_phase=rule and rule.value)


def in_a_pause(b: Builder, talks: dict[str, str]) -> None:
    type_(b, talks)
    b.write(bodies.RoundPaused(1, 1, "alarm"))
    type_(b, talks, "b")
    b.write(bodies.RoundResumed(1, 1))


def ended_early(b: Builder, talks: dict[str, str]) -> None:
    b.write(bodies.RoundEnded(1, 1, "enough"))
    type_(b, talks)


def sealed_again(b: Builder, talks: dict[str, str]) -> None:
    b.write(bodies.SideSealed(1, 1, "J1", "0" * 64))


def after_the_end(b: Builder, talks: dict[str, str]) -> None:
    type_(b, talks)
    b.write(bodies.RoundAgain(1, 1, "no power"), actor="organizer")
    type_(b, talks, "b", Rule.AFTER_END)
    b.write(bodies.RoundEnded(1, 1, "no power"), actor="organizer")
    type_(b, talks, "c", Rule.AFTER_END)
    b.close_round(1, 1, list(talks.values()))


def at_the_instant(extension: int | None) -> Play:
    """Keys after the time is up, while the end is not recorded yet."""

    def play(b: Builder, talks: dict[str, str]) -> None:
        type_(b, talks, "x", Rule.NOT_ON)
        type_(b, talks)
        if extension is not None:
            b.write(bodies.RoundExtended(1, 1, extension, "began late"), actor="organizer")
        b.wait(300)
        type_(b, talks, "b", Rule.AFTER_END)

    return play


def too_early(b: Builder, talks: dict[str, str]) -> None:
    type_(b, talks)
    type_(b, talks, "b", Rule.AFTER_END)


def times(*row: int | None) -> Play:
    """Records times of a key; the first value is its number, or 0 for the correct one."""

    def play(b: Builder, talks: dict[str, str]) -> None:
        (key,) = b.type(talks["E1"], "judge", "J1", "a")
        b.write(bodies.Times([[row[0] or key.seq, *row[1:]]]), talks["E1"])

    return play


def shown_though_hidden(b: Builder, talks: dict[str, str]) -> None:
    key = b.key(talks["E1"], "entity", "E1", "a", out_of_phase=Rule.WAITS.value)
    b.write(bodies.Times([[key.seq, b.now_ns, b.now_ns]]), talks["E1"])


def begun_by(first: list[str], out_of_phase: str | None) -> Play:
    """Types keys of the judge, then one of the entity."""

    def play(b: Builder, talks: dict[str, str]) -> None:
        for key in first:
            b.key(talks["E1"], "judge", "J1", key)
        b.key(talks["E1"], "entity", "E1", "Y", out_of_phase=out_of_phase)

    return play


def numbered(*keys: tuple[int, str | None, list[str]]) -> Play:
    """Types keys of the entity with these numbers, names and rules."""

    def play(b: Builder, talks: dict[str, str]) -> None:
        type_(b, talks)
        b.type(talks["E1"], "entity", "E1", "b" if keys[0][1] is None else "")
        for n, raw, rules in keys:
            b.key(talks["E1"], "entity", "E1", "x", n=n, raw=raw, rules=rules)

    return play


UNIQUE, NUMERIC = Rule.UNIQUE.value, Rule.NUMERIC.value
PLAYS: list[tuple[Play, str]] = [
    (in_a_pause, "it was shown, but the round was paused"),
    (at_the_instant(None), ""),
    (at_the_instant(60), "as after the end, but came before it"),
    (too_early, "as after the end, but came before it"),
    (ended_early, "it was shown, but the round was ended"),
    (sealed_again, "were already sealed"),
    (times(1, 10**10, None), "has times of event 1, which is not an earlier key"),
    (times(0, 0, None), "was durable before it was received"),
    (times(0, 10**12, 10**11), "was shown before it was durable"),
    (times(0, 10**12), "times that are not [seq, durable, shown]"),
    (shown_though_hidden, "was out of phase, but has a time at which"),
    (numbered((1, None, [NUMERIC]), (1, None, [UNIQUE])), ""),
    (
        numbered(
            *((LARGEST, f"1337084527090051{n}.x.other", []) for n in (15, 16)),
            (LARGEST, "133708452709005114.x.other", []),
        ),
        "its number 133708452709005114 is not",
    ),
    # A key that types nothing doesn't begin a talk; in earlier versions it did.
    (begun_by(["Shift_L"], None), ""),
    (begun_by(["Shift_L"], "3/waits"), ""),
    (begun_by([], "3/waits"), ""),
    (begun_by([], None), "the judge had not begun"),
    (begun_by(["H"], None), ""),
    (begun_by(["Shift_L", "H"], "3/waits"), "marked as too early"),
]


@pytest.mark.parametrize(("play", "said"), PLAYS)
def test_impossible_events_in_an_interaction_are_found(play: Play, said: str) -> None:
    found = faults_in(small(play))
    if said:
        assert any(said in fault for faults in found.values() for fault in faults), found
    else:
        assert found == {}


def test_a_round_to_be_played_again_ends_at_once() -> None:
    assert faults_in(small(after_the_end, close=False)) == {}


# Events after a contest of one round


SEEN = "after the sides were revealed"
LABELS = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}
BALLOT = bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, LABELS)


def void(number: int = 1, attempt: int = 1, talk: str = "") -> bodies.Voided:
    return bodies.Voided(number, attempt, "they know one another", talk)


AFTER: list[tuple[list[bodies.AnyBody | str], str, str]] = [
    ([void(talk="1.1.J1.left")], "schedule", ""),
    ([void()], "schedule", ""),
    ([void(attempt=2)], "schedule", "attempt 2 of round 1 was never opened"),
    ([void(7)], "schedule", "attempt 1 of round 7 was never opened"),
    ([void(talk="1.1.J2.left")], "schedule", "no talk of that attempt is called 1.1.J2.left"),
    ([void(talk="1.2.J1.left")], "schedule", "no talk of that attempt is called"),
    ([bodies.BallotExcluded("J1", "left")], "schedule", "J1 had given no ballot by then"),
    ([BALLOT, bodies.BallotExcluded("J1", "left")], "schedule", ""),
    (["reveal", void()], "seals", f"it was voided {SEEN}"),
    (["reveal", bodies.VerdictGiven(1, 1, "J1", "left", 2)], "seals", f"it was given {SEEN}"),
    (
        [BALLOT, "reveal", bodies.BallotExcluded("J1", "it does not suit me")],
        *("seals", f"the ballot was excluded {SEEN}"),
    ),
    ([bodies.RoundExtended(1, 1, 60, "too late")], "replay", "comes while the round is closed"),
    ([bodies.ScoringClosed(1, 1, "too late")], "replay", "comes while the round is closed"),
    ([bodies.RoundStarted(4, 1, 3)], "replay", "attempt 1 of round 4 was not opened"),
    ([bodies.RoundAgain(1, 2, "which?")], "replay", "attempt 2 of round 1 was not opened"),
    (
        [bodies.ConsentGiven("J1", True, version) for version in (1, 2, 2)],
        *("schedule", "its version is 2, not 3"),
    ),
    ([void(talk="1.1.J1.left"), "reveal", "finish"], "tally", ""),
    ([BALLOT, bodies.BallotExcluded("J1", "left"), "reveal", "finish"], "tally", ""),
    ([BALLOT, "reveal", "finish"], "tally", ""),
]


@pytest.mark.parametrize(("events", "check", "said"), AFTER)
def test_impossible_steps_of_the_organizer_are_found(
    events: list[bodies.AnyBody | str], check: str, said: str
) -> None:
    b = small()
    for each in events:
        if isinstance(each, str):
            getattr(b, each)()
        else:
            b.write(each, actor="organizer")
    assert has_fault(faults_in(b), check, said)


def test_a_result_that_counts_a_voided_talk_is_found() -> None:
    counted = small()
    counted.reveal()
    counted.finish()
    b = small()
    b.write(void(), actor="organizer")
    b.reveal()
    b.write(bodies.Result(**first(counted, "result").body))
    assert has_fault(faults_in(b), "tally", "its field table does not match")


def test_unplayable_and_unplayed_schedules_are_found() -> None:
    both = Schedule.of([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E1", "C2")])
    found = faults_in(small(schedule=both, close=False))
    assert "in two places at once: Round 1: E1" in found["schedule"][0]
    two = Schedule.of([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E2", "C2")])
    assert [fault.partition(": ")[2] for fault in faults_in(small(schedule=two))["schedule"]] == [
        "the round lacks the talk of J2 with E2",
        "the round lacks the talk of J2 with C2",
    ]


def test_wrong_openings_seals_and_kinds_are_found() -> None:
    b = small()
    b.write(bodies.from_json("contest-opened", b.events[0].body))
    assert has_fault(faults_in(b), "schedule", "the contest was already opened")
    drafts = [draft for draft in small().drafts if draft.kind != "side-sealed"]
    found = faults_in(reforge(drafts))
    assert has_fault(found, "seals", "round 1, attempt 1, J1 were not sealed before")
    drafts = list(small().drafts)
    drafts[3] = replace(drafts[3], kind="telepathy")
    assert faults_in(reforge(drafts))["chain"] == [
        "event 4 (contest, telepathy): unknown kind of event 'telepathy'"
    ]
    b = small(close=False)
    b.write(bodies.RoundClosed(1, 1, b.chains.heads()))
    assert has_fault(faults_in(b), "replay", "it comes while the round is on")


# Folders


def test_a_folder_without_a_record_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder"):
        verify(tmp_path / "nowhere")
    with pytest.raises(NotAContest, match="no record here"):
        verify(tmp_path)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        *(
            (f'[contest]\nname = "x"\n[record]\ndatabase = "{url}"\n', NotAContest)
            for url in (*("what?", "nosuch://x/y", "sqlite:////nowhere/at/all.db"),)
        ),
        ("\x00 = [", BadSettings),
    ],
)
def test_settings_with_a_missing_database_are_unusable(
    folder: Path, text: str, error: type[Exception]
) -> None:
    (folder / "contest.toml").write_text(text)
    with pytest.raises(error):
        verify(folder)


def test_a_record_is_found_without_settings_or_at_another_place(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "contest.toml").unlink()
    assert verify(folder).ok
    elsewhere = tmp_path / "a b?c#d%.db"
    (folder / FILE_NAME).rename(elsewhere)
    url = sqlite_url(elsewhere).replace("\\", "\\\\")
    (folder / "contest.toml").write_text(f'[contest]\nname = "x"\n[record]\ndatabase = "{url}"\n')
    assert verify(folder).ok


# Rows with any content


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
odd = (
    st.none() | st.integers() | st.text() | st.binary() | st.floats() | json_values.map(json.dumps)
)


@given(json_values)
@example({"\ufb01": 1, "\U0001f600": 2})
def test_the_fast_canonical_form_equals_the_reference_form(value: Any) -> None:
    assert canonical_text(value).encode() == canonical(value)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.sampled_from(COLUMNS), odd)
def test_any_value_in_a_row_is_handled(at: int, column: str, value: Any) -> None:
    all_rows = rows(greeted())
    at %= len(all_rows)
    all_rows[at] = Row(**{**all_rows[at]._asdict(), column: value})
    assert json.dumps(verify_rows(all_rows).as_json())


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4000), st.dictionaries(st.text(max_size=8), json_values, max_size=3))
def test_any_body_in_a_correct_chain_is_handled(seq: int, body: dict[str, Any]) -> None:
    b = greeted()
    event = b.events[seq % len(b.events)]
    own = [name for name in event.body if name != "heads"]
    mixed = dict(body)
    if own:
        mixed[own[seq % len(own)]] = next(iter(body.values()), None)
    assert json.dumps(verify_rows(rows(changed(b, event.seq, **mixed))).as_json())


def test_the_number_of_kept_faults_is_limited() -> None:
    all_rows = [row._replace(hash="0" * 64) for row in rows(contest())]
    chain = verify_rows(all_rows).checks[0]
    assert len(chain.faults) == KEPT_FAULTS
    assert chain.more == len(all_rows) - KEPT_FAULTS
