"""Tests the register: an entry's details, broken rules, and the record of each step."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder, WrongMoment
from contest.record.season import EntryRegistered, EntryRestored, EntryWithdrawn, Form
from contest.screening.register import (
    FIELDS,
    SENTENCES,
    BadForm,
    as_json_of,
    assess,
    nearly_same,
    quoted,
    read_form,
    shared,
    texts_of,
)
from contest.screening.season import Season
from contest.setup import folder
from tests.contest.screening.seasons import (
    BROUGHT,
    GOOD,
    WRITTEN,
    add,
    change,
    form,
    registered,
    state_of,
)

NEEDED = [name for name, field in FIELDS.items() if field.needed]


def test_a_form_can_be_written_and_read_back() -> None:
    assert read_form(WRITTEN) == GOOD
    every = {
        **WRITTEN,
        "individuals": "Sue Wilcox;  Bo   Li ;",
        "received": "2010-05-14T09:30",
        "way": "3",
        "testing": "2010-06-09 14:30",
        "agreed": "2010-06-06",
        "present": "Yes",
        "command": "suzette {dir}",
        "note": " two   discs ",
    }
    assert set(every) == set(FIELDS)
    read = read_form(every)
    assert read.individuals == ("Sue Wilcox", "Bo Li")
    assert (read.received, read.received_at) == (dt.date(2010, 5, 14), dt.time(9, 30))
    assert (read.way, read.agreed, read.present) == (3, dt.date(2010, 6, 6), True)
    # A testing date can have a time of day.
    assert (read.testing, read.testing_at) == (dt.date(2010, 6, 9), dt.time(14, 30))
    assert (read.command, read.note) == ("suzette {dir}", "two discs")
    assert read_form(texts_of(read)) == read
    # Omitted fields keep their values, and an empty text removes one.
    assert read_form({"proof": "", "platforms": []}, GOOD) == form(proof="", platforms=())
    assert read_form({"posted": "2010-05-10"}, GOOD) == form(posted_at=None)
    assert read_form({}, GOOD) == GOOD


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        *(({name: ""}, name, "is empty") for name in NEEDED),
        *(
            ({"posted": text}, "posted", "not a date")
            for text in ("2010-5-4", "03.05.2010", "2010-06-31", "2010-05-10 25:00")
        ),
        ({"posted": "2010-05-15"}, "received", "before the date of posting"),
        (
            {"posted": "2010-05-10 14:05", "received": "2010-05-10 14:04"},
            *("received", "before the date of posting"),
        ),
        ({"agreed": "2010-06-06 10:00"}, "agreed", "has a time"),
        (
            {"agreed": "2010-06-10", "testing": "2010-06-09"},
            *("agreed", "2010-06-10 is after the testing date"),
        ),
        ({"way": "4"}, "way", "is not one of 1, 2, 3"),
        ({"present": "perhaps"}, "present", "is not one of yes, no"),
        ({"entrant": "..."}, "entrant", "not a name"),
        ({"entrant": "x" * 201}, "entrant", "201 characters"),
        ({"entrant": "Ada\x1b[2J"}, "entrant", "unprintable character"),
        ({"entrant": 7}, "entrant", "not text"),
        ({"individuals": ["Ada"] * 51}, "individuals", "51 names"),
        ({"command": "suzette --dir"}, "command", "lacks {dir}"),
        ({"note": "x" * 2001}, "note", "2001 characters"),
        ({"postd": "x"}, "postd", "there is no such field; did you mean posted?"),
        ({"posted_at": "14:05"}, "posted_at", "there is no such field"),
    ],
)
def test_a_faulty_field_is_named(changed: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(BadForm) as caught:
        read_form({**WRITTEN, **changed})
    assert list(caught.value.faults) == [field]
    assert said in caught.value.faults[field]
    assert str(caught.value).startswith(f"{field}: ")
    assert str(caught.value).isprintable()


def test_all_faults_are_reported_together() -> None:
    with pytest.raises(BadForm) as caught:
        read_form({"posted": "soon", "way": "4"})
    assert set(caught.value.faults) == set(NEEDED)
    assert caught.value.faults["program"].startswith("is missing")


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), st.text()))
def test_any_text_is_read_or_refused_with_a_reason(values: dict[str, str]) -> None:
    said = ""
    try:
        assert isinstance(read_form(values, GOOD), Form)
    except BadForm as exc:
        said = str(exc)
    assert said.isprintable()


# Rules

BROKEN: dict[str, tuple[Form, str, str]] = {
    "all is well": (GOOD, "", ""),
    "brought, and all is well": (BROUGHT, "", ""),
    "first day": (form(posted="2010-05-03"), "", ""),
    "last day": (form(posted="2010-06-07", received="2010-06-20"), "", ""),
    "too early": (form(posted="2010-05-02"), "1/posted", "before 2010-05-03"),
    "too late": (form(posted="2010-06-08"), "1/posted", "after 2010-06-07"),
    "no service": (form(service=""), "1/proof", "no service"),
    "no proof": (form(proof=""), "1/proof", "no receipt number"),
    "no media": (form(media=""), "1/media", "medium"),
    "a mail": (form(media="e-mail"), "1/media", "'e-mail', not on CD, DVD or USB flash"),
    "other capitals": (form(media="usb-Flash", platforms=("windows7",)), "", ""),
    "no platform": (form(platforms=()), "1/platform", "no platform"),
    "one of two platforms": (form(platforms=("Debian", "Windows 7")), "", ""),
    "way 2 needs the platform": (form(BROUGHT, way=2), "1/platform", "not on Windows XP, Windows"),
    "agreed too late": (form(BROUGHT, agreed="2010-06-07"), "1/agreed", "not before 2010-06-07"),
    "never agreed": (form(BROUGHT, agreed=None), "1/agreed", "is missing"),
    "tested too early": (form(BROUGHT, testing="2010-06-07"), "1/testing", "between"),
    "last day of testing": (form(BROUGHT, testing="2010-06-30"), "", ""),
    "tested too late": (form(BROUGHT, testing="2010-07-01"), "1/testing", "2010-07-01"),
    "never tested": (form(BROUGHT, testing=None), "1/testing", "no testing date"),
    "not present": (form(BROUGHT, present=False), "1/present", "at the contest"),
}


@pytest.mark.parametrize(("held", "rule", "said"), BROKEN.values(), ids=BROKEN)
def test_broken_rules_are_found(held: Form, rule: str, said: str) -> None:
    found = assess(state_of(*registered(E1=held)), "E1").broken
    assert [answer.rule for answer in found] == [rule] * bool(rule)
    for answer in found:
        assert said in answer.reason
        assert (answer.sentence, SENTENCES[rule]) == (SENTENCES[rule], SENTENCES[answer.rule])
    assert all(f", section {name[0]}: “{SENTENCES[name]}”" in quoted(name) for name in SENTENCES)


def test_remarks_are_not_broken_rules() -> None:
    for held, said in (
        (GOOD, []),
        (form(received="2010-06-08"), ["Closing Date for receipt"]),
        (
            form(received="2010-07-01", posted_at=None),
            ["Closing Date", "after the last day of testing", "no time of day"],
        ),
    ):
        remarks = assess(state_of(*registered(E1=held)), "E1").remarks
        assert len(remarks) == len(said)
        assert all(words in remark for words, remark in zip(said, remarks, strict=True))


def test_a_person_with_two_entries_is_found_in_any_spelling() -> None:
    forms = {
        "E1": form(entrant="José Núñez", individuals=("Sue Wilcox", "jose nunez")),
        "E2": form(entrant="Rollo Carpenter", individuals=("sue  WILCOX",)),
        "E3": form(entrant="Carpenter, Rollo"),
        "E4": form(entrant="JOSE NUNEZ"),
    }
    assert shared(forms, "E1") == [
        ("E1", "E2", "Sue Wilcox", "sue  WILCOX"),
        ("E1", "E4", "José Núñez", "JOSE NUNEZ"),
    ]
    assert shared(dict(reversed(forms.items())), "E1") == shared(forms, "E1")
    assert [each[:2] for each in shared(forms, "E2", nearly_same)] == [("E2", "E3")]
    found = assess(state_of(*registered(**forms)), "E2")
    assert "make sure that they are two people" in found.remarks[0]


# In the record


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    folder.make(tmp_path / "contest")
    with Season(tmp_path / "contest") as made:
        add(made, {**WRITTEN, "entrant": "Ann"})
        yield made


def test_entries_are_registered_corrected_withdrawn_and_restored(season: Season) -> None:
    season.write("Bo", EntryWithdrawn("E1", "ill"))
    # Ids are not reused, and a withdrawn entry can't clash until it is restored.
    assert add(season, {**WRITTEN, "entrant": "ann"}) == "E2"
    with pytest.raises(WrongMoment, match="'Ann' of E1 and 'ann' of E2"):
        season.write("Ada", EntryRestored("E1", "no"))
    change(season, "E2", {"entrant": "Cy"}, "Bo", "a slip")
    season.write("Cy", EntryRestored("E1", "well again"))
    assert list(season.state.active) == ["E1", "E2"]
    plain = as_json_of(season.state.entries["E1"])
    assert (plain["entry"], plain["posted"], plain["withdrawn"]) == ("E1", "2010-05-10", False)
    assert [(each["kind"], each["by"], each["reason"]) for each in plain["changes"]] == [
        ("entry-registered", "Ada", ""),
        ("entry-withdrawn", "Bo", "ill"),
        ("entry-restored", "Cy", "well again"),
    ]
    assert [form.entrant for form in season.state.entries["E2"].versions] == ["ann", "Cy"]


def test_a_clash_is_refused_and_nothing_is_recorded(season: Season) -> None:
    before = season.record.last_number()
    with pytest.raises(WrongMoment) as caught:
        add(season, {**WRITTEN, "individuals": ["ANN"]})
    for words in ("'Ann' of E1", "'ANN' of E2", "No individual may"):
        assert words in str(caught.value)
    assert season.record.last_number() == before


def test_impossible_steps_are_refused_with_a_reason(season: Season) -> None:
    before = season.record.last_number()
    for error, said, step in (
        (BadOrder, "no entry 'e1'; in the register: E1", EntryWithdrawn("e1", "x")),
        (BadOrder, "a reason is needed", EntryWithdrawn("E1", "  ")),
        (BadOrder, "unprintable character", EntryWithdrawn("E1", "\x1b[2J")),
        (WrongMoment, "E1 is not withdrawn", EntryRestored("E1", "x")),
        (WrongMoment, "its version is 1, not 2", EntryRegistered("E1", 1, GOOD, "x")),
        (BadOrder, "the next one is E2", EntryRegistered("E3", 1, GOOD)),
    ):
        with pytest.raises(error, match=said):
            season.write("Ada", step)
    with pytest.raises(BadOrder, match="E1"):
        change(season, "E1", {}, "Ada", "x")
    with pytest.raises(WrongMoment, match="nothing is changed"):
        change(season, "E1", {"media": " CD "}, "Ada", "x")
    assert season.record.last_number() == before
