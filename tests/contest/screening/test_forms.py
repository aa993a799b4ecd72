"""What somebody writes of an entry, read field by field."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.screening.bodies import Form
from contest.screening.forms import FIELDS, NEEDED, BadForm, faults, read_day, read_form
from tests.contest.screening.submissions import GOOD, WRITTEN, form


def test_what_is_written_is_read() -> None:
    assert read_form(WRITTEN) == GOOD
    every = {
        **WRITTEN,
        "individuals": "Sue Wilcox;  Bo   Li ;",
        "received": "2010-05-14T09:30",
        "way": 3,
        "testing": "2010-06-09 14:30",
        "agreed": dt.date(2010, 6, 6),
        "present": "Yes",
        "command": "suzette {dir}",
        "note": " two   discs ",
    }
    assert set(every) == set(FIELDS)
    read = read_form(every)
    assert read.individuals == ("Sue Wilcox", "Bo Li")
    assert (read.received, read.received_at) == (dt.date(2010, 5, 14), dt.time(9, 30))
    assert (read.way, read.testing, read.agreed) == (3, dt.date(2010, 6, 9), dt.date(2010, 6, 6))
    assert read.testing_at == dt.time(14, 30)
    assert (read.present, read.command, read.note) == (True, "suzette {dir}", "two discs")


def test_toml_and_the_command_line_write_the_same() -> None:
    toml = {
        **WRITTEN,
        "posted": dt.datetime(2010, 5, 10, 14, 5),
        "received": dt.date(2010, 5, 14),
        "way": 1,
        "present": False,
    }
    assert read_form(toml) == read_form(WRITTEN)


def test_what_is_not_given_stays_and_an_empty_text_takes_away() -> None:
    assert read_form({"media": "DVD"}, before=GOOD) == form(media="DVD")
    assert read_form({"proof": "", "platforms": []}, before=GOOD) == form(proof="", platforms=())
    assert read_form({"posted": "2010-05-10"}, before=GOOD) == form(posted_at=None)
    assert read_form({}, before=GOOD) == GOOD


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        *((name, "", "is empty") for name in NEEDED),
        ("posted", "2010-5-4", "no date"),
        ("posted", "03.05.2010", "no date"),
        ("posted", "2010-06-31", "no date"),
        ("posted", "2010-05-10 25:00", "no date"),
        ("posted", 3, "no date"),
        ("posted", "２０１０-05-10", "no date"),
        ("posted", dt.datetime(2010, 5, 10, tzinfo=dt.UTC), "time zone"),
        ("posted", "2010-05-15", None),
        ("received", "2010-05-09", "before it was posted"),
        ("agreed", "2010-06-06 10:00", "has a time"),
        ("testing", "2010-06-09 25:00", "is no date"),
        ("way", "4", "no way of submission"),
        ("way", True, "no way of submission"),
        ("way", 1.0, "no way of submission"),
        ("present", "perhaps", "neither yes nor no"),
        ("present", 1, "neither yes nor no"),
        ("entrant", "...", "no name"),
        ("entrant", "x" * 201, "201 characters"),
        ("entrant", "Ada\x1b[2J", "does not print"),
        ("entrant", "Ada\udcff", "does not print"),
        ("entrant", 7, "no text"),
        ("individuals", ["Ada", 7], "no text"),
        ("individuals", 7, "no list"),
        ("individuals", ["Ada"] * 51, "51 names"),
        ("platforms", {"a": 1}, "no list"),
        ("command", "suzette --dir", "lacks {dir}"),
        ("note", "x" * 2001, "2001 characters"),
    ],
)
def test_what_can_not_be_read_is_said_with_its_place(
    field: str, value: Any, said: str | None
) -> None:
    with pytest.raises(BadForm) as caught:
        read_form({**WRITTEN, field: value}, "post.csv, line 7")
    words = str(caught.value)
    assert words.startswith("post.csv, line 7, " + ("received" if said is None else field + ":"))
    assert (said or "before it was posted") in words
    assert "\n" not in words
    assert words.isprintable()


def test_two_dates_that_can_not_both_be_right() -> None:
    dates = {"agreed": "2010-06-10", "testing": "2010-06-09"}
    with pytest.raises(BadForm, match="agreed: 2010-06-10 is after the testing date"):
        read_form({**WRITTEN, **dates})
    same_day = {"posted": "2010-05-10 14:05", "received": "2010-05-10 14:04"}
    with pytest.raises(BadForm, match="received"):
        read_form({**WRITTEN, **same_day})
    for received in ("2010-05-10 14:05", "2010-05-10"):
        read_form({**WRITTEN, **same_day, "received": received})


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_missing_is_named(name: str) -> None:
    with pytest.raises(BadForm, match=rf"^{name}: is missing"):
        read_form({key: value for key, value in WRITTEN.items() if key != name})


def test_unknown_fields_are_refused_by_name() -> None:
    with pytest.raises(BadForm, match=r"^postd: there is no such field; did you mean posted\?"):
        read_form({**WRITTEN, "postd": "x"})
    with pytest.raises(BadForm, match=r"^here, posted_at: there is no such field"):
        read_form({**WRITTEN, "posted_at": "14:05"}, "here")


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.dates(), st.datetimes()
)


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), anything | st.lists(anything)))
def test_whatever_is_written_is_read_or_refused_in_words(values: dict[str, Any]) -> None:
    said = ""
    try:
        assert isinstance(read_form(values, before=GOOD), Form)
    except BadForm as exc:
        said = str(exc)
    assert said.isprintable()
    # Whoever sees all fields at once is told of a fault exactly where there is one.
    found = faults(values, GOOD)
    assert bool(found) == bool(said)
    for fault in found.items():
        alone = {name: value for name, value in values.items() if name == fault[0]}
        assert fault in (fault_of(alone), fault_of(values))


def fault_of(values: dict[str, Any]) -> tuple[str, str]:
    """The first thing that is wrong with a form, and where; empty if nothing is."""
    try:
        read_form(values, before=GOOD)
    except BadForm as exc:
        return exc.field, exc.problem
    return "", ""


def test_all_faults_are_told_at_once() -> None:
    assert faults(WRITTEN) == {}
    assert set(faults({})) == {"program"}
    wrong = {**WRITTEN, "entrant": "", "posted": "soon", "way": "4", "note": "\x07"}
    assert set(faults(wrong)) == {"entrant", "posted", "way", "note"}
    assert set(faults({**WRITTEN, "received": "2010-05-01", "note": "n" * 3000})) == {"note"}
    assert faults({**WRITTEN, "received": "2010-05-01"}).keys() == {"received"}


def test_a_day_is_read_as_it_is_written() -> None:
    assert read_day(" 2010-06-15 ") == dt.date(2010, 6, 15)
    for text in ("", "15.6.2010", "2010-06-31", "2010-06-15 10:00"):
        with pytest.raises(ValueError, match=r"no date|has a time"):
            read_day(text)
