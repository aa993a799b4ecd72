"""The register: what comes in, corrections, withdrawals, who is associated with what."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder, WrongMoment
from contest.screening import registering
from contest.screening.associates import clashes, likenesses, people
from contest.screening.bodies import Form
from contest.screening.forms import BadForm
from contest.screening.register import register_of
from contest.screening.registering import Clash, read_file
from contest.screening.season import Season, bodies, read
from contest.screening.submission import findings, look, priority, remarks
from contest.setup import folder
from contest.setup.rules import Finding
from scheduler import BadInput
from tests.contest.screening.submissions import BROUGHT, GOOD, TABLE, WRITTEN, form

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
    found = findings(form(base, **changed), TABLE)
    assert [finding.rule for finding in found] == broken
    for finding in found:
        assert said in finding.words
        assert "rules 2010, section 1: “" in finding.in_full()


def test_what_should_be_known() -> None:
    assert remarks(GOOD, TABLE) == []
    late = remarks(form(received="2010-06-08"), TABLE)
    assert len(late) == 1
    assert "Closing Date for receipt" in late[0]
    very_late = remarks(form(received="2010-07-01", posted_at=None), TABLE)
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
    assert people(forms["E1"]) == ("José Núñez", "Sue Wilcox")
    assert [(c.first, c.second, c.name, c.other) for c in clashes(forms)] == [
        ("E1", "E2", "Sue Wilcox", "sue  WILCOX"),
        ("E1", "E4", "José Núñez", "JOSE NUNEZ"),
    ]
    assert (
        "'José Núñez' of E1 and 'JOSE NUNEZ' of E4 are the same name" in clashes(forms)[1].words()
    )
    assert [(n.first, n.second) for n in likenesses(forms)] == [("E2", "E3")]
    broken, notes = look("E2", forms["E2"], forms, TABLE)
    assert [finding.rule for finding in broken] == ["1/individual"]
    assert "make sure that they are two persons" in notes[0]
    one = {"E1": form(entrant="Ann"), "E2": form(entrant="Ann")}
    assert clashes(one)[0].words() == "'Ann' is associated with E1 and E2"


@given(st.lists(st.sampled_from(["Ann", "ánn", "Bo", "Cy", "cy", "Dee"]), max_size=6))
def test_a_clash_is_one_whoever_comes_first(entrants: list[str]) -> None:
    forms = {f"E{n}": form(entrant=name) for n, name in enumerate(entrants)}
    turned = dict(reversed(forms.items()))
    pairs = {frozenset((c.first, c.second)) for c in clashes(forms)}
    assert pairs == {frozenset((c.first, c.second)) for c in clashes(turned)}
    assert len(pairs) == len(clashes(forms))


# On record


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


def written(**changed: Any) -> dict[str, Any]:
    return {**WRITTEN, **changed}


def add_some(season: Season, *names: str) -> None:
    for name in names:
        registering.add(season, written(entrant=name), "Ada")


def test_ids_go_by_the_order_of_registration_and_come_never_again(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "Ann", "Bo")
        registering.withdraw(season, "E2", "Ada", "ill")
        assert registering.add(season, written(entrant="Cy"), "Ada").entry == "E3"
        with pytest.raises(WrongMoment, match=r"E2 is withdrawn already \(ill\)"):
            registering.withdraw(season, "E2", "Ada", "ill")
        register = registering.register_in(season)
    assert list(register.entries) == ["E1", "E2", "E3"]
    assert list(register.active) == ["E1", "E3"]


def test_a_correction_is_a_new_version_with_who_and_why(contest: Path) -> None:
    at = iter(range(100))

    def wall() -> dt.datetime:
        return dt.datetime(2010, 5, 14, 9, next(at), tzinfo=dt.UTC)

    with Season(contest, wall=wall) as season:
        add_some(season, "Ann")
        done = registering.change(
            season,
            "E1",
            {"posted": "2010-06-09", "received": "2010-06-11"},
            "Bo",
            " a  3 that was a 9 ",
        )
        assert [finding.rule for finding in done.broken] == ["1/posted"]
        with pytest.raises(WrongMoment, match="nothing is changed"):
            registering.change(season, "E1", {"posted": "2010-06-09"}, "Bo", "again")
    entry = register_of(bodies(read(contest))).entries["E1"]
    assert entry.form.posted == dt.date(2010, 6, 9)
    assert entry.form.entrant == "Ann"
    assert [(v.number, v.by, v.reason) for v in entry.versions] == [
        (1, "Ada", ""),
        (2, "Bo", "a 3 that was a 9"),
    ]
    assert entry.versions[0].at < entry.versions[1].at
    assert entry.versions[0].form.posted == dt.date(2010, 5, 10)
    plain = entry.as_json()
    assert (plain["posted"], plain["posted_at"], plain["withdrawn"]) == ("2010-06-09", None, False)


def test_a_clash_is_refused_with_both_named_and_leaves_no_trace(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "José Núñez")
        before = len(list(season.events()))
        with pytest.raises(Clash) as caught:
            registering.add(season, written(individuals=["jose nunez"]), "Ada")
        for words in ("'José Núñez' of E1", "'jose nunez' of E2", "No individual may"):
            assert words in str(caught.value)
        assert len(list(season.events())) == before
        done = registering.add(
            season, written(individuals=["jose nunez"]), "Ada", anyway="both came at once"
        )
        assert done.broken[0].rule == "1/individual"
        entry = registering.register_in(season).entries["E2"]
        assert entry.versions[0].reason == "both came at once"
        # What clashes already may be corrected in other fields, and made good.
        still = registering.change(season, "E2", {"media": "DVD"}, "Ada", "it is a DVD")
        assert still.broken[0].rule == "1/individual"
        good = registering.change(season, "E2", {"individuals": []}, "Ada", "he has left")
        assert good.broken == ()
        with pytest.raises(Clash):
            registering.change(season, "E2", {"entrant": "Jose Nunez"}, "Ada", "why not")


def test_a_withdrawn_entry_clashes_with_nobody_until_it_is_back(contest: Path) -> None:
    with Season(contest) as season:
        add_some(season, "Ann")
        registering.withdraw(season, "E1", "Ada", "a better one comes")
        add_some(season, "ann")
        with pytest.raises(Clash, match="'Ann' of E1 and 'ann' of E2"):
            registering.restore(season, "E1", "Ada", "no")
        with pytest.raises(WrongMoment, match="E2 is not withdrawn"):
            registering.restore(season, "E2", "Ada", "no")
        registering.change(season, "E1", {"entrant": "ANN"}, "Ada", "nobody minds")
        registering.withdraw(season, "E2", "Ada", "the older one")
        assert registering.restore(season, "E1", "Bo", "after all").entry == "E1"
        register = registering.register_in(season)
    assert list(register.active) == ["E1"]
    assert [(s.withdrawn, s.by) for s in register.entries["E1"].steps] == [
        (True, "Ada"),
        (False, "Bo"),
    ]


def test_bad_orders_are_refused_in_words(contest: Path) -> None:
    with Season(contest) as season:
        with pytest.raises(BadOrder, match="in the register: none yet"):
            registering.withdraw(season, "E1", "Ada", "x")
        add_some(season, "Ann", "Bo")
        with pytest.raises(BadOrder, match=r"no entry 'e1'; in the register: E1 and E2"):
            registering.change(season, "e1", {"media": "CD"}, "Ada", "x")
        with pytest.raises(BadOrder, match="a reason is needed"):
            registering.withdraw(season, "E1", "Ada", "  ")
        with pytest.raises(BadOrder, match="does not print"):
            registering.withdraw(season, "E1", "Ada", "\x1b[2J")
        with pytest.raises(BadOrder, match="give a field"):
            registering.change(season, "E1", {}, "Ada", "x")
        assert len(list(season.events())) == 4


# Files

CSV = """\
Program;entrant;individuals;posted;received;way;media;platforms;service;proof;present
Suzette;Ann;"Bo; Cy";2010-05-10 14:05;2010-05-14;1;CD;Windows XP;FedEx;1;
Clever;Dee;;2010-05-11;2010-05-14;3;DVD;;UPS;2;yes
"""
TOML = """\
[[entry]]
program = "Suzette"
entrant = "Ann"
individuals = ["Bo", "Cy"]
posted = 2010-05-10 14:05:00
received = 2010-05-14
way = 1
media = "CD"
platforms = ["Windows XP"]
service = "FedEx"
proof = "1"
"""


def test_many_are_registered_from_a_file(contest: Path) -> None:
    with Season(contest) as season:
        done = registering.add_all(season, read_file(CSV, "post.csv"), "Ada")
        assert [each.entry for each in done] == ["E1", "E2"]
        assert done[0].broken == ()
        forms = registering.register_in(season).forms
        assert forms["E1"].individuals == ("Bo", "Cy")
        assert forms["E2"].present
        with pytest.raises(Clash, match=r"post\.toml, \[\[entry\]\] number 1: 'Ann' is associated"):
            registering.add_all(season, read_file(TOML, "post.toml"), "Ada")
        (_, values) = read_file(TOML, "post.toml")[0]
        registering.withdraw(season, "E1", "Ada", "x")
        registering.add(season, values, "Ada")
        register = registering.register_in(season)
        assert register.entries["E3"].form == register.entries["E1"].form


@pytest.mark.parametrize(
    ("text", "source", "said"),
    [
        (CSV.replace("Ann", ""), "post.csv", "post.csv, line 2, entrant: is empty"),
        (CSV.replace("2010-05-11", "11.5.2010"), "post.csv", "post.csv, line 3, posted"),
        (CSV.replace("Dee", "bo"), "post.csv", "post.csv, line 3: 'Bo' of E1 and 'bo' of E2"),
        (
            CSV.replace("platforms", "plattforms"),
            "post.csv",
            "no column 'plattforms'; did you mean",
        ),
        (CSV.replace("Program;", "Prog;"), "post.csv", "no column 'Prog'"),
        (CSV.replace("posted;", "note;"), "post.csv", "lacks the column posted"),
        ("", "post.csv", "post.csv: is empty"),
        (TOML.replace("way = 1", "way = 9"), "post.toml", "post.toml, [[entry]] number 1, way"),
        (TOML.replace("[[entry]]", "[entry]"), "post.toml", "two brackets"),
        (TOML.replace("[[entry]]", "[[entries]]"), "post.toml", "no table 'entries'"),
        (TOML.replace("[[entry]]", "[[entry"), "post.toml", "no TOML"),
        (TOML.replace("media =", "medium ="), "post.toml", "medium: there is no such field"),
    ],
)
def test_a_bad_file_registers_nobody(contest: Path, text: str, source: str, said: str) -> None:
    with Season(contest) as season:
        with pytest.raises((BadForm, BadInput, Clash)) as caught:
            registering.add_all(season, read_file(text, source), "Ada")
        assert said in str(caught.value)
        assert not registering.register_in(season).entries


def test_a_finding_is_told_to_programs_with_its_sentence() -> None:
    told = Finding("1/present", "away").as_json()
    assert told["rule"] == "1/present"
    assert "MUST be present" in told["sentence"]
