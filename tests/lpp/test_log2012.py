"""Tests the log format of 2012: logs survive a round trip, losses are listed, and other files are
refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpp.errors import BadLog
from lpp.log2012 import Entry, Log2012, compose, read, write

DATA = Path(__file__).parents[3] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))

HEADER = (
    "Loebner Prize 2012 15 May  Bletchley Park UK\r\n"
    "These transcripts are in the public domain\r\n"
    "Transcripts of judge 2 program Chip Vivant round 1\r\n"
    "Left =human \r\n"
)
LINES = (
    "J2 013370845270900515 judge left H\r\n"
    "J2 013370845280498200 Chip Vivant right question\r\n"
    "J2 013370845280430260 Chip Vivant left  \r\n"  # a literal blank, and a time that decreases
    "J2 013370845290028600 judge right Return\r\n"
)
TEXT = HEADER + LINES


@pytest.mark.parametrize("file", REAL, ids=lambda file: file.name[8:-4])
def test_a_real_log_is_written_back_byte_for_byte(file: Path) -> None:
    data = file.read_bytes()
    log = read(data, file.name)
    assert write(log).encode("utf-8", "surrogateescape") == data
    assert log.losses == ()
    assert len(log.entries) == data.count(b"\r\n") - 4


@pytest.mark.parametrize("file", REAL[:4], ids=lambda file: file.name[8:-4])
def test_a_real_log_cut_at_4096_bytes(file: Path) -> None:
    """Three logs of the last round were cut like this: the end of a buffer was lost."""
    data, whole = file.read_bytes(), read(file.read_bytes())
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


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(len(HEADER), len(TEXT)))
def test_a_truncated_log_gains_no_keys(cut: int) -> None:
    whole = read(TEXT)
    log = read(TEXT[:cut])
    complete = TEXT[len(HEADER) : cut].count("\n")
    assert log.entries == whole.entries[:complete]
    at_a_line_s_end = TEXT[:cut].endswith("\n")
    assert len(log.losses) == (0 if at_a_line_s_end else 1)
    assert all(loss.line == len(TEXT[:cut].splitlines()) for loss in log.losses)
    assert write(log) == TEXT[:cut]


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
def test_a_file_that_is_not_a_log_is_refused(source: bytes, says: str) -> None:
    with pytest.raises(BadLog, match=says) as caught:
        read(source, "some.log")
    message = str(caught.value)
    assert message.startswith("some.log")
    assert "give a log" in message
    assert message.isprintable()


# Composed logs

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
def test_a_composed_log_is_read_back_equal(log: Log2012) -> None:
    again = read(write(log))
    assert again == log
    assert again.losses == ()
    assert read(write(log).encode("utf-8", "surrogateescape")) == log


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
    ],
    ids=str,
)
def test_ambiguous_headers_are_refused(change: dict[str, object]) -> None:
    assert read(write(GOOD)) == GOOD
    with pytest.raises(ValueError, match=r"\S"):
        dataclasses.replace(GOOD, **change)  # type: ignore[arg-type]
