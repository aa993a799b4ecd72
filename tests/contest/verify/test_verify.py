"""Verification: green for what happened, red for whatever was done to it afterwards.

The attacks on a database go through sqlite3 itself, with the triggers dropped first, as somebody
would who has the file. Those on a chain rewrite it as a whole, so that all hashes are right.
"""

from __future__ import annotations

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

from contest.errors import BadSettings, NotAContest
from contest.record import bodies
from contest.record.events import canonical
from contest.record.reading import Row
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.verify.chain import canonical_of_whole
from contest.verify.findings import KEPT, Report
from contest.verify.verify import HEAD_FILE, verify, verify_rows
from lpp.keypress import Rule
from scheduler import Pairing, Schedule
from tests.contest.build import Builder, brief, changed, contest, first, reforge, rows, save, small

COLUMNS = Row._fields[:-1]


def red(report: Report) -> dict[str, list[str]]:
    """What is red: a check's name to its faults."""
    return {check.name: [str(f) for f in check.faults] for check in report.checks if not check.ok}


def judged(b: Builder, head: str | None = None) -> dict[str, list[str]]:
    return red(verify_rows(rows(b), head))


def hail(b: Builder, talks: dict[str, str]) -> None:
    b.type(talks["E1"], "judge", "J1", "hi\n")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole contest; not to be changed."""
    return save(tmp_path_factory.mktemp("contest") / "whole", brief())


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "contest"))


def attack(folder: Path, *statements: tuple[str, tuple[Any, ...]] | str) -> dict[str, list[str]]:
    """Changes the database, and says what is red afterwards."""
    with sqlite3.connect(folder / FILE_NAME) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            sql, values = (statement, ()) if isinstance(statement, str) else statement
            connection.execute(sql, values)
    connection.close()
    report = verify(folder)
    assert not report.ok
    for check in report.checks:
        for fault in check.faults:
            assert "\n" not in str(fault)
    return red(report)


# Green


def test_a_key_that_may_have_been_made_twice_is_told_and_not_red() -> None:
    b = small(close=False)
    b.write(bodies.KeyInDoubt("E1", 1, 17))
    b.write(bodies.KeyInDoubt("E1", 9, 1))  # a link may say anything
    report = verify_rows(rows(b))
    assert report.ok
    [replay] = [check for check in report.checks if check.name == "replay"]
    assert [str(note) for note in replay.notes] == [
        f"event {len(b.events) - 1} (contest, key-in-doubt): E1 may have had key 17 of its judge "
        "twice (round 1, attempt 1)",
        f"event {len(b.events)} (contest, key-in-doubt): E1 may have had key 1 of its judge twice "
        "(talk 9)",
    ]


@pytest.mark.parametrize("again", [True, False])
def test_a_whole_contest_is_green(tmp_path: Path, again: bool) -> None:
    b = contest(again=again)
    report = verify(save(tmp_path / "c", b))
    assert red(report) == {}
    assert report.finished
    assert (report.events, report.head) == (len(b.events), b.chains.head(None))
    assert [check.name for check in report.checks] == [
        *("chain", "heads", "schedule", "replay", "seals", "tally")
    ]


def test_a_contest_at_high_speed_is_green() -> None:
    assert judged(contest(speed=60_000)) == {}


def test_a_record_that_is_not_finished_is_green_as_far_as_it_goes() -> None:
    all_rows = rows(brief())
    for end in (*range(1, 30), *range(30, len(all_rows), 17), len(all_rows) - 1):
        report = verify_rows(all_rows[:end])
        assert red(report) == {}, end
        assert not report.finished


def test_verifying_writes_nothing(folder: Path) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    verify(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_record_that_is_being_written_can_be_verified(tmp_path: Path) -> None:
    b = small(close=False)
    folder = save(tmp_path / "c", b)
    (folder / HEAD_FILE).unlink()
    with Record(sqlite_url(folder / FILE_NAME)) as record:
        b.wait(1)
        b.write(bodies.Trouble("here", "none"))
        record.append(b.drafts[-1:])
        report = verify(folder)
    assert report.ok
    assert report.events == len(b.events)


# One byte, any column


VALUES: tuple[Any, ...] = (None, "", "x", 0, -1, 2**62, 1.5, b"", b"\xff\xfe", "\x00", "ü" * 300)


@pytest.mark.parametrize("column", COLUMNS)
def test_any_other_value_in_any_column_turns_red(column: str) -> None:
    b = small(hail)
    before = rows(b)
    for at, row in enumerate(before):
        for value in VALUES:
            if value == getattr(row, column) and type(value) is type(getattr(row, column)):
                continue
            forged = [*before[:at], Row(**{**row._asdict(), column: value}), *before[at + 1 :]]
            report = verify_rows(forged, b.chains.head(None))
            assert not report.ok, (row.kind, value)
            if column != "seq":
                assert any(f.seq == row.seq for f in report.checks[0].faults), (row.kind, value)


@pytest.mark.parametrize("kind", ["contest-opened", "side-sealed", "key", "round-closed"])
def test_every_byte_of_an_event_counts(kind: str) -> None:
    b = small(hail)
    before = rows(b)
    at = first(b, kind).seq - 1
    row = before[at]
    for column in COLUMNS:
        old = getattr(row, column)
        if not isinstance(old, str):
            continue
        for place, char in enumerate(old):
            new = old[:place] + chr(ord(char) ^ 1) + old[place + 1 :]
            forged = [*before[:at], Row(**{**row._asdict(), column: new}), *before[at + 1 :]]
            report = verify_rows(forged)
            assert str(report.checks[0].faults[0]).startswith(f"event {at + 1} "), (column, place)


@pytest.mark.parametrize("column", [column for column in COLUMNS if column != "seq"])
@pytest.mark.parametrize(
    "value", ["'x'", "7", "1.5", "NULL", "x'ff00fe'", "CAST(x'c328' AS TEXT)", "''"]
)
def test_a_column_changed_in_the_database_names_the_event(
    folder: Path, column: str, value: str
) -> None:
    seq = random.Random(column + value).randrange(2, len(brief().events))
    if value == "NULL" and column != "talk":
        # The column's own constraint holds: an attacker makes the table anew, without any.
        rebuild(folder)
    elif value == "NULL" and brief().events[seq - 1].talk is None:
        seq = first(brief(), "key").seq
    found = attack(folder, f"UPDATE events SET {column} = {value} WHERE seq = {seq}")
    event = brief().events[seq - 1]
    assert found["chain"][0].startswith(f"event {seq} ("), found["chain"][0]
    if column not in ("kind", "talk"):
        assert event.kind in found["chain"][0]


def rebuild(folder: Path) -> None:
    with sqlite3.connect(folder / FILE_NAME) as connection:
        connection.execute("CREATE TABLE loose AS SELECT * FROM events")
        connection.execute("DROP TABLE events")
        connection.execute("ALTER TABLE loose RENAME TO events")
    connection.close()


@pytest.mark.parametrize("value", ["'x'", "1.5", "NULL", "x'00'", "-3", "99999999", "7"])
def test_a_number_changed_in_the_database(folder: Path, value: str) -> None:
    rebuild(folder)
    found = attack(folder, f"UPDATE events SET seq = {value} WHERE seq = 200")
    assert any(fault.startswith("event 200: is missing") for fault in found["chain"])


@pytest.mark.parametrize("seed", range(12))
def test_one_byte_changed_in_the_database_names_the_event(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    event = rng.choice(brief().events)
    column = rng.choice([c for c in COLUMNS if c not in ("seq", "mono_ns", "talk")])
    text = canonical(event.body) if column == "body" else getattr(event, column).encode()
    place = rng.randrange(len(text))
    forged = bytearray(text)
    forged[place] ^= rng.randrange(1, 256)
    found = attack(
        folder,
        (
            f"UPDATE events SET {column} = CAST(? AS TEXT) WHERE seq = ?",
            (bytes(forged), event.seq),
        ),
    )
    assert found["chain"][0].startswith(f"event {event.seq} (")


def test_another_spelling_of_the_same_body_is_red(folder: Path) -> None:
    event = first(brief(), "verdict")
    loose = json.dumps(event.body)
    found = attack(folder, ("UPDATE events SET body = ? WHERE seq = ?", (loose, event.seq)))
    assert found["chain"] == [
        f"event {event.seq} (contest, verdict): its body is not written in the canonical form "
        "that was recorded"
    ]


# Events taken out, put in, moved


def test_an_event_taken_out_of_the_middle_is_named(folder: Path) -> None:
    event = brief().events[150]
    found = attack(folder, f"DELETE FROM events WHERE seq = {event.seq}")
    assert found["chain"][0] == (
        f"event {event.seq}: is missing: the numbers go from {event.seq - 1} to {event.seq + 1}"
    )


def test_an_event_taken_out_and_the_numbers_closed_up_is_named(folder: Path) -> None:
    key = first(brief(), "key", after=150)
    found = attack(
        folder,
        f"DELETE FROM events WHERE seq = {key.seq}",
        f"UPDATE events SET seq = -seq WHERE seq > {key.seq}",
        "UPDATE events SET seq = -seq - 1 WHERE seq < 0",
    )
    assert found["chain"][0].startswith(f"event {key.seq} (")


def test_the_first_event_taken_out_is_named(folder: Path) -> None:
    found = attack(folder, "DELETE FROM events WHERE seq = 1")
    assert found["chain"][0] == "event 1: is missing: the numbers go from 0 to 2"
    assert found["chain"][1].startswith("event 2 (contest, entry-started): it is the first event")


def test_the_last_event_taken_out_is_named(folder: Path) -> None:
    b = brief()
    found = attack(folder, f"DELETE FROM events WHERE seq = {len(b.events)}")
    (fault,) = found["heads"]
    assert fault.startswith(
        f"event {len(b.events) - 1} (contest, result): the contest's chain ends"
    )
    assert b.chains.head(None) in fault
    assert "events at the end were taken out" in fault


def test_a_last_key_of_a_talk_taken_out_is_named_by_the_head_that_was_taken_in() -> None:
    b = small(hail)
    talk = first(b, "key").talk
    drafts = [d for d in b.drafts if not (d.talk == talk and d.kind == "talk-closed")]
    forged = Builder()
    for draft in drafts:
        forged.events.append(forged.chains.place(draft))
    found = judged(forged)
    assert list(found) == ["heads"]
    assert f"takes in talk {talk} with 5 events" in found["heads"][0]
    assert "the record has 4 events" in found["heads"][0]


def test_a_head_that_is_left_out_is_named() -> None:
    b = brief()
    closed = first(b, "contest-closed")
    heads = dict(closed.body["heads"])
    talk, _ = heads.popitem()
    drafts = list(b.drafts)
    forged = Builder()
    for draft in drafts[:-1]:
        forged.events.append(forged.chains.place(draft))
    forged.write(bodies.ContestClosed(heads))
    assert judged(forged)["heads"] == [
        f"event {closed.seq} (contest, contest-closed): it does not take in talk {talk}"
    ]


def test_two_events_in_each_others_place_are_named(folder: Path) -> None:
    found = attack(
        folder,
        "UPDATE events SET seq = -1 WHERE seq = 70",
        "UPDATE events SET seq = 70 WHERE seq = 71",
        "UPDATE events SET seq = 71 WHERE seq = -1",
    )
    assert found["chain"][0].startswith("event 70 (")


def test_an_event_after_the_end_is_named() -> None:
    drafts = list(brief().drafts)
    b = reforge(drafts)
    b.now_ns = drafts[-1].mono_ns
    b.key("1.1.J1.left", "judge", "J1", "x", out_of_phase=Rule.AFTER_END.value, n=75)
    assert "stands after the contest was closed" in judged(b)["heads"][0]


# A chain rewritten as a whole


def test_a_rewritten_chain_is_held_against_the_published_head(whole: Path, tmp_path: Path) -> None:
    b = brief()
    verdict = first(b, "verdict")
    opposite = {"left": "right", "right": "left"}
    forged = reforge(
        d
        if n != verdict.seq
        else type(d)(**{**_fields(d), "body": {**d.body, "human": opposite[d.body["human"]]}})
        for n, d in enumerate(b.drafts, 1)
    )
    folder = save(tmp_path / "c", forged)
    (folder / HEAD_FILE).write_text((whole / HEAD_FILE).read_text())
    last = len(b.events)
    assert red(verify(folder))["heads"][0].startswith(f"event {last} (contest, contest-closed)")
    # He may rewrite the file beside it too, but not what was published.
    (folder / HEAD_FILE).write_text(forged.chains.head(None) + "\n")
    assert "heads" not in red(verify(folder))
    assert "heads" in red(verify(folder, b.chains.head(None)))


def _fields(draft: Any) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in draft.__slots__}


def test_what_was_added_after_publishing_is_told_apart() -> None:
    b = small()
    head = b.chains.head(None)
    last = b.events[-1].seq
    b.write(bodies.Trouble("here", "there"))
    assert (
        f"that is the head of event {last}: what follows was added" in judged(b, head)["heads"][0]
    )


def test_a_capital_or_padded_head_is_the_same(whole: Path) -> None:
    assert verify(whole, f" {brief().chains.head(None).upper()}\n").ok


@pytest.mark.parametrize("text", [b"", b"no head", b"\xff" * 64, b"a" * 63, b"g" * 64])
def test_a_head_file_that_holds_no_head_is_red(folder: Path, text: bytes) -> None:
    (folder / HEAD_FILE).write_bytes(text)
    assert red(verify(folder)) == {"heads": ["head.txt holds no head: 64 hex digits"]}


def test_without_a_published_head_the_record_alone_is_verified(folder: Path) -> None:
    (folder / HEAD_FILE).unlink()
    report = verify(folder)
    assert report.ok
    assert "none published" in report.checks[1].summary


# What the rules say, in a record whose hashes are right

Play = Callable[[Builder, dict[str, str]], None]


def greet(b: Builder, talks: dict[str, str]) -> None:
    for entity, talk in talks.items():
        b.type(talk, "judge", "J1", "hi\n")
        b.type(talk, "entity", entity, "ho\n")


def change_key(b: Builder, author: str, **body: Any) -> dict[str, list[str]]:
    keys = [e for e in b.events if e.kind == "key" and e.body["author"] == author]
    return judged(changed(b, keys[1].seq, **body))


@pytest.mark.parametrize(
    ("author", "body", "said"),
    [
        ("judge", {"n": 1}, "its number is 1, not 2"),
        ("judge", {"n": 3}, "its number is 3, not 2"),
        ("entity", {"n": 7, "raw": "0000000007.o.other"}, "its number 7 does not grow (from 7)"),
        ("entity", {"n": 15}, "its name 0000000014.o.other is not that of its number and key"),
        ("entity", {"key": "x"}, "its name 0000000014.o.other is not that of its number and key"),
        ("entity", {"raw": "nonsense"}, "its name nonsense is not that of its number and key"),
        ("judge", {"side": "nowhere"}, "is not of its form"),
        ("entity", {"out_of_phase": "3/waits"}, "marked as too early, but the judge had begun"),
        ("entity", {"out_of_phase": "3/after-end"}, "after the end, but keys came after it"),
        ("entity", {"out_of_phase": "3/not-on"}, "while nothing was on, but keys had been shown"),
        ("entity", {"out_of_phase": "because"}, "it is marked by no rule of ours: because"),
    ],
)
def test_a_key_that_can_not_be_is_named(author: str, body: dict[str, Any], said: str) -> None:
    found = change_key(small(greet), author, **body)
    assert any(said in fault for faults in found.values() for fault in faults), found
    assert any("key)" in fault for faults in found.values() for fault in faults)


def test_numbers_that_are_times_are_right_and_judged_by_their_names() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        for last in (15, 16, 14):
            raw = f"1337084527090051{last}.x.other"
            b.key(talks["E1"], "entity", "E1", "x", n=bodies.LARGEST, raw=raw)

    found = judged(small(play))
    [fault] = [fault for faults in found.values() for fault in faults]
    assert "133708452709005114 does not grow (from 133708452709005116)" in fault


def test_numbers_that_do_not_grow_are_right_where_the_rule_is_on_record() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        b.type(talks["E1"], "entity", "E1", "b")
        b.key(talks["E1"], "entity", "E1", "c", n=1, rules=[Rule.NUMERIC.value])
        b.key(talks["E1"], "entity", "E1", "d", n=1, rules=[Rule.UNIQUE.value])

    assert judged(small(play)) == {}


def test_an_entity_that_was_shown_before_the_judge_is_named() -> None:
    b = small(lambda b, talks: b.type(talks["C1"], "entity", "C1", "a"))
    assert judged(b)["replay"] == [
        f"event {first(b, 'key').seq} (1.1.J1.{b.sides[1, 1, 'J1'][0]}, key): it was shown, but "
        "the judge had not begun"
    ]


def test_keys_that_were_shown_outside_of_the_interaction_are_named() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        b.write(bodies.RoundPaused(1, 1, "alarm"))
        b.type(talks["E1"], "judge", "J1", "b")
        b.write(bodies.RoundResumed(1, 1))
        b.write(bodies.RoundEnded(1, 1, "enough"))
        b.type(talks["E1"], "judge", "J1", "c")

    found = judged(small(play, close=False))["replay"]
    assert [fault.partition(": ")[2] for fault in found] == [
        "it was shown, but the round was paused",
        "it was shown, but the round was ended",
    ]


def test_a_key_marked_as_after_an_end_that_came_later_is_named() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        b.key(talks["E1"], "judge", "J1", "b", out_of_phase=Rule.AFTER_END.value)

    assert "as after the end, which was later" in judged(small(play))["replay"][0]


def test_the_instant_between_the_end_and_its_event_may_be_marked_either_way() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "judge", "J1", "x", out_of_phase=Rule.NOT_ON.value)
        b.type(talks["E1"], "judge", "J1", "a")
        b.wait(300)
        b.key(talks["E1"], "judge", "J1", "b", out_of_phase=Rule.AFTER_END.value)

    assert judged(small(play)) == {}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([1, 10**10, None], "has times of event 1, no key of this talk"),
        ([0, 0, None], "was durable before it was received"),
        ([0, 10**12, 10**11], "was shown before it was durable"),
        ([0, 10**12], "times that are not [seq, durable, shown]"),
    ],
)
def test_times_that_can_not_be_are_named(row: list[int | None], said: str) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        (key,) = b.type(talks["E1"], "judge", "J1", "a")
        b.write(bodies.Times([[row[0] or key.seq, *row[1:]]]), talks["E1"])

    found = judged(small(play))
    assert any(said in fault for faults in found.values() for fault in faults), found


def test_a_time_of_being_shown_for_a_key_that_never_was_is_named() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        key = b.key(talks["E1"], "entity", "E1", "a", out_of_phase=Rule.WAITS.value)
        b.write(bodies.Times([[key.seq, b.now_ns, b.now_ns]]), talks["E1"])

    assert "was out of phase, but has a time of being shown" in judged(small(play))["replay"][0]


def test_a_side_that_is_not_what_was_sealed_is_named() -> None:
    b = brief()
    revealed = first(b, "sides-revealed")
    sides = [dict(side) for side in revealed.body["sides"]]
    sides[0]["human"] = "left" if sides[0]["human"] == "right" else "right"
    found = judged(changed(b, revealed.seq, sides=sides))["seals"]
    place = f"event {revealed.seq} (contest, sides-revealed): "
    assert found[0] == (
        f"{place}the side that it reveals for round 1, attempt 1, J1 is not what was sealed"
    )
    assert found[1].startswith(f"{place}it has the human of round 1, attempt 1, J1 at the ")


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ({"nonce": "0" * 31}, "it reveals something that is no side"),
        ({"round": 9}, "the side that it reveals for round 9, attempt 1, J1 was never sealed"),
        ({"judge": 3}, "it reveals something that is no side"),
    ],
)
def test_a_reveal_that_can_not_be_is_named(side: dict[str, Any], said: str) -> None:
    b = brief()
    revealed = first(b, "sides-revealed")
    sides = [dict(each) for each in revealed.body["sides"]]
    sides[0] |= side
    found = judged(changed(b, revealed.seq, sides=sides))["seals"]
    assert any(said in fault for fault in found)
    assert any("does not reveal the side of round 1, attempt 1, J1" in fault for fault in found)


def test_a_verdict_after_the_reveal_is_named() -> None:
    b = small()
    b.reveal()
    b.write(bodies.VerdictGiven(1, 1, "J1", "left", 2))
    assert "it was given after the sides were revealed" in judged(b)["seals"][0]


def test_talks_without_a_seal_are_named() -> None:
    b = small()
    drafts = [draft for draft in b.drafts if draft.kind != "side-sealed"]
    assert "round 1, attempt 1, J1 were not sealed before" in judged(reforge(drafts))["seals"][0]


def test_a_second_seal_is_named() -> None:
    b = small(lambda b, _: b.write(bodies.SideSealed(1, 1, "J1", "0" * 64)))
    assert "were sealed before" in judged(b)["seals"][0]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("table", {}),
        ("winners", ["E2"]),
        ("silver", [{"entry": "E1"}]),
        ("entries", []),
    ],
)
def test_a_result_that_the_verdicts_do_not_give_is_named(part: str, value: Any) -> None:
    b = brief()
    result = first(b, "result")
    assert judged(changed(b, result.seq, **{part: value}))["tally"] == [
        f"event {result.seq} (contest, result): its {part} is not what the verdicts and rankings "
        "give"
    ]


def test_a_verdict_changed_with_the_whole_chain_does_not_fit_the_result() -> None:
    b = brief()
    verdict = first(b, "verdict")
    other = {"left": "right", "right": "left"}[verdict.body["human"]]
    found = judged(changed(b, verdict.seq, human=other))
    assert list(found) == ["tally"]


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("talk-opened", {"judge": "J2"}, "it opens the talk 1.1.J2."),
        ("talk-opened", {"entity": "E2"}, "J1 talks with E2; the schedule has J1E1C1 there"),
        ("talk-opened", {"attempt": 2}, "it opens the talk 1.2.J1."),
        ("round-opened", {"attempt": 2}, "it opens attempt 2 of round 1, not 1"),
        ("round-opened", {"round": 9}, "round 9 is not in the schedule"),
        ("verdict", {"judge": "J9"}, "J9 plays nobody in round 1 of the schedule"),
        ("verdict", {"version": 2}, "its version is 2, not 1"),
        ("verdict", {"attempt": 3}, "attempt 3 of round 1 was never opened"),
        ("ranking", {"version": 0}, "its version is 0, not 1"),
        ("ranking", {"ranks": {"1 left": 2}}, "it ranks other labels than it explains"),
        ("ranking", {"talks": {"1 left": ["1.1.J2.left"]}}, "stands for talks that are not this"),
        ("ranking", {"talks": {"1 left": ["1.1.J1.left", "1.1.J1.right"]}}, "for several"),
        ("ranking", {"ranks": {"1 left": 99}}, "the rank of 1 left is out of range"),
        ("contest-opened", {"format": 0}, "its format is 0; this program knows 1 to 2"),
        ("contest-opened", {"format": 3}, "its format is 3; this program knows 1 to 2"),
        ("contest-opened", {"schedule": {}}, "its schedule"),
        ("contest-opened", {"schedule": {"rounds": 7}}, "its schedule"),
        ("contest-opened", {"schedule": {"matrix": {"J1": {"E1": "C1"}}}}, "has no rounds"),
    ],
)
def test_what_does_not_fit_the_schedule_is_named(
    kind: str, body: dict[str, Any], said: str
) -> None:
    b = brief()
    event = first(b, kind)
    found = judged(changed(b, event.seq, **body))["schedule"]
    assert any(said in fault and f"event {event.seq} (" in fault for fault in found), found


def test_a_schedule_with_somebody_in_two_places_is_named() -> None:
    both = Schedule.of([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E1", "C2")])
    found = judged(small(schedule=both, close=False))
    assert "in two places at once: Round 1: E1" in found["schedule"][0]


def test_a_round_that_lacks_a_talk_is_named() -> None:
    two = Schedule.of([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E2", "C2")])
    found = judged(small(schedule=two))
    assert [fault.partition(": ")[2] for fault in found["schedule"]] == [
        "the round lacks the talk of J2 with E2",
        "the round lacks the talk of J2 with C2",
    ]


def test_a_second_opening_is_named() -> None:
    b = small()
    opening = bodies.from_json("contest-opened", b.events[0].body)
    b.write(opening)
    assert "the contest was opened before" in judged(b)["schedule"][0]


def test_an_unknown_kind_of_event_is_named() -> None:
    b = small()
    draft = b.drafts[3]
    forged = reforge(
        [*b.drafts[:3], type(draft)(**{**_fields(draft), "kind": "telepathy"}), *b.drafts[4:]]
    )
    assert judged(forged)["chain"] == [
        "event 4 (contest, telepathy): unknown kind of event 'telepathy'"
    ]


def test_steps_of_a_round_out_of_their_order_are_named() -> None:
    b = small(close=False)
    b.write(bodies.RoundClosed(1, 1, b.chains.heads()))
    b.write(bodies.RoundStarted(4, 1, 3))
    found = judged(b)["replay"]
    assert "it comes while the round is on" in found[0]
    assert "attempt 1 of round 4 was not opened" in found[1]


# Databases that are none


@pytest.mark.parametrize("seed", range(8))
def test_a_corrupt_database_is_red_and_no_error(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray((folder / FILE_NAME).read_bytes())
    for _ in range(200):
        data[rng.randrange(100, len(data))] = rng.randrange(256)
    (folder / FILE_NAME).write_bytes(data)
    assert not verify(folder).ok


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 4096, b"no database at all", b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_a_file_that_is_no_database_is_red(folder: Path, content: bytes) -> None:
    (folder / FILE_NAME).write_bytes(content)
    report = verify(folder)
    assert not report.ok
    assert len(report.checks) == 2
    assert "can't be read" in str(report.checks[0].faults[0])


def test_a_damaged_description_of_the_tables_is_red(folder: Path) -> None:
    data = (folder / FILE_NAME).read_bytes()
    (folder / FILE_NAME).write_bytes(
        data.replace(b"CREATE TABLE events", b"CREATE \x87\xeaBLE events")
    )
    assert "can't be read" in red(verify(folder))["chain"][0]


def test_a_database_cut_short_is_red(folder: Path) -> None:
    data = (folder / FILE_NAME).read_bytes()
    (folder / FILE_NAME).write_bytes(data[: len(data) // 2])
    assert not verify(folder).ok


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE events",
        "DELETE FROM events",
        "ALTER TABLE events DROP COLUMN prev",
        "ALTER TABLE events RENAME COLUMN hash TO h",
    ],
)
def test_a_table_that_is_gone_or_another_is_red(folder: Path, statement: str) -> None:
    assert "chain" in attack(folder, statement)


def test_a_folder_without_a_record_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder"):
        verify(tmp_path / "nowhere")
    with pytest.raises(NotAContest, match="no record here"):
        verify(tmp_path)


@pytest.mark.parametrize("database", ["what?", "nosuch://x/y", "sqlite:////nowhere/at/all.db"])
def test_a_record_at_an_address_that_is_none_is_unusable(folder: Path, database: str) -> None:
    (folder / "contest.toml").write_text(
        f'[contest]\nname = "x"\n[record]\ndatabase = "{database}"\n'
    )
    with pytest.raises(NotAContest):
        verify(folder)


def test_a_folder_whose_settings_are_lost_can_be_verified(folder: Path) -> None:
    (folder / "contest.toml").unlink()
    assert verify(folder).ok


def test_a_folder_whose_settings_cannot_be_used_is_unusable(folder: Path) -> None:
    (folder / "contest.toml").write_bytes(b"\xff = [")
    with pytest.raises(BadSettings):
        verify(folder)


def test_a_record_elsewhere_is_found_by_the_settings(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "a b?c#d%.db"
    (folder / FILE_NAME).rename(elsewhere)
    url = sqlite_url(elsewhere).replace("\\", "\\\\")
    (folder / "contest.toml").write_text(f'[contest]\nname = "x"\n[record]\ndatabase = "{url}"\n')
    assert verify(folder).ok


# The parts


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
@example({"\ufb01": 1, "\U0001f600": 2})
def test_the_fast_canonical_form_is_the_canonical_form(value: Any) -> None:
    assert canonical_of_whole(value) == canonical(value)


odd = (
    st.none() | st.integers() | st.text() | st.binary() | st.floats() | json_values.map(json.dumps)
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 40), st.sampled_from(COLUMNS), odd)
def test_no_value_in_any_row_ends_in_an_error(at: int, column: str, value: Any) -> None:
    all_rows = rows(small(greet))
    at %= len(all_rows)
    all_rows[at] = all_rows[at]._replace(**{column: value})
    report = verify_rows(all_rows)
    assert json.dumps(report.as_json())


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4000), st.dictionaries(st.text(max_size=8), json_values, max_size=3))
def test_no_body_in_a_chain_that_is_right_ends_in_an_error(seq: int, body: dict[str, Any]) -> None:
    b = small(greet)
    event = b.events[seq % len(b.events)]
    names = [name for name in event.body if name != "heads"]
    mixed = dict(body)
    if names:
        mixed[names[seq % len(names)]] = next(iter(body.values()), None)
    forged = changed(b, event.seq, **mixed)
    assert json.dumps(verify_rows(rows(forged)).as_json())


def test_no_more_faults_are_kept_than_a_person_can_want() -> None:
    all_rows = [row._replace(hash="0" * 64) for row in rows(contest(again=False))]
    chain = verify_rows(all_rows).checks[0]
    assert len(chain.faults) == KEPT
    assert chain.more == len(all_rows) - KEPT


# Consents, and what the organizer closes


def test_a_consent_whose_version_does_not_count_up_is_named() -> None:
    b = small(hail)
    for version in (1, 2, 2):
        b.write(bodies.ConsentGiven("J1", True, version), actor="J1")
    (fault,) = judged(b)["schedule"]
    assert fault == f"event {len(b.events)} (contest, consent): its version is 2, not 3"


def test_scoring_that_is_closed_before_it_has_begun_is_named() -> None:
    b = small(hail, close=False)
    b.write(bodies.ScoringClosed(1, 1, "too early"), actor="organizer")
    assert any("it comes while the round is on" in fault for fault in judged(b)["replay"])
