"""Tests exports: the contents of each format, that they can be read back unchanged, and that names
stay names."""

from __future__ import annotations

import csv
import datetime as dt
import functools
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.errors import RecordTrouble, UserError
from contest.record import bodies
from contest.record.bodies import Author
from contest.record.events import canonical, event_from_json
from contest.results.contest import Contest
from contest.results.exports import FORMATS, NOTICE, NotWritten, export, log_2012
from contest.results.transcript import as_text
from contest.state.model import Talk
from lpp.log2012 import read, write
from lpp.names import MARK, keys_of
from scheduler import Schedule, read_rankings, read_schedule, read_verdicts
from scheduler.files import read_text
from tests.contest.build import (
    Builder,
    brief,
    changed,
    codebook,
    contest,
    publishable,
    results_json,
    save,
    small,
)

AUTHORS: tuple[Author, Author] = ("judge", "entity")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole contest."""
    return save(tmp_path_factory.mktemp("contest") / "whole", contest())


@pytest.fixture(scope="module")
def exported_to(folder: Path) -> Callable[[str], Path]:
    """Exports the whole contest in a format, once; returns the directory. Tests must not change
    it."""

    @functools.cache
    def made(form: str) -> Path:
        export(folder, form, folder.parent / form)
        return folder.parent / form

    return made


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "new" / "out"


def pairing(view: Contest, round_: int, judge: str) -> list[Talk]:
    return [t for t in view.talks if view.counts(t) and (t.round, t.judge) == (round_, judge)]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_writes_files_with_plain_names(tmp_path: Path, out: Path, form: str) -> None:
    folder = save(tmp_path / "c", small(lambda b, t: b.type(t["E1"], "judge", "J1", "Hello.\n")))
    out.mkdir(parents=True)  # an empty directory is accepted
    written = export(folder, form, out)
    assert sorted(written) == sorted(file for file in out.rglob("*") if file.is_file())
    for file in written:
        assert file.stat().st_size
        name = file.relative_to(out).as_posix()
        assert re.fullmatch(r"((talks|downloads)/)?[A-Za-z0-9_-]+\.[a-z]+", name)


# Text, HTML


def test_text_has_a_transcript_per_talk_and_the_result_in_words(
    exported_to: Callable[[str], Path],
) -> None:
    out = exported_to("text")
    view = contest().read()
    talk = pairing(view, 1, "J3")[0]
    name = f"round1-attempt1-J3-{talk.side}.txt"
    assert (out / name).read_text(encoding="utf-8") == as_text(view, talk)
    assert len(list(out.glob("round*.txt"))) == 40
    said = (out / "results.txt").read_text(encoding="utf-8")
    assert "\nscore          1      1   1   3\n" in said
    assert "Silver medal: E4 was taken for the human by J1, J2 and J3" in said
    assert "\nRound 2 J2E4C1 J1E3C2 J4E2C3 J3E1C4\n" in said
    assert f"head {contest().chains.head(None)}\n" in said


def test_text_of_an_unfinished_contest_is_not_final(tmp_path: Path, out: Path) -> None:
    export(save(tmp_path / "c", small(close=False)), "text", out)
    said = (out / "results.txt").read_text(encoding="utf-8")
    assert "Provisional: round 1: not played to the end." in said
    assert "Warning: Round 1, J1E1C1: no verdict" in said


# JSON


def test_json_is_the_record_and_the_results(exported_to: Callable[[str], Path]) -> None:
    out = exported_to("json")
    lines = (out / "events.jsonl").read_bytes().splitlines()
    assert [event_from_json(line) for line in lines] == publishable(contest().events)
    document = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert document == results_json(contest().read())


# CSV


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_csv_has_one_row_per_key(exported_to: Callable[[str], Path]) -> None:
    out = exported_to("csv")
    head = (out / "keys.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head == ("round,attempt,judge,entity,side,author,key,received,durable,shown,raw_name")
    rows = rows_of(out / "keys.csv")
    view = contest().read()
    at = {event.seq: event.at for event in contest().events}
    keys = [(talk, key) for talk in view.talks for key in view.keys(talk.id)]
    assert len(rows) == len(keys)
    for row, (talk, key) in zip(rows, keys, strict=True):
        assert (row["round"], row["judge"], row["entity"]) == (
            *(str(talk.round), talk.judge, talk.entity),
        )
        assert (row["author"], row["key"], row["raw_name"]) == (
            *(key.author, key.key, key.raw or ""),
        )
        assert row["received"] == at[key.seq]
        assert (row["shown"] == "") == (key.out_of_phase is not None or not view.counts(talk))


@pytest.mark.parametrize("speed", [1000, 60_000])
def test_csv_has_real_times_after_the_contests_clock_stopped(
    tmp_path: Path, out: Path, speed: int
) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.stand(19.5)
        key = b.key(talks["E1"], "judge", "J1", "a")
        times: list[int | None] = [key.seq, key.mono_ns + 12_000_000, key.mono_ns + 60_000_000]
        b.wait(1)
        b.write(bodies.Times([times]), talks["E1"])

    b = small(play, speed=speed)
    [key] = [event for event in b.events if event.kind == "key"]
    export(save(tmp_path / "c", b), "csv", out)
    [row] = rows_of(out / "keys.csv")
    received, durable, shown = (
        dt.datetime.fromisoformat(row[name]) for name in ("received", "durable", "shown")
    )
    assert received == dt.datetime.fromisoformat(key.at)
    ahead = received - b.read().wall(key.mono_ns)
    assert speed != 1000 or ahead == dt.timedelta(seconds=19.5)
    assert durable - received == dt.timedelta(microseconds=12_000_000 // speed)
    assert shown - received == dt.timedelta(microseconds=60_000_000 // speed)


def test_csv_says_which_talks_count_and_why_others_do_not(
    exported_to: Callable[[str], Path], tmp_path: Path
) -> None:
    rows = rows_of(exported_to("csv") / "talks.csv")
    assert {row["attempt"] for row in rows if row["round"] == "2"} == {"1", "2"}
    of_first = {row["talk"] for row in rows if row["talk"].startswith("2.1.")}
    assert {row["talk"] for row in rows if row["counts"] == "0"} == of_first

    b, reason = small(), 'they know one another, "well"'
    b.write(bodies.Voided(1, 1, reason, "1.1.J1.left"), actor="organizer")
    export(save(tmp_path / "c", b), "csv", tmp_path / "voided")
    left, right = rows_of(tmp_path / "voided" / "talks.csv")
    assert (left["counts"], left["voided"]) == ("0", reason)
    assert (right["counts"], right["voided"]) == ("1", "")


def test_the_csv_tables_give_the_same_tally(exported_to: Callable[[str], Path]) -> None:
    out = exported_to("csv")
    schedule, verdicts, ballots = contest().read().counted
    planned = read_schedule(read_text(str(out / "schedule.csv")))
    assert isinstance(planned, Schedule)
    assert planned == schedule
    given = read_verdicts(read_text(str(out / "verdicts.csv")), "v")
    assert {(v.pairing, v.choice) for v in given} == {(v.pairing, v.choice) for v in verdicts}
    assert read_rankings(read_text(str(out / "rankings.csv")), "r") == ballots


@pytest.mark.parametrize(
    ("key", "written", "raw"),
    [
        ('a,"b"', 'a,"b"', 'a,"b"'),
        ("a\nb", "a\\nb", "a\\nb"),
        ("\u202e", MARK, "\\u202e"),
        ("\x1b", MARK, "\\x1b"),
        ("apostrophe", "apostrophe", "apostrophe"),
    ],
)
def test_csv_escapes_unprintable_characters_in_names(
    tmp_path: Path, out: Path, key: str, written: str, raw: str
) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "judge", "J1", "a")
        b.key(talks["E1"], "entity", "E1", key)

    export(save(tmp_path / "c", small(play)), "csv", out)
    row = rows_of(out / "keys.csv")[1]
    assert (row["key"], row["raw_name"]) == (written, f"0000000007.{raw}.other")


UNSEEN = "\x00\x1b\x7f\x9b\u200b\u200d\u202e\u2066\u2028\ufeff\ufe0f\U000e0041"


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("json", "pictures")])
def test_invisible_characters_are_marked_in_every_export(
    tmp_path: Path, out: Path, form: str
) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "judge", "J1", "a")
        for key in [*UNSEEN, f"two{UNSEEN}", "a", *"\u0301" * 30]:
            b.key(talks["E1"], "entity", "E1", key)
        # One BackSpace removes one mark.
        for key in ["Return", "b", *UNSEEN, *["BackSpace"] * len(UNSEEN), "c"]:
            b.key(talks["E1"], "entity", "E1", key)

    export(save(tmp_path / "c", small(play)), form, out)
    texts = {
        file.name: file.read_text(encoding="utf-8")
        for file in out.rglob("*")
        if file.suffix in (".html", ".csv", ".txt", ".log")
    }
    assert texts
    for name, text in texts.items():
        assert not set(UNSEEN) & set(text), name
    if form in ("html", "text"):
        marks = MARK * len(UNSEEN)
        assert any(f"{marks}a" in text for text in texts.values())
        assert any("bc" in text for text in texts.values())
    if form == "html":
        for name, text in texts.items():
            # The player's data has every key; the player itself limits the marks to four.
            assert "\u0301" * 5 not in text, name


# Logs of 2012


def test_each_pairing_and_attempt_has_a_log(exported_to: Callable[[str], Path]) -> None:
    out = exported_to("lpp2012")
    assert len(list(out.iterdir())) == 20
    assert (out / "round2-attempt1-J1-E3.log").is_file()
    assert (out / "round2-attempt2-J1-E3.log").is_file()


def test_a_log_can_be_read_back(exported_to: Callable[[str], Path]) -> None:
    view = contest().read()
    for file in exported_to("lpp2012").iterdir():
        log = read(file.read_bytes())
        assert log.losses == ()
        match = re.fullmatch(r"round(\d)-attempt(\d)-(J\d)-(E\d)\.log", file.name)
        assert match
        talks = [t for t in view.talks if t.id.startswith(f"{match[1]}.{match[2]}.{match[3]}.")]
        assert log == log_2012(view, talks)
        assert (log.round, f"J{log.judge}") == (match[1], match[3])
        assert log.notice.startswith(NOTICE)
        for talk in talks:
            assert log.entity_kind(talk.side) == (
                "program" if view.is_entry(talk.entity) else "human"
            )
            for author in AUTHORS:
                keys = [key.key for key in view.shown(talk, author)]
                place = (talk.side, author)
                assert [e.key for e in log.entries if (e.side, e.author) == place] == keys
        order = sorted(key.seq for talk in talks for key in view.shown(talk))
        assert len(log.entries) == len(order)


def test_a_log_has_the_format_of_the_2012_logs(tmp_path: Path, out: Path) -> None:
    folder = save(tmp_path / "c", brief())
    export(folder, "lpp2012", out, title="A title", notice="Free for all")
    lines = (out / "round1-attempt1-J1-E1.log").read_bytes().split(b"\r\n")
    assert lines[:3] == [
        b"A title",
        b"Free for all",
        b"Transcripts of judge 1 program Teapot round 1",
    ]
    assert lines[3] in (b"Left =program ", b"Left =human ")
    assert re.fullmatch(rb"J1 01287851\d{3}0\d{6} judge (left|right) H", lines[4])


def test_times_in_a_log_follow_the_contests_clock_at_any_speed() -> None:
    fast, real = contest(again=False, speed=60_000).read(), contest(again=False).read()
    assert log_2012(fast, pairing(fast, 2, "J2")) == log_2012(real, pairing(real, 2, "J2"))


def test_keys_out_of_phase_are_not_in_a_log() -> None:
    view = contest().read()
    talks = next(
        pairing(view, t.round, t.judge)
        for t in view.talks
        if view.counts(t) and any(key.out_of_phase for key in view.keys(t.id))
    )
    hidden = sum(key.out_of_phase is not None for talk in talks for key in view.keys(talk.id))
    everything = sum(len(view.keys(talk.id)) for talk in talks)
    assert hidden
    assert len(log_2012(view, talks).entries) == everything - hidden


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("Teapot", "Teapot"),
        ("two  words\n and more", "two_words_and_more"),
        ("judge", "E1_judge"),
        ("judge left", "E1_judge_left"),
        ("x round 3", "x_round_3"),
        ("left right judge", "left_right_judge"),
        ("a\x00\x1b\u2028b", "a\\x00\\x1b_b"),
        ("", "E1"),
    ],
)
def test_any_program_name_can_be_written_to_a_log(name: str, program: str) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for entity, talk in talks.items():
            b.type(talk, "judge", "J1", "Hé, \tyou?\b\n")
            b.type(talk, "entity", entity, "ho\n")

    b = small(play)
    own = {**b.events[0].body["settings"], "entry": [{"id": "E1", "name": name}]}
    view = changed(b, 1, settings=own).read()
    log = log_2012(view, view.talks)
    assert log.program == program
    # Spaces separate the fields of a line, and readers of the real logs rely on that.
    assert all(len(line.split(" ")) == 5 for line in write(log).splitlines()[4:])
    assert (f" is written {program})" in log.notice) == (name not in ("", program))
    back = read(write(log).encode("utf-8", "surrogateescape"))
    assert back == log
    for talk in view.talks:
        typed = [e.key for e in back.entries if (e.side, e.author) == (talk.side, "judge")]
        assert typed == keys_of("Hé, \tyou?\b\n")


def test_a_pairing_with_one_recorded_talk_has_a_log() -> None:
    view = small(lambda b, t: b.type(t["C1"], "judge", "J1", "a")).read()
    human = next(talk for talk in view.talks if talk.entity == "C1")
    log = log_2012(view, [human])
    assert log.program == "unknown"
    assert log.entity_kind(human.side) == "human"


def test_a_title_is_one_line() -> None:
    view = small().read()
    assert log_2012(view, view.talks, title="a\r\nb", notice="c\nd").title == "a b"


# Output directories


def test_a_non_empty_directory_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(UserError, match="not empty"):
        export(folder, "json", tmp_path)
    with pytest.raises(UserError, match="this is not a folder"):
        export(folder, "json", tmp_path / "file")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_an_impossible_directory_is_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(NotWritten, match="can't be written"):
        export(folder, "html", tmp_path / "file" / "out")


def test_an_unreadable_record_leaves_no_files(tmp_path: Path, out: Path) -> None:
    folder = save(tmp_path / "c", brief())
    (folder / "record.db").write_bytes(b"nothing")
    with pytest.raises(RecordTrouble):
        export(folder, "json", out)
    assert not out.exists()


def hostile(names: list[str]) -> dict[str, Any]:
    """Settings with ids that our settings would refuse, because a record may come from anywhere."""
    return {
        "contest": {"name": names[0]},
        "judge": [{"id": name, "name": name} for name in names],
        "entry": [{"id": "E1", "name": names[0]}],
        "confederate": [{"id": "C1", "name": names[0]}],
    }


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "pictures"])
def test_an_id_never_becomes_a_path(tmp_path: Path, form: str) -> None:
    b = Builder()
    judges = ["../../x", "C:\\x", "con", "a/b", ".", "x" * 100, "é"]
    plan = {"rounds": [[{"judge": j, "entry": "E1", "confederate": "C1"}] for j in judges]}
    b.write(bodies.ContestOpened(bodies.FORMAT, "x", hostile(judges), plan, 1000))
    for number, judge in enumerate(judges, 1):
        b.write(bodies.RoundOpened(number, 1))
        for side, who in (("left", "E1"), ("right", "C1")):
            place: bodies.Place = "left" if side == "left" else "right"
            talk = bodies.talk_id(number, 1, judge, side)
            b.write(bodies.TalkOpened(number, 1, judge, who, place), talk)
    folder = save(tmp_path / "c", b)
    written = export(folder, form, tmp_path / "out")
    folders = {"html": {"", "talks", "downloads"}}.get(form, {""})
    assert {file.parent for file in written} == {tmp_path / "out" / each for each in folders}
    assert {file.name for file in tmp_path.iterdir()} == {"c", "out"}
    for file in written:
        assert re.fullmatch(r"[A-Za-z0-9_.-]{1,90}", file.name)


def test_similar_ids_have_different_files(tmp_path: Path, out: Path) -> None:
    b = Builder()
    judges = ("a/b", "a?b", "A!B")
    plan = {"rounds": [[{"judge": j, "entry": f"E{j}", "confederate": f"C{j}"} for j in judges]]}
    b.write(bodies.ContestOpened(bodies.FORMAT, "x", {}, plan, 1000))
    b.write(bodies.RoundOpened(1, 1))
    for judge in judges:
        talk = bodies.talk_id(1, 1, judge, "left")
        b.write(bodies.TalkOpened(1, 1, judge, f"C{judge}", "left"), talk)
    export(save(tmp_path / "c", b), "text", out)
    assert sorted(file.name for file in out.glob("round*")) == [
        "round1-attempt1-A_B-left.txt",
        "round1-attempt1-a_b-left-2.txt",
        "round1-attempt1-a_b-left-3.txt",
    ]


# The published codebook, and a verifier that shares no code with ours

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


def test_the_examples_have_every_kind_of_event_and_every_value() -> None:
    examples = codebook()
    assert set(examples) == set(bodies.KINDS)
    for kind, body in examples.items():
        assert bodies.to_json(bodies.from_json(kind, body)) == body


def test_the_codebooks_event_has_all_values_of_an_event() -> None:
    page = (REFERENCE / "record.md").read_text(encoding="utf-8")
    line = page.partition("```json\n")[2].partition("\n```")[0]
    assert canonical(event_from_json(line).as_json()).decode() == line


VERIFIER = REFERENCE / "verify_record.py"

#: Runs the published verifier with these arguments; returns its exit code and what it printed.
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run_published_verifier(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [str(VERIFIER), *words])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(VERIFIER), run_name="__main__")
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


def test_the_published_verifier_is_short_and_independent() -> None:
    text = VERIFIER.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 50
    assert set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)) == {
        *("hashlib", "json", "sys")
    }


def test_the_published_verifier_accepts_our_exports(
    tmp_path: Path, out: Path, run_published_verifier: Run
) -> None:
    b = brief()
    export(save(tmp_path / "c", b), "json", out)
    record, head = str(out / "events.jsonl"), b.chains.head(None)
    said = f"green: {len(b.events)} events, 2 redacted, head {head}\n"
    # As its readers run it, with only Python's standard library.
    alone = [sys.executable, "-I", str(VERIFIER), record]
    assert subprocess.run(alone, capture_output=True, text=True, check=True).stdout == said
    assert run_published_verifier(record, "--head", head) == (0, said)
    code, red = run_published_verifier(record, "--head", "0" * 64)
    assert code == 1
    assert red.startswith("RED: the head after")


def _lines() -> list[bytes]:
    return [canonical(event.as_json()) + b"\n" for event in brief().events]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:40] + lines[41:], "RED: event 41 ("),
        (lambda lines: lines[1:], "RED: event 1 ("),
        (
            lambda lines: [*lines[:50], lines[50].replace(b"J", b"K", 1), *lines[51:]],
            "RED: event 51",
        ),
        (lambda lines: [*lines[:50], lines[50].replace(b",", b", ", 1), *lines[51:]], "canonical"),
        (lambda lines: [*lines[:50], b"{}\n", *lines[51:]], "RED: this is not a record"),
        (lambda lines: [*lines[:50], b"\xff\n", *lines[51:]], "RED: this is not a record"),
        (lambda lines: [], "RED: the head after 0 events"),
        (lambda lines: lines[:-1], "not finished"),
    ],
)
def test_the_published_verifier_finds_changes(
    tmp_path: Path, run_published_verifier: Run, change: Any, said: str
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(change(_lines())))
    code, told = run_published_verifier(str(file))
    assert said in told
    assert code == (0 if "not finished" in said else 1)


def test_the_published_verifier_finds_truncated_talks_and_late_events(
    tmp_path: Path, run_published_verifier: Run
) -> None:
    b = small(lambda b, t: b.type(t["E1"], "judge", "J1", "ab"))
    last = max(event.seq for event in b.events if event.kind == "key")
    forged = Builder()
    for draft in (*b.drafts[: last - 1], *b.drafts[last:]):
        forged.events.append(forged.chains.place(draft))
    late = Builder()
    for draft in (*brief().drafts, brief().drafts[-2]):
        late.events.append(late.chains.place(draft))
    for name, builder, said in (
        ("cut", forged, "(contest, round-closed) has a wrong head of a talk"),
        ("late", late, "(contest, result) comes after the end"),
    ):
        file = tmp_path / name
        file.write_bytes(b"".join(canonical(e.as_json()) + b"\n" for e in builder.events))
        code, told = run_published_verifier(str(file))
        assert code == 1
        assert said in told


def test_the_published_verifier_reads_any_text_as_we_do(
    tmp_path: Path, run_published_verifier: Run
) -> None:
    names = {"\ufb01": 1, "\U0001f600": 2, '\x7f\x00\u2028"\\/': "\t\b\f\r\n"}
    b = changed(small(), 1, settings={"contest": names})
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(canonical(e.as_json()) + b"\n" for e in b.events))
    assert run_published_verifier(str(file))[0] == 0
