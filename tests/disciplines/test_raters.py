"""The contract of raters' pages, for each discipline that has them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder, BadSettings
from contest.net.web import serving
from disciplines.invitations import check_names
from disciplines.raters import COMMENT, LONGEST, Pages, Questionnaire, serve
from tests.disciplines.questionnaires import (
    NAME,
    QUESTIONNAIRES,
    SECRET,
    SHOWN_NAME,
    SHOWN_TEXT,
    TEXT,
)

JSON = {"Accept": "application/json"}


@pytest.fixture(params=QUESTIONNAIRES)
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Questionnaire]:
    with QUESTIONNAIRES[request.param](tmp_path) as held:
        yield held


def scores(asked: Questionnaire, score: int = 2) -> dict[str, str]:
    return {each.name: str(score) for each in asked.criteria}


def comment_of(asked: Questionnaire) -> str:
    """The name of a comment."""
    return next(each.name for each in asked.criteria if each.comment) + COMMENT


@asynccontextmanager
async def client(asked: Questionnaire) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, str]]]:
    pages = Pages(asked)
    async with (
        serving(pages.app(), "127.0.0.1", 0, access=pages.invitations.access) as address,
        httpx.AsyncClient(base_url=f"http://{address}", follow_redirects=True) as held,
    ):
        yield held, pages.invitations.links


async def test_a_rater_rates_with_scripts_off(asked: Questionnaire) -> None:
    items, seen = asked.raters["R1"], ""
    name, comment = asked.criteria[0].name, comment_of(asked)
    async with client(asked) as (http, links):
        link = links["R1"]
        first = await http.get(link)
        assert first.url.path == f"{link}/1"
        # The page names missing scores, and keeps the answers.
        typed = {name: "3", comment: '"<script>" & ü\r\n ', "go": "next"}
        recomputed = await http.post(f"{link}/1", data=typed)
        assert recomputed.url.path == f"{link}/1"
        assert ", ".join(each.name for each in asked.criteria[1:]) in recomputed.text
        assert "&#34;&lt;script&gt;&#34; &amp; ü" in recomputed.text
        assert asked.typed("R1", items[0])[comment] == '"<script>" & ü\n '
        second = await http.post(f"{link}/1", data={**scores(asked), "go": "next"})
        assert second.url.path == f"{link}/2"
        await http.post(f"{link}/2", data={name: "2", "go": "later"})
        assert (await http.get(link)).url.path == f"{link}/2"
        back = await http.post(f"{link}/2", data={"go": "back"})
        assert back.url.path == f"{link}/1"
        done = await http.post(f"{link}/2", data={**scores(asked), "go": "next"})
        assert "Everything is rated" in done.text
        for page in (first, recomputed, second, done):
            assert SHOWN_NAME in page.text
            assert page.headers["cache-control"] == "no-store"
            seen += page.text
    assert SHOWN_TEXT in seen
    assert not [word for word in SECRET if word in seen]
    assert (asked.left("R1"), asked.left("R2")) == ([], [1, 2])


async def test_a_window_gets_the_same_as_json(asked: Questionnaire) -> None:
    name, comment = asked.criteria[0].name, comment_of(asked)
    async with client(asked) as (http, links):
        link = links["R2"]
        overview = (await http.get(link, headers=JSON)).json()
        assert (overview["title"], overview["of"], overview["left"]) == (NAME, 2, [1, 2])
        assert overview["place"] == 1
        described = overview["criteria"][0]
        assert described["name"] == name
        assert described["scores"] == list(asked.criteria[0].scores)
        assert described["anchors"]["1"]
        sent = {name: "2", comment: "half"}
        saved = await http.post(f"{link}/2", data=sent, headers=JSON)
        assert saved.json() == {"missing": list(scores(asked))[1:], "left": [1, 2]}
        assert (await http.get(link, headers=JSON)).json()["place"] == 2
        items = [(await http.get(f"{link}/{n}", headers=JSON)).json() for n in (1, 2)]
        assert (items[0]["typed"][comment], items[1]["typed"][comment]) == ("", "half")
        assert items[1]["typed"][name] == "2"
        assert any(TEXT in item["target"][1] for item in items)
        assert not [word for word in SECRET if word in json.dumps([overview, *items])]
        refused = await http.post(f"{link}/2", data={name: "9"}, headers=JSON)
        assert refused.status_code == 400
        assert refused.json()["error"]


def test_a_rater_comes_back_to_where_they_were(asked: Questionnaire) -> None:
    first, second = asked.raters["R1"]
    comment = comment_of(asked)
    assert asked.place("R1") == 1
    asked.save("R1", second, {comment: "half"})
    assert asked.place("R1") == 2
    asked.save("R1", second, scores(asked))
    assert asked.place("R1") == 1
    asked.save("R1", first, scores(asked))
    assert asked.place("R1") is None
    # A score that was removed is missing again.
    asked.save("R1", first, {asked.criteria[1].name: ""})
    assert asked.place("R1") == 1


def test_only_changed_answers_go_on_record(asked: Questionnaire) -> None:
    item = asked.raters["R1"][0]
    asked.save("R1", item, scores(asked))
    head = asked.run.head
    asked.save("R1", item, {**scores(asked), "unknown": "x"})
    assert asked.run.head == head
    with pytest.raises(BadOrder):
        asked.save("R1", item, {comment_of(asked): "x" * (LONGEST + 1)})


async def test_answers_for_an_item_are_never_saved_for_another(asked: Questionnaire) -> None:
    """The contest is planned again while a rater has a page open."""
    name = asked.criteria[0].name
    async with client(asked) as (http, links):
        link = links["R1"]
        seen = (await http.get(f"{link}/1", headers=JSON)).json()["item"]
        for item, status in (("another", 409), (seen, 200)):
            answer = await http.post(f"{link}/1", data={"item": item, name: "2"}, headers=JSON)
            assert answer.status_code == status
            assert len(asked.run.state.ratings) == (status == 200)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.booleans())
def test_any_comment_is_kept_as_typed(asked: Questionnaire, text: str, second: bool) -> None:
    item, name = asked.raters["R1"][second], comment_of(asked)
    asked.save("R1", item, {name: text})
    assert asked.typed("R1", item)[name] == text.replace("\r\n", "\n")


async def test_unusable_requests_are_refused(asked: Questionnaire) -> None:
    name, comment = asked.criteria[0].name, comment_of(asked)
    long = "x" * (LONGEST + 1)
    async with client(asked) as (http, links):
        link = links["R1"]
        elsewhere = "/r/R1-AAAA-AAAA-AAAA", "/static/disciplines/..%2Frating.py"
        for path in (*elsewhere, f"{link}/3", f"{link}/0"):
            assert (await http.get(path)).status_code == 404, path
        for sent in ({name: "6"}, {name: "1.5"}, {comment: long}):
            answer = await http.post(f"{link}/1", data=sent)
            assert answer.status_code == 400
        # The page keeps a comment that is too long.
        assert long in answer.text
    assert not asked.run.state.ratings


@pytest.mark.parametrize("discipline", QUESTIONNAIRES)
async def test_links_and_answers_outlive_the_server(discipline: str, tmp_path: Path) -> None:
    with QUESTIONNAIRES[discipline](tmp_path) as asked:
        async with client(asked) as (http, links):
            await http.post(f"{links['R1']}/1", data=scores(asked), headers=JSON)
    # Codes of others in the same folder stay, too.
    codes = (tmp_path / "codes.txt").read_text() + "Ann\tAnn-AAAA-BBBB-CCCC\n"
    (tmp_path / "codes.txt").write_text(codes.replace("R2\t", "old\t"))
    with QUESTIONNAIRES[discipline](tmp_path) as asked:
        async with client(asked) as (http, recomputed):
            assert recomputed["R1"] == links["R1"]
            assert recomputed["R2"] != links["R2"]
            assert (await http.get(links["R1"])).url.path == f"{links['R1']}/2"
            assert (await http.get(links["R2"])).status_code == 404
    assert "Ann-AAAA-BBBB-CCCC" in (tmp_path / "codes.txt").read_text()


def test_serving_needs_raters_and_items(asked: Questionnaire) -> None:
    nobody: list[dict[str, list[str]]] = [{}, {"R1": []}]
    for raters in nobody:
        empty: dict[str, Any] = {**vars(asked), "raters": raters}
        with pytest.raises(BadSettings):
            serve(Questionnaire(**empty), "127.0.0.1", 0, print)


@pytest.mark.parametrize("names", [("R1", "r1"), ("server",), ("R1", "SERVER")])
def test_unusable_names_of_raters_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="raters"):
        check_names(names, "raters")
