"""The register: what is written of an entry, the rules that it breaks, and each step on record."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder, WrongMoment
from contest.record.season import EntryRegistered, Form
from contest.screening import register
from contest.screening.register import (
    FIELDS,
    NEEDED,
    BadForm,
    Clash,
    about,
    look,
    read_day,
    read_fields,
    read_form,
    shared,
)
from contest.screening.season import Season, read
from contest.screening.selection import priority
from contest.setup import folder
from contest.setup import rules as names
from contest.setup.rules import Finding
from tests.contest.screening.seasons import BROUGHT, GOOD, TABLE, WRITTEN, add, form


def test_what_is_written_is_read() -> None:
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
    assert (read.way, read.testing, read.agreed) == (3, dt.date(2010, 6, 9), dt.date(2010, 6, 6))
    assert read.testing_at == dt.time(14, 30)
    assert (read.present, read.command, read.note) == (True, "suzette {dir}", "two discs")


def test_what_is_not_given_stays_and_an_empty_text_takes_away() -> None:
    assert read_form({"media": "DVD"}, GOOD) == form(media="DVD")
    assert read_form({"proof": "", "platforms": []}, before=GOOD) == form(proof="", platforms=())
    assert read_form({"posted": "2010-05-10"}, before=GOOD) == form(posted_at=None)
    assert read_form({}, before=GOOD) == GOOD


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        *((name, "", "is empty") for name in NEEDED),
        ("posted", "2010-5-4", "not a date"),
        ("posted", "03.05.2010", "not a date"),
        ("posted", "2010-06-31", "not a date"),
        ("posted", "2010-05-10 25:00", "not a date"),
        ("posted", "２０１０-05-10", "not a date"),
        ("posted", "2010-05-15", None),
        ("received", "2010-05-09", "before it was posted"),
        ("agreed", "2010-06-06 10:00", "has a time"),
        ("testing", "2010-06-09 25:00", "is not a date"),
        ("way", "4", "not a way of submission"),
        ("present", "perhaps", "neither yes nor no"),
        ("entrant", "...", "not a name"),
        ("entrant", "x" * 201, "201 characters"),
        ("entrant", "Ada\x1b[2J", "does not print"),
        ("entrant", "Ada\udcff", "does not print"),
        ("entrant", 7, "not a text"),
        ("individuals", ["Ada"] * 51, "51 names"),
        ("command", "suzette --dir", "lacks {dir}"),
        ("note", "x" * 2001, "2001 characters"),
    ],
)
def test_what_can_not_be_read_is_said_with_its_place(
    field: str, value: Any, said: str | None
) -> None:
    with pytest.raises(BadForm) as caught:
        read_form({**WRITTEN, field: value})
    words = str(caught.value)
    assert words.startswith("received" if said is None else f"{field}:")
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
    with pytest.raises(BadForm, match=r"^posted_at: there is no such field"):
        read_form({**WRITTEN, "posted_at": "14:05"})


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), st.text()))
def test_whatever_is_written_is_read_or_refused_in_words(values: dict[str, str]) -> None:
    said = ""
    try:
        assert isinstance(read_form(values, GOOD), Form)
    except BadForm as exc:
        said = str(exc)
    assert said.isprintable()
    # All fields at once are told of a fault exactly where there is one.
    form_, faults = read_fields(values, GOOD)
    assert (form_ is None) == bool(faults) == bool(said)
    assert not faults or said == ": ".join(next(iter(faults.items())))


def test_all_faults_are_told_at_once() -> None:
    def faults(**changed: str) -> set[str]:
        return set(read_fields({**WRITTEN, **changed})[1])

    assert faults() == set()
    assert set(read_fields({})[1]) == set(NEEDED)
    assert faults(entrant="", posted="soon", way="4", note="\x07") == {
        *("entrant", "posted", "way", "note")
    }
    # Two fields contradict each other only if both can be read.
    assert faults(received="2010-05-01", note="n" * 3000) == {"note"}
    assert faults(received="2010-05-01") == {"received"}


def test_a_day_is_read_as_it_is_written() -> None:
    assert read_day(" 2010-06-15 ") == dt.date(2010, 6, 15)
    for text in ("", "15.6.2010", "2010-06-31", "2010-06-15 10:00"):
        with pytest.raises(ValueError, match=r"not a date|has a time"):
            read_day(text)


# Rules

BAD: dict[str, tuple[Form, dict[str, Any], list[str], str]] = {
    "all is well": (GOOD, {}, [], ""),
    "brought, and all is well": (BROUGHT, {}, [], ""),
    "first day": (GOOD, {"posted": "2010-05-03"}, [], ""),
    "last day": (GOOD, {"posted": "2010-06-07", "received": "2010-06-20"}, [], ""),
    "too early": (GOOD, {"posted": "2010-05-02"}, ["1/posted"], "before 2010-05-03"),
    "too late": (GOOD, {"posted": "2010-06-08"}, ["1/posted"], "after 2010-06-07"),
    "no service": (GOOD, {"service": ""}, ["1/proof"], "no service"),
    "no proof": (GOOD, {"proof": ""}, ["1/proof"], "no number of a receipt"),
    "no media": (GOOD, {"media": ""}, ["1/media"], "no media"),
    "a mail": (GOOD, {"media": "e-mail"}, ["1/media"], "'e-mail', not on CD, DVD or USB flash"),
    "other capitals": (GOOD, {"media": "usb-Flash", "platforms": ("windows7",)}, [], ""),
    "no platform": (GOOD, {"platforms": ()}, ["1/platform"], "no platform"),
    "other platform": (GOOD, {"platforms": ("Debian",)}, ["1/platform"], "'Debian'"),
    "one of two platforms": (GOOD, {"platforms": ("Debian", "Windows 7")}, [], ""),
    "way 2 asks for the platform": (
        BROUGHT,
        {"way": 2},
        ["1/platform"],
        "not on Windows XP, Windows Vista or Windows 7",
    ),
    "agreed too late": (BROUGHT, {"agreed": "2010-06-07"}, ["1/agreed"], "not before 2010-06-07"),
    "never agreed": (BROUGHT, {"agreed": None}, ["1/agreed"], "no day"),
    "tested too early": (BROUGHT, {"testing": "2010-06-07"}, ["1/testing"], "between"),
    "first day of testing": (BROUGHT, {"testing": "2010-06-08"}, [], ""),
    "last day of testing": (BROUGHT, {"testing": "2010-06-30"}, [], ""),
    "tested too late": (BROUGHT, {"testing": "2010-07-01"}, ["1/testing"], "2010-07-01"),
    "never tested": (BROUGHT, {"testing": None}, ["1/testing"], "no testing date"),
    "not present": (BROUGHT, {"present": False}, ["1/present"], "present"),
    "way 1 need not be present": (GOOD, {"present": False, "agreed": None}, [], ""),
}


@pytest.mark.parametrize(("base", "changed", "broken", "said"), BAD.values(), ids=BAD)
def test_each_rule(base: Form, changed: dict[str, Any], broken: list[str], said: str) -> None:
    found, _ = look("E1", form(base, **changed), {}, TABLE)
    assert [finding.rule for finding in found] == broken
    for finding in found:
        assert said in finding.words
        assert "rules 2010, section 1: “" in finding.in_full()


def remarks(form: Form) -> list[str]:
    return look("E1", form, {}, TABLE)[1]


def test_what_should_be_known() -> None:
    assert remarks(GOOD) == []
    late = remarks(form(received="2010-06-08"))
    assert len(late) == 1
    assert "Closing Date for receipt" in late[0]
    very_late = remarks(form(received="2010-07-01", posted_at=None))
    assert len(very_late) == 3
    assert "after the last day of testing" in very_late[1]
    assert "no time of day" in very_late[2]


def test_who_goes_before_whom() -> None:
    """Each goes before the next one."""
    order = [
        form(posted="2010-05-09", posted_at="23:59", received="2010-06-20"),
        form(posted_at="08:00", received="2010-06-20"),
        form(posted_at="08:01"),
        form(posted_at=None, received="2010-05-13"),
        form(posted_at=None, received="2010-05-14", received_at="10:00"),
        form(posted_at=None, received="2010-05-14"),
        form(posted="2010-05-11", posted_at="00:00"),
    ]
    keys = [priority(each) for each in order]
    assert keys == sorted(set(keys))


def test_who_is_associated_with_two() -> None:
    forms = {
        "E1": form(entrant="José Núñez", individuals=("Sue Wilcox", "jose nunez")),
        "E2": form(entrant="Rollo Carpenter", individuals=("sue  WILCOX",)),
        "E3": form(entrant="Carpenter, Rollo"),
        "E4": form(entrant="JOSE NUNEZ"),
    }
    assert shared(forms) == [
        ("E1", "E2", "Sue Wilcox", "sue  WILCOX"),
        ("E1", "E4", "José Núñez", "JOSE NUNEZ"),
    ]
    assert [each[:2] for each in shared(forms, alike=names.near)] == [("E2", "E3")]
    broken, notes = look("E2", forms["E2"], forms, TABLE)
    assert [finding.rule for finding in broken] == ["1/individual"]
    assert broken[0].words == "'Sue Wilcox' of E1 and 'sue  WILCOX' of E2 are the same name"
    assert "make sure that they are two persons" in notes[0]


@given(st.lists(st.sampled_from(["Ann", "ánn", "Bo", "Cy", "cy", "Dee"]), max_size=6))
def test_a_clash_is_one_whoever_comes_first(entrants: list[str]) -> None:
    forms = {f"E{n}": form(entrant=name) for n, name in enumerate(entrants)}
    turned = dict(reversed(forms.items()))
    pairs = {frozenset(each[:2]) for each in shared(forms)}
    assert pairs == {frozenset(each[:2]) for each in shared(turned)}
    assert len(pairs) == len(shared(forms))


# On record


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


def written(**changed: Any) -> dict[str, Any]:
    return {**WRITTEN, **changed}


def add_some(season: Season, *names: str) -> None:
    for name in names:
        add(season, written(entrant=name), "Ada")


def test_ids_go_by_the_order_of_registration_and_come_never_again(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "Ann", "Bo")
        register.withdraw(season, "E2", "Ada", "ill")
        assert add(season, written(entrant="Cy"), "Ada") == "E3"
        with pytest.raises(WrongMoment, match=r"E2 is withdrawn already \(ill\)"):
            register.withdraw(season, "E2", "Ada", "ill")
        state = season.state
    assert list(state.entries) == ["E1", "E2", "E3"]
    assert list(state.active) == ["E1", "E3"]


def test_a_correction_is_a_new_version_with_who_and_why(contest: Path) -> None:
    at = iter(range(100))

    def wall() -> dt.datetime:
        return dt.datetime(2010, 5, 14, 9, next(at), tzinfo=dt.UTC)

    with Season(contest, wall=wall) as season:
        add_some(season, "Ann")
        dates = {"posted": "2010-06-09", "received": "2010-06-11"}
        register.change(season, "E1", dates, "Bo", " a  3 that was a 9 ")
        assert [finding.rule for finding in about(season.state, "E1")[0]] == ["1/posted"]
        with pytest.raises(WrongMoment, match="nothing is changed"):
            register.change(season, "E1", {"posted": "2010-06-09"}, "Bo", "again")
    entry = read(contest).entries["E1"]
    assert entry.form.posted == dt.date(2010, 6, 9)
    assert entry.form.entrant == "Ann"
    (first, before), (second, _) = entry.versions
    assert [(each.by, each.reason) for each in (first, second)] == [
        ("Ada", ""),
        ("Bo", "a 3 that was a 9"),
    ]
    assert first.at < second.at
    assert before.posted == dt.date(2010, 5, 10)
    plain = entry.as_json()
    assert (plain["posted"], plain["posted_at"], plain["withdrawn"]) == ("2010-06-09", None, False)


def test_a_clash_is_refused_with_both_named_and_leaves_no_trace(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "José Núñez")
        before = len(list(season.record.events()))
        with pytest.raises(Clash) as caught:
            add(season, written(individuals=["jose nunez"]), "Ada")
        for words in ("'José Núñez' of E1", "'jose nunez' of E2", "No individual may"):
            assert words in str(caught.value)
        assert len(list(season.record.events())) == before
        # Earlier versions registered it all the same, with a reason: it can be made good.
        clashing = read_form(written(individuals=["jose nunez"]))
        season.write("Ada", EntryRegistered("E2", 1, clashing, "both came at once"))
        register.change(season, "E2", {"media": "DVD"}, "Ada", "it is a DVD")
        assert about(season.state, "E2")[0][0].rule == "1/individual"
        register.change(season, "E2", {"individuals": []}, "Ada", "he has left")
        assert about(season.state, "E2")[0] == []
        with pytest.raises(Clash):
            register.change(season, "E2", {"entrant": "Jose Nunez"}, "Ada", "why not")


def test_a_withdrawn_entry_clashes_with_nobody_until_it_is_back(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "Ann")
        register.withdraw(season, "E1", "Ada", "a better one comes")
        add_some(season, "ann")
        with pytest.raises(Clash, match="'Ann' of E1 and 'ann' of E2"):
            register.withdraw(season, "E1", "Ada", "no", back=True)
        with pytest.raises(WrongMoment, match="E2 is not withdrawn"):
            register.withdraw(season, "E2", "Ada", "no", back=True)
        register.change(season, "E1", {"entrant": "ANN"}, "Ada", "nobody minds")
        register.withdraw(season, "E2", "Ada", "the older one")
        register.withdraw(season, "E1", "Bo", "after all", back=True)
        state = season.state
    assert list(state.active) == ["E1"]
    assert [(step.kind, step.by) for step in state.entries["E1"].steps] == [
        ("entry-withdrawn", "Ada"),
        ("entry-restored", "Bo"),
    ]


def test_bad_orders_are_refused_in_words(contest: Path) -> None:
    with Season(contest) as season:
        with pytest.raises(BadOrder, match="in the register: none yet"):
            register.withdraw(season, "E1", "Ada", "x")
        add_some(season, "Ann", "Bo")
        with pytest.raises(BadOrder, match=r"no entry 'e1'; in the register: E1 and E2"):
            register.change(season, "e1", {"media": "CD"}, "Ada", "x")
        with pytest.raises(BadOrder, match="a reason is needed"):
            register.withdraw(season, "E1", "Ada", "  ")
        with pytest.raises(BadOrder, match="does not print"):
            register.withdraw(season, "E1", "Ada", "\x1b[2J")
        with pytest.raises(BadOrder, match="give a field"):
            register.change(season, "E1", {}, "Ada", "x")
        assert len(list(season.record.events())) == 4


def test_a_finding_is_told_to_programs_with_its_sentence() -> None:
    told = Finding("1/present", "away").as_json()
    assert told["rule"] == "1/present"
    assert "MUST be present" in told["sentence"]
