"""The log form of 2012: exact there and back, losses named, other files refused."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.errors import BadLog
from lpp.log2012 import PUBLIC_DOMAIN, Entry, Log2012, compose, load, loggable, read, write
from lpp.names import MARK

DATA = Path(__file__).parents[3] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))
real_logs = pytest.mark.parametrize("file", REAL, ids=lambda file: file.name[8:-4])

HEADER = (
    "Loebner Prize 2012 15 May  Bletchley Park UK\r\n"
    "These transcripts are in the public domain\r\n"
    "Transcripts of judge 2 program Chip Vivant round 1\r\n"
    "Left =human \r\n"
)
LINES = (
    "J2 013370845270900515 judge left H\r\n"
    "J2 013370845280498200 Chip Vivant right question\r\n"
    "J2 013370845280430260 Chip Vivant left  \r\n"  # a literal blank; and back in time
    "J2 013370845290028600 judge right Return\r\n"
)
TEXT = HEADER + LINES


def test_the_form() -> None:
    log = read(TEXT)
    assert log.title == "Loebner Prize 2012 15 May  Bletchley Park UK"
    assert log.notice == PUBLIC_DOMAIN
    assert (log.judge, log.program, log.round, log.left) == ("2", "Chip Vivant", "1", "human")
    assert (log.program_side, log.sitter("left")) == ("right", "human")
    assert (log.sitter("left"), log.sitter("right")) == ("human", "program")
    assert log.entries == (
        Entry("J2", 1_337_084_527_900_515, "judge", "left", "H"),
        Entry("J2", 1_337_084_528_498_200, "Chip Vivant", "right", "question"),
        Entry("J2", 1_337_084_528_430_260, "Chip Vivant", "left", " "),
        Entry("J2", 1_337_084_529_028_600, "judge", "right", "Return"),
    )
    assert [entry.line for entry in log.entries] == [5, 6, 7, 8]
    assert [entry.author for entry in log.entries] == ["judge", "entity", "entity", "judge"]
    assert log.losses == ()
    assert write(log) == TEXT


@real_logs
def test_a_real_log_is_read_and_written_exactly(file: Path) -> None:
    data = file.read_bytes()
    log = read(data, file.name)
    assert write(log).encode("utf-8", "surrogateescape") == data
    assert read(write(log)) == log
    assert log.losses == ()
    assert len(log.entries) == data.count(b"\r\n") - 4
    assert load(file) == log


@real_logs
def test_a_real_log_cut_at_4096_bytes(file: Path) -> None:
    """As three of the last round's were: buffered, and the end was lost."""
    data, whole = file.read_bytes(), load(file)
    cut = len(data) // 4096 * 4096
    if data[cut - 1] == ord("\n"):  # one in thirty: nothing would show
        cut -= 4096
    log = read(data[:cut])
    assert log.entries == whole.entries[: len(log.entries)]
    (loss,) = log.losses
    assert loss.line == 4 + len(log.entries) + 1
    assert "cut off in the middle of the line" in loss.what
    assert write(log).encode() == data[:cut]
    assert read(write(log)) == log


@real_logs
def test_a_real_log_with_a_blank_judge_and_round(file: Path) -> None:
    """Two of the contest's own logs are so: nobody had typed these two in."""
    data, named = file.read_bytes(), load(file)
    header, lines = data.split(b"\r\n", 4)[:4], data.split(b"\r\n", 4)[4]
    header[2] = f"Transcripts of judge  program {named.program} round ".encode()
    blank = b"\r\n".join([*header, re.sub(rb"^J[0-9]", b"J", lines, flags=re.MULTILINE)])
    log = read(blank)
    assert log.losses == ()
    assert (log.judge, log.program, log.round) == ("", named.program, "")
    assert log.entries == tuple(dataclasses.replace(e, judge="J") for e in named.entries)
    assert write(log).encode() == blank


@given(cut=st.integers(len(HEADER), len(TEXT)))
def test_cut_anywhere_nothing_is_made_up(cut: int) -> None:
    whole = read(TEXT)
    log = read(TEXT[:cut])
    complete = TEXT[len(HEADER) : cut].count("\r")
    assert log.entries == whole.entries[:complete]
    at_a_line_s_end = TEXT[:cut].endswith("\n")
    assert len(log.losses) == (0 if at_a_line_s_end else 1)
    assert all(loss.line == len(TEXT[:cut].splitlines()) for loss in log.losses)
    assert write(log) == TEXT[:cut]


@pytest.mark.parametrize(
    "line",
    [
        "J2 013370845270900515 judge left",
        "J2 013370845270900515 judge middle H",
        "J2 01337084527090051 judge left H",  # 17 digits
        "J2 0133708452709005150 judge left H",
        "J2 013370845271900515 judge left H",  # more than a second of microseconds
        "J2 x13370845270900515 judge left H",
        "013370845270900515 judge left H",
        "J2 013370845270900515 left H",
        "J2 013370845270900515 judge left H\0",
        "J2 013370845270900515 judge left a\rb",
        "something else",
        "\x00\x00\x00",
    ],
)
def test_a_line_of_another_form_is_a_loss_and_what_follows_is_read(line: str) -> None:
    log = read(HEADER + line + "\r\n" + LINES)
    assert log.entries == read(TEXT).entries
    (loss,) = log.losses
    assert loss.line == 5
    assert "not in the form of a key press" in loss.what
    loss.what.encode()
    assert loss.what.isprintable()


@pytest.mark.parametrize(
    "key",
    ["", " ", "  ", "é", "🙂", "nonsense", "a b", "left", "judge left x", "\x1b", "\u2028", "."],
)
def test_a_key_name_is_kept_verbatim(key: str) -> None:
    text = f"{HEADER}J2 013370845270900515 judge left {key}\r\n"
    log = read(text)
    assert [entry.key for entry in log.entries] == [key]
    assert write(log) == text


def test_lines_that_end_in_lf_alone_and_empty_lines_are_read() -> None:
    log = read(TEXT.replace("\r\n", "\n") + "\n\n")
    assert log == read(TEXT)
    assert log.losses == ()
    assert write(log) == TEXT


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"", "empty"),
        (b"\r\n \n", "empty"),
        (b"Hello.\n", "line 3"),
        (b"one\ntwo\nthree\nfour\nfive\n", "line 3.*'three'"),
        (b"\x7fELF\x02\x01\x01\0\0\0\n\n\n\n", "binary"),
        (b"SQLite format 3\0" + bytes(5000), "binary"),
        (("\ufeff" + TEXT).encode("utf-16-le"), "binary"),
        (TEXT.replace("Left =human", "Left =nobody").encode(), "line 4.*Left =nobody"),
        (TEXT[: len(HEADER) - 6].encode(), "line 4.*Left ="),
        (TEXT.replace("judge 2 ", "judge 2").encode(), "line 3"),
        (TEXT.replace("Chip Vivant", "judge").encode(), "can't be called 'judge'"),
        ("\r\n".join(TEXT.split("\r\n")[:3]).encode(), "line 4.*ends before"),
    ],
)
def test_a_file_that_is_no_log_is_refused(source: bytes, says: str) -> None:
    with pytest.raises(BadLog, match=says) as caught:
        read(source, "some.log")
    message = str(caught.value)
    assert message.startswith("some.log")
    assert "give a log" in message
    assert message.isprintable()


def test_a_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadLog, match="no such file"):
        load(tmp_path / "missing.log")
    with pytest.raises(BadLog, match="this is a directory"):
        load(tmp_path)
    with pytest.raises(BadLog, match="can't be read"):
        load(tmp_path / ("x" * 300))
    with pytest.raises(BadLog, match="can't be read"):
        load(f"{tmp_path}/\0")


# Made by us

words = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=8)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=20)
programs = st.one_of(words, st.tuples(words, words).map(" ".join)).filter(
    lambda name: name != "judge" and not name.startswith(("judge left", "judge right"))
)
keys = st.tuples(
    st.integers(0, 10**17 - 1),
    st.sampled_from(["judge", "entity"]),
    st.sampled_from(["left", "right"]),
    st.one_of(texts, st.sampled_from(["a", "Return", "BackSpace", "space", " ", ""])),
)
logs = st.builds(
    compose,
    title=texts,
    notice=texts,
    judge=st.one_of(words, st.integers(1, 99).map(lambda number: f"J{number}")),
    program=programs,
    round_=st.one_of(st.integers(1, 9), words),
    left=st.sampled_from(["program", "human"]),
    keys=st.lists(keys, max_size=20),
)


@given(logs)
def test_what_is_composed_reads_back_equal(log: Log2012) -> None:
    again = read(write(log))
    assert again == log
    assert again.losses == ()
    assert read(write(log).encode("utf-8", "surrogateescape")) == log


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("a", "a"),
        ("space", "space"),
        (" ", " "),
        ("", ""),
        ("é", "é"),
        ("\n", MARK),
        ("\u202e", MARK),
        ("\u00a0", "\u00a0"),
        ("a\rb\0\u202e", "a\\rb\\x00\\u202e"),
        ("\udce9", "\\xe9"),
    ],
)
def test_a_key_name_that_can_stand_in_a_line(key: str, written: str) -> None:
    assert loggable(key) == written


GOOD = Log2012("t", "n", "2", "p", "1", "program", (Entry("J2", 5, "judge", "left", "a"),))


@pytest.mark.parametrize(
    "change",
    [
        {"title": "a\nb"},
        {"notice": "a\rb"},
        {"judge": "2 3"},
        {"program": ""},
        {"program": "judge"},
        {"program": "judge left"},
        {"program": "judge right x"},
        {"program": "a\nb"},
        {"round": "two three"},
        {"left": "judge"},
        {"entries": (Entry("J 2", 5, "judge", "left", "a"),)},
        {"entries": (Entry("J2", -1, "judge", "left", "a"),)},
        {"entries": (Entry("J2", 10**17, "judge", "left", "a"),)},
        {"entries": (Entry("J2", 5, "two words", "left", "a"),)},
        {"entries": (Entry("J2", 5, "judge", "left", "\n"),)},
        {"entries": (Entry("J2", 5, "judge", "up", "a"),)},  # type: ignore[arg-type]
        {"tail": "J2 0133\r\n"},
        {"tail": "J2 000000000000000007 judge left a\r"},
    ],
    ids=str,
)
def test_what_would_read_back_as_something_else_can_not_be_made(change: dict[str, object]) -> None:
    assert read(write(GOOD)) == GOOD
    with pytest.raises(ValueError, match=r"\S"):
        dataclasses.replace(GOOD, **change)  # type: ignore[arg-type]
