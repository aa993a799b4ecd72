"""Tests marking, in files and in a browser: scales, letters, writing and reading sheets,
differences, the end."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from fractions import Fraction
from pathlib import Path

import httpx
import krippendorff
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder, UserError, WrongMoment
from contest.net.web import serving
from contest.record.season import LettersDrawn, MarkSettled, QualityOpened, TieRuleStated
from contest.screening import marking
from contest.screening.ask import set_paper
from contest.screening.marking import (
    DEFAULT,
    SCALES,
    Difference,
    differences,
    digest,
    draw,
    letter,
    mark_all,
    marks_on,
    read_sheet,
    reveal,
    sheets_of,
    status,
    written,
)
from contest.screening.pages import Site, marking_site
from contest.screening.paper import Paper
from contest.screening.ranking import ranking_of
from contest.screening.season import Season
from contest.screening.state import QUALITY, Settled, State
from scheduler.errors import BadInput
from tests.contest.german import english_in
from tests.contest.screening.seasons import CAT, begin, new_contest, opened, sat


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    """A season in which four entries and a human were asked two questions, and marking has
    begun."""
    with sat(tmp_path / "contest") as made:
        marking.begin(made)
        yield made


def by_letter(season: Season, item: str) -> dict[str, str]:
    """Subject to letter."""
    order = marking.sealed_letters(season).letters[item]
    return {subject: letter(index) for index, subject in enumerate(order)}


def all_marks(
    season: Season, change: dict[tuple[str, str], str] | None = None
) -> dict[str, dict[str, str]]:
    """The suggested marks, with some replaced."""
    found: dict[str, dict[str, str]] = {}
    for sheet in sheets_of(season):
        for row in sheet.rows:
            mark = (change or {}).get((sheet.item, row.letter), written(row.suggested))
            found.setdefault(sheet.item, {})[row.letter] = mark
    return found


# Scales and letters


def test_scales_have_marks_and_letters_continue_after_z() -> None:
    for name, wordings in SCALES.items():
        assert [len(wordings[of]) for of in ("questions", "quality")] == [len(marks_on(name))] * 2
    assert [letter(index) for index in (0, 25, 26, 51, 52, 701, 702)] == [
        *("A", "Z", "AA", "AZ", "BA", "ZZ", "AAA")
    ]
    subjects = [f"E{number}" for number in range(16)]
    orders = draw(map(str, range(20)), subjects, "ab").values()
    assert len({tuple(order) for order in orders}) == 20


@given(
    st.sets(st.integers(1, 99), min_size=2, max_size=16), st.text("0123456789abcdef", min_size=4)
)
def test_each_item_has_a_random_order_of_all_subjects(numbers: set[int], salt: str) -> None:
    subjects = [f"E{number}" for number in numbers]
    drawn = draw(["q1", "q2"], subjects, salt)
    assert all(sorted(order) == sorted(subjects) for order in drawn.values())
    # The order of subjects and items has no effect.
    assert draw(["q2", "q1"], subjects[::-1], salt) == drawn
    assert digest(salt) != digest(f"{salt}0")


# Steps


def test_marking_begins_once_all_are_asked(tmp_path: Path) -> None:
    with opened(new_contest(tmp_path / "contest")) as made:
        begin(made, ["E1"])
        with pytest.raises(WrongMoment, match="no entry has been asked"):
            marking.begin(made)
        set_paper(made, Paper(None, (CAT,)))
        with pytest.raises(WrongMoment, match="E1 has not answered"):
            marking.begin(made)


def test_the_revealed_letters_are_the_sealed_ones(season: Season) -> None:
    drawn = season.state.drawn
    marking.begin(season)
    assert season.state.drawn == drawn
    with pytest.raises(WrongMoment, match=r"set to 0/0\.5/1"):
        marking.begin(season, "0/1/2")
    (told,) = season.record.events(kind="letters-drawn")
    assert "letters" not in told.body
    for who in ("Ann", "Bob"):
        mark_all(season, who, all_marks(season))
    reveal(season)
    revealed = season.state.revealed
    assert revealed is not None
    assert digest(revealed.salt) == told.body["sha256"]
    reveal(season)
    assert season.state.revealed == revealed
    with pytest.raises(WrongMoment, match="marking is over"):
        mark_all(season, "Ann", {"things-1": {"A": "0"}})
    with pytest.raises(WrongMoment, match="the letters are revealed"):
        season.write("Cy", TieRuleStated("full-marks"))


def test_marks_are_recorded_all_or_none(season: Season) -> None:
    before = season.record.last_number()
    for items, said in (
        ({"things-1": {"A": "1"}, "things-9": {"A": "1"}}, "things-9"),
        ({"things-1": {"A": "1", "Z": "1"}}, "things-1 has no answer 'Z'"),
        *(
            ({"things-1": {"A": "1", "B": text}}, "things-1, B: .* is not a mark of the scale")
            for text in ("7", "x", "", "1/0", "0.50000000000000000001")
        ),
    ):
        with pytest.raises(BadOrder, match=said):
            mark_all(season, "Ann", items)
    with pytest.raises(BadOrder, match="name 1 to 20 markers"):
        mark_all(season, " ", {"things-1": {"A": "1"}})
    assert season.record.last_number() == before
    # Marks as people write them; repeating them changes nothing, and a change is one mark.
    assert mark_all(season, "Ann", {"things-1": {"A": " 1/2 ", "B": "0,5", "C": ".5"}}) == 3
    assert mark_all(season, "Ann", {"things-1": {"A": "0.5", "B": "1"}}) == 1


def test_differences_must_be_settled_with_a_reason(season: Season) -> None:
    for who, said in ((None, "so far nobody has"), ("Ann", "so far Ann has")):
        if who:
            mark_all(season, who, all_marks(season))
        with pytest.raises(WrongMoment, match=said):
            reveal(season)
    here = by_letter(season, "things-1")["E1"]
    mark_all(season, "Bob", {"things-1": {here: "0.5"}})
    with pytest.raises(WrongMoment, match=r"marks are missing from Bob \(9\)"):
        reveal(season)
    mark_all(season, "Bob", all_marks(season, {("things-1", here): "0.5"}))
    assert differences(season.state) == [Difference("things-1", here, {"Ann": "1", "Bob": "0.5"})]
    with pytest.raises(WrongMoment, match="1 mark to settle"):
        reveal(season)
    for error, item, reason, said in (
        (BadOrder, ("things-1", here), " ", "a reason is needed"),
        (WrongMoment, ("things-2", "A"), "so", "no two markers differ"),
    ):
        with pytest.raises(error, match=said):
            season.write("Cy", MarkSettled(*item, "1", reason))
    season.write("Cy", MarkSettled("things-1", here, "1", "it is right"))
    reveal(season)
    found = ranking_of(season.state)
    assert {row.entry: row.total for row in found.entries} == {"E1": 2, "E2": 1, "E3": 0, "E4": 0}
    # The human is marked too, but has no place.
    assert {each.entry: each.total for each in found.controls} == {"H1": 2}
    behind = found.entries[0].items["things-1"]
    assert behind.settled == Settled(Fraction(1), "Cy", "it is right")
    assert (behind.answer, behind.marks) == ("A cat.", {"Ann": 1, "Bob": Fraction(1, 2)})
    page = found.as_html("Selection", season.state)
    assert "settled as 1 by Cy: it is right" in page
    assert "=HYPERLINK(&lt;b&gt;1&lt;/b&gt;)" in page
    assert "<script" not in page


def test_without_any_marks_the_general_quality_is_marked(season: Season) -> None:
    none = {item: dict.fromkeys(marks, "0") for item, marks in all_marks(season).items()}
    for who in ("Ann", "Bob"):
        mark_all(season, who, none)
    with pytest.raises(WrongMoment, match="finish marking"):
        season.write("Cy", QualityOpened("nobody answered"))
    reveal(season)
    assert ranking_of(season.state).general_quality
    season.write("Cy", QualityOpened("nobody answered"))
    marking.begin(season)
    (sheet,) = sheets_of(season)
    whose = by_letter(season, QUALITY)
    said = {row.letter: row.answer for row in sheet.rows}[whose["E1"]]
    assert said.startswith("Judge: What says meow?\nAnswer: A cat.")
    for who in ("Ann", "Bob"):
        marks = {at: "1" if id_ == "E2" else "0.5" for id_, at in whose.items()}
        mark_all(season, who, {QUALITY: marks})
    reveal(season)
    assert ranking_of(season.state).finalists == ["E2", "E1", "E3", "E4"]


def test_a_sheet_is_written_and_read_back(season: Season, tmp_path: Path) -> None:
    file = marking.write_sheets(season, tmp_path / "out")
    with pytest.raises(UserError, match="not empty"):
        marking.write_sheets(season, tmp_path / "out")
    text = file.read_text(encoding="utf-8")
    assert read_sheet(text, "sheet.csv") == {}
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert len(rows) == 10
    # Text that a spreadsheet would run as a formula stays text.
    assert sum(row["answer"] == "'=HYPERLINK(<b>1</b>)" for row in rows) == 2
    assert "0.5  partly right" in (tmp_path / "out" / marking.WORDING).read_text(encoding="utf-8")
    assert read_sheet("item;question;letter;mark\r\nq;w;A;0,5\r\n", "f") == {"q": {"A": "0,5"}}
    with pytest.raises(BadOrder, match="f, line 3: 'q', 'A' is marked twice"):
        read_sheet("item,letter,mark\nq,A,1\nq,A,0\n", "f")
    with pytest.raises(BadInput, match="lacks the column letter"):
        read_sheet("item,mark\nq,1\n", "f")


def test_agreement_is_krippendorffs_alpha() -> None:
    def marked(*given: dict[str, str]) -> State:
        state = State(scale=DEFAULT, drawn=LettersDrawn("questions", ["q"], ""))
        for index, marks in enumerate(given):
            state.marks["q", letter(index)] = {who: Fraction(text) for who, text in marks.items()}
        return state

    data = [["0", "0.5", "1", "1", "0", "0.5"], ["0", "1", "1", "1", "0", "0.5"]]
    found = status(marked(*({"a": x, "b": y} for x, y in zip(*data, strict=True)))).agreement
    expected = krippendorff.alpha(
        reliability_data=[list(map(float, row)) for row in data],
        value_domain=[0, 0.5, 1],
        level_of_measurement="ordinal",
    )
    assert found.alpha == pytest.approx(expected)
    assert (found.answers, found.same) == (6, 5)
    assert found.in_words().startswith("5 of 6 answers marked alike; Krippendorff's alpha is 0.884")
    for several, words in (
        ([{"a": "1"}], "No answer has been marked by two people yet."),
        ([{"a": "1", "b": "1"}] * 3, "all marks are the same"),
    ):
        agreement = status(marked(*several)).agreement
        assert agreement.alpha is None
        assert words in agreement.in_words()


# In a browser


@asynccontextmanager
async def client(pages: Site, who: str) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(pages.app(), "127.0.0.1", 0, access=pages.access) as address,
        httpx.AsyncClient(
            verify=False, base_url=f"http://{address}/board", follow_redirects=True
        ) as browser,
    ):
        assert "Your code" in (await browser.get("/sheet/1")).text
        assert "Sheets" in (await browser.post("/login", data={"code": pages.codes[who]})).text
        yield browser


def token_of(page: httpx.Response) -> str:
    match = re.search(r'name="form" value="([^"]+)"', page.text)
    assert match is not None
    return match[1]


async def test_a_marker_marks_in_a_browser(season: Season) -> None:
    pages = marking_site(season, ["Ann", "Bob"])
    async with client(pages, "Ann") as browser:
        sheet = await browser.get("/sheet/1")
        # A program's answer is escaped, and the page has no entry's name.
        assert "=HYPERLINK(&lt;b&gt;1&lt;/b&gt;)" in sheet.text
        # (The form's random token may hold any letters.)
        assert "E1" not in re.sub(r'value="[^"]{20,}"', "", sheet.text)
        assert "Program" not in sheet.text
        assert sheet.headers["cache-control"] == "no-store"
        for path in ("/sheet/1", "/sheet/2", f"{browser.base_url}".rstrip("/")):
            assert english_in((await browser.get(path, params={"lang": "de"})).text) == []
        await browser.get("/sheet/1", params={"lang": "en"})
        marks = {"form": token_of(sheet), "A": "1", "B": "0.5"}
        after = await browser.post("/sheet/1", data=marks)
        assert after.url.path == "/board/sheet/2"
        assert "Saved: things-1." in after.text
        assert marks_of(season, "Ann") == {"A": 1, "B": Fraction(1, 2)}
        assert 'value="1" checked' in (await browser.get("/sheet/1")).text
        assert "2 of 5 marked" in (await browser.get(f"{browser.base_url}".rstrip("/"))).text
        bad = await browser.post("/sheet/1", data={**marks, "A": "7"})
        assert (bad.status_code, "not a mark" in bad.text) == (400, True)
        for data, headers in (({"form": "old", "A": "0"}, {}), (marks, {"Origin": "http://evil"})):
            refused = await browser.post("/sheet/1", data=data, headers=headers)
            assert refused.status_code == 403
        assert marks_of(season, "Ann")["A"] == 1
        for number in ("0", "3", "99999"):
            assert "Sheets" in (await browser.get(f"/sheet/{number}")).text
    async with client(pages, "Bob") as browser:
        sheet = await browser.get("/sheet/1")
        # Markers don't see each other's marks.
        assert "checked" not in sheet.text
        out = await browser.post("/logout", data={"form": token_of(sheet)})
        assert "Your code" in out.text


async def test_unsaved_choices_survive_a_log_out_only_for_their_marker(season: Season) -> None:
    pages = marking_site(season, ["Ann", "Bob"])
    chosen = {"form": "ended", "who": "Ann", "A": "0.5", "x": "1", "Z": "1"}
    async with client(pages, "Ann") as browser:
        browser.cookies.clear()
        away = await browser.post("/sheet/1", data=chosen)
        assert away.status_code == 401
        hidden = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', away.text))
        assert hidden == {name: text for name, text in chosen.items() if name != "form"}
        for who, kept in (("Bob", []), ("Ann", [("A", "0.5")])):
            browser.cookies.clear()
            await browser.post("/login", data={"code": pages.codes[who]})
            again = await browser.post("/sheet/1", data=hidden)
            assert "from an old page" in again.text
            assert re.findall(r'name="(\w)" value="([^"]+)" checked', again.text) == kept
    assert season.state.marks == {}
    for names in (["Ann", "Ann"], [""], [f"M{number}" for number in range(30)]):
        with pytest.raises(BadOrder, match="each once"):
            marking_site(season, names)


def marks_of(season: Season, marker: str) -> dict[str, Fraction]:
    return {
        at: given[marker]
        for (item, at), given in season.state.marks.items()
        if item == "things-1" and marker in given
    }
