"""Tests the results page: self-contained, accessible, with all text escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from contest.record import bodies
from contest.results.document import Results
from contest.results.page import page_stream
from tests.contest.build import Builder, changed, contest, settings, small

VOID = {"meta", "br", "path", "circle", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """A parsed page: elements with attributes, text, and whether it is well formed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.css = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "style":
            self.css += data
        else:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def html() -> str:
    """The page of the whole contest."""
    return "".join(page_stream(Results(contest().read())))


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    """The parsed page of the whole contest."""
    return Page(html)


def test_the_page_loads_and_runs_nothing(html: str, page: Page) -> None:
    names = {name for name, _ in page.elements}
    assert not names & {"script", "img", "link", "iframe", "object", "embed", "base", "form"}
    for _, attributes in page.elements:
        assert not any(name.startswith("on") or name in ("src", "style") for name in attributes)
    assert all(a["href"].startswith("#") for a in page.all("a"))
    assert "url(" not in page.css
    assert "@import" not in page.css
    assert "http" not in re.sub(r"http-equiv", "", html)


def test_the_policy_allows_only_the_pages_style_sheet(page: Page) -> None:
    (policy,) = [m["content"] for m in page.all("meta") if "http-equiv" in m]
    digest = base64.b64encode(hashlib.sha256(page.css.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_typed_text_is_shown_as_typed(html: str, page: Page) -> None:
    assert "<script>alert('caught')</script>" in page.text
    assert "</style><img src=x onerror=alert(1)>" in page.text
    assert "<script" not in html.replace("&lt;script", "")


def test_names_are_escaped(page: Page) -> None:
    assert "Nowhere, <b>bold</b> & free" in page.text
    assert "<i>Sly</i>" in page.text
    assert "<script>.other" in page.text


EVIL = "</script></style>\"'><svg onload=x>&amp;{{ 7*7 }}{% raw %}\x00\x1b[31m\u202e"


def test_text_from_anywhere_in_a_record_is_escaped() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "judge", "J1", "a")
        b.key(talks["E1"], "entity", "E1", EVIL, raw=f"0000000007.{EVIL}.other")
        b.key(talks["E1"], "entity", "E1", "BackSpace")
        b.write(bodies.RoundPaused(1, 1, EVIL), actor=EVIL)
        b.write(bodies.RoundResumed(1, 1))
        b.write(bodies.Breach("E1", EVIL, EVIL, EVIL))
        b.write(bodies.VerdictGiven(1, 1, "J1", "left", 1, 50, EVIL))

    b = small(play)
    own = {**b.events[0].body["settings"]}
    own["contest"] = {"name": EVIL, "venue": EVIL, "date": EVIL}
    own["entry"] = [{"id": "E1", "name": EVIL, "entrant": EVIL}]
    html = "".join(page_stream(Results(changed(b, 1, settings=own, program=EVIL).read())))
    page = Page(html)
    assert not {name for name, _ in page.elements} & {"script"}
    assert not any("onload" in attributes for _, attributes in page.elements)
    assert "{{ 7*7 }}{% raw %}" in page.text
    assert "\x00" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_the_page_has_landmarks_and_headings_in_order(page: Page) -> None:
    names = [name for name, _ in page.elements]
    assert [names.count(tag) for tag in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(name[1]) for name in names if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_tables_have_captions_and_scopes(page: Page) -> None:
    names = [name for name, _ in page.elements]
    assert names.count("caption") == names.count("table") == 10
    assert all(th.get("scope") in ("col", "row", "rowgroup") for th in page.all("th"))


def test_links_have_targets_and_ids_are_unique(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in ids
    assert {a["href"][1:] for a in page.all("a")} <= set(ids)


def test_each_talk_has_a_time_line_and_a_description(page: Page) -> None:
    lines = [svg for svg in page.all("svg") if svg["class"] == "picture"]
    assert len(lines) == 40
    assert all(svg["aria-hidden"] == "true" for svg in page.all("svg"))
    assert "J1: 39 keys, 0 BackSpaces, median gap 150 ms" in page.text


def test_the_page_shows_corrections_unfinished_lines_and_the_head(html: str, page: Page) -> None:
    assert "small roon←m." in html
    assert "(unfinished)" in page.text
    assert page.text.count(contest().chains.head(None)) == 2


def test_an_unfinished_contest_is_marked_as_such() -> None:
    page = Page("".join(page_stream(Results(small(close=False).read()))))
    assert "Not final" in page.text
    assert "show this page to judges" in page.text
    assert "contest is not closed yet." in page.text
    assert "not won so far; no entry" in page.text
    assert "Official result" not in page.text


def test_a_contest_without_talks_has_a_page() -> None:
    b = small()
    only = Builder()
    for draft in b.drafts[:1]:
        only.events.append(only.chains.place(draft))
    assert "No talk has been opened yet." in Page("".join(page_stream(Results(only.read())))).text


def test_other_tie_break_rules_have_a_row_and_an_explanation() -> None:
    own = {**settings(), "rules": {"tally": ["points", "mean-rank"], "silver": "half"}}
    b = changed(contest(), 1, settings=own)
    text = " ".join(Page("".join(page_stream(Results(b.read())))).text.split())
    # J1 to J3 rank E1 first among the entries; J4 ranks it equal to E2.
    assert "Points15.512.584 Place1234" in text
    assert "places are decided by the points for the order of the entries" in text
    assert "E1 has 15.5 points; E1 is first." in text
    assert "Points" not in Page("".join(page_stream(Results(contest().read())))).text


def test_an_excluded_ballot_is_marked_and_not_in_the_means() -> None:
    b = small()
    labels = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, labels), actor="J1")
    b.write(bodies.BallotExcluded("J1", "left <b>early"), actor="organizer")
    text = " ".join(Page("".join(page_stream(Results(b.read())))).text.split())
    assert "J1does not count" in text
    assert "Mean––" in text
    assert "The ballot of J1 does not count: left <b>early" in text
