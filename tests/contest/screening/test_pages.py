"""The season in browsers: what the organizer's forms write, what they refuse, and that nothing that
was typed is lost by it. Markers' pages are in test_marking.py."""

from __future__ import annotations

import datetime as dt
import hashlib
import html
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from contest.net.web import serving
from contest.record.season import EntryRegistered, ItemTested
from contest.screening import register
from contest.screening.compliance import ASKED, record_test
from contest.screening.pages import changed_in, season_site
from contest.screening.register import FIELDS, read_form, texts_of
from contest.screening.season import Season
from contest.screening.state import body_of
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.contest.screening.seasons import BROUGHT, GOOD, PASSED, SPEAKS, WRITTEN, add, form

SCRIPT = '"><script>alert(1)</script>'
#: What is typed of an entry that keeps all rules.
TYPED = {**WRITTEN, "platforms": "Windows XP", "by": "Ada"}


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    with Season(folder.make(tmp_path / "contest").parent) as made:
        yield made


@pytest.fixture
async def client(season: Season) -> AsyncIterator[httpx.AsyncClient]:
    """The organizer's browser, more or less, logged in."""
    site = season_site(season)
    async with (
        serving(site.app(), "127.0.0.1", 0, porter=site.porter) as address,
        httpx.AsyncClient(base_url=f"http://{address}/board") as made,
    ):
        answer = await made.post("/login", data={"code": site.codes["organizer"]})
        assert answer.status_code == 303
        yield made


async def send(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> httpx.Response:
    """Sends a form as a page of this visitor's does."""
    token = values((await client.get("/new")).text)["form"]
    return await client.post(f"/{path}", data={"form": token, **fields})


async def done(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> str:
    """Sends a form that is taken, and gives the page that comes of it."""
    answer = await send(client, path, fields)
    assert answer.status_code == 303, answer.text
    location = answer.headers["location"].removeprefix("/board")
    return html.unescape((await client.get(location)).text)


def values(page: str) -> dict[str, str]:
    """What stands in the fields of a page."""
    found = {}
    for tag in re.findall(r"<input[^>]*>", page):
        kind = re.search(r'type="(\w+)"', tag)
        if kind is None or kind[1] == "hidden" or " checked" in tag:
            name, value = (re.search(rf'{each}="([^"]*)"', tag) for each in ("name", "value"))
            assert name is not None
            assert value is not None
            found[name[1]] = html.unescape(value[1])
    for name_, value_ in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n?([^<]*)<', page):
        found[name_] = html.unescape(value_)
    return found


def written(season: Season) -> list[tuple[str, Any]]:
    """Who has written what, without opening and settings."""
    if not (season.folder / "record.db").exists():
        return []
    events = [(e, body_of(e)) for e in season.record.events()]
    return [(e.actor, body) for e, body in events if not e.kind.startswith("season-")]


def fill(season: Season, *received: str) -> None:
    """Entries that keep all rules, received on these days."""
    for nth, day in enumerate(received, 1):
        names = {"entrant": f"Person {nth * 111}", "program": f"Program {nth}"}
        add(season, {**WRITTEN, **names, "received": day})


def five(season: Season) -> None:
    """One complies, one asks for a path, one came too late, one is withdrawn, one is to be
    tested."""
    for name, posted in (
        ("Ann Lee", "2010-05-10 14:05"),
        ("Bo " + "very " * 9 + "long", "2010-05-11"),
        (SCRIPT, "2010-06-08"),
        ("Dee", "2010-05-12"),
        ("Anne Lee", "2010-05-13"),
    ):
        values_ = {**WRITTEN, "entrant": name, "posted": posted, "received": "2010-06-10"}
        add(season, {**values_, "program": f"{name[:3]}bot", "note": SCRIPT})
    day, all_ = dt.date(2010, 6, 11), {**PASSED, "runs": ItemTested("pass")}
    record_test(season, "E1", all_, "Ada", tested=day, conformance=SPEAKS)
    path = {"path": ItemTested("fail", f"asks for one {SCRIPT}")}
    record_test(season, "E2", path, "Ada", tested=day)
    register.withdraw(season, "E4", "Bo", "he is ill")
    register.change(season, "E5", {"media": "DVD"}, "Bo", "it is a DVD")


# What the pages say, and to whom


async def test_what_the_pages_say(season: Season, client: httpx.AsyncClient) -> None:
    assert "The register is empty." in (await client.get("", follow_redirects=True)).text
    assert written(season) == [], "looking writes nothing"
    five(season)
    texts = {
        path: (await client.get(path, follow_redirects=True)).text
        for path in ("", "/E1", "/E2", "/E4", "/E5")
    }
    assert SCRIPT not in "".join(texts.values())
    for path, words in (
        ("", "This may change: E5 is still to be tested."),
        ("", "screened: 1; does not comply: 2; to be tested: 1; withdrawn: 1"),
        ("", "asks for one &#34;&gt;&lt;script&gt;"),
        ("", "posted on 2010-06-08, after 2010-06-07"),
        ("", 'href="/board/E5"'),
        ("", "14:05"),
        ("/E5", "version 2"),
        ("/E5", "Bo: it is a DVD"),
        ("/E5", "nearly the same name"),
        ("/E5", "open</strong>"),
        ("/E2", "“No entry will be tested by contest management which requires"),
        ("/E2", "does not comply"),
        ("/E4", "Bo: he is ill"),
    ):
        assert words in texts[path], (path, words)
    assert (await client.get("/E1")).headers["cache-control"] == "no-store"


async def test_pages_are_the_organizers_alone(season: Season, client: httpx.AsyncClient) -> None:
    fill(season, "2010-05-14")
    assert (await client.get("/E9")).status_code == 303
    for path in ("/E9/change", "/E9/test", "/E9/withdraw"):
        for answer in (await client.get(path), await send(client, path[1:], TYPED)):
            assert answer.status_code == 303, path
    for path in ("/E1/burn", "/%3Cb%3E/test", "/..%2f..%2fetc", "/" + "x" * 500):
        assert (await client.get(path)).status_code in (303, 404)
    client.cookies.clear()
    for path in ("/E1", "/new", "/E1/test"):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/board/login")
    assert len(written(season)) == 1


@pytest.mark.parametrize("path", ["new", "E1/change", "E1/test", "E1/withdraw", "E1/restore"])
async def test_forms_are_taken_from_the_organizers_own_pages_alone(
    season: Season, client: httpx.AsyncClient, path: str
) -> None:
    fill(season, "2010-05-14")
    typed = {**TYPED, "reason": "because", "entrant": "Bo", "version": "1"}
    known = httpx.Cookies(client.cookies)
    client.cookies.clear()
    # A person who was logged out while typing has all of it still, and can go on.
    away = await client.post(f"/{path}", data={**typed, "form": "ended"})
    assert away.status_code == 401
    assert "You are logged out" in away.text
    assert dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', away.text)) == typed
    client.cookies = known
    old = await client.post(f"/{path}", data={**typed, "form": "old"})
    assert old.status_code == 403
    assert "from an old page" in old.text
    assert values(old.text)["by"] == "Ada"
    own = {**typed, "form": values(old.text)["form"]}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        foreign = await client.post(f"/{path}", data=own, headers=headers)
        assert foreign.status_code == 403
        assert "<form" not in foreign.text
    assert (await client.post(f"/{path}", data={**own, "note": "n" * 300_000})).status_code == 413
    assert (await client.post(f"/{path}", json=own)).status_code == 415
    assert len(written(season)) == 1


# The register


async def test_what_is_registered_is_what_the_command_registers(
    season: Season, client: httpx.AsyncClient
) -> None:
    empty = (await client.get("/new")).text
    assert set(FIELDS) - {"way", "present"} <= values(empty).keys()
    page = await done(client, "new", TYPED)
    assert "E1 is registered." in page
    brought = {name: text for name, text in texts_of(BROUGHT).items() if text != "no"}
    await done(client, "new", {**brought, "entrant": "Bo Li", "by": "Cy", "note": "x" * 2000})
    assert written(season) == [
        ("Ada", EntryRegistered("E1", 1, GOOD)),
        ("Cy", EntryRegistered("E2", 1, form(BROUGHT, entrant="Bo Li", note="x" * 2000))),
    ]
    # The name given last stands in the next form.
    assert values((await client.get("/new")).text)["by"] == "Cy"


async def test_all_that_is_wrong_is_said_at_once_beside_its_field(
    season: Season, client: httpx.AsyncClient
) -> None:
    wrong = {
        "entrant": (" ", "is empty; give who submits it"),
        "posted": ("31.5.2010", "'31.5.2010' is not a date; write year-month-day"),
        "received": ("2010-02-30", "'2010-02-30' is not a date"),
        "note": ("n" * 3000, "has 3000 characters; at most 2000 are allowed"),
        "by": ("", "is empty: it goes on record"),
    }
    typed = {**TYPED, "program": SCRIPT, **{name: text for name, (text, _) in wrong.items()}}
    answer = await send(client, "new", typed)
    assert answer.status_code == 400
    page = html.unescape(answer.text)
    assert "Nothing is written yet: 5 fields have to be looked at." in page
    for name, (_, said) in wrong.items():
        fault = re.search(rf'id="f-{name}-fault">(.*?)</p>', page)
        assert fault is not None, name
        assert said in fault[1]
    # The first one has the focus, and nothing has to be typed again.
    assert re.findall(r"<input[^>]*name=.(\w+)[^>]*autofocus", answer.text) == ["entrant"]
    assert values(answer.text).items() >= typed.items()
    assert SCRIPT not in answer.text
    typed = {**TYPED, "posted": "2010-05-10", "received": "2010-05-09"}
    page = html.unescape((await send(client, "new", typed)).text)
    assert "2010-05-09 is before it was posted, 2010-05-10" in page
    assert written(season) == []


async def test_rules_that_are_broken_are_quoted_beside_their_fields(
    season: Season, client: httpx.AsyncClient
) -> None:
    late = {**TYPED, "posted": "2010-06-08", "received": "2010-06-10", "media": "floppy disk"}
    answer = await send(client, "new", {**late, "check": "yes"})
    assert answer.status_code == 200
    page = html.unescape(answer.text)
    assert "Nothing is written yet." in page
    assert written(season) == []
    for name, said in (
        ("posted", "posted on 2010-06-08, after 2010-06-07 (rules 2010, section 1: “Entries must"),
        ("media", "submitted on 'floppy disk', not on CD, DVD or USB flash"),
    ):
        rule = re.search(rf'id="f-{name}-rule">(.*?)</ul>', page)
        assert rule is not None
        assert said in rule[1]
    assert values(answer.text).items() >= late.items()
    # It has come in: it is registered all the same.
    page = await done(client, "new", late)
    assert "E1 is registered; it breaks 2 rules, quoted below." in page
    # Somebody with two entries is named.
    clash = {**TYPED, "entrant": "ada  WILCOX"}
    answer = await send(client, "new", clash)
    assert answer.status_code == 409
    assert "of E2 are the same name" in answer.text
    assert values(answer.text).items() >= clash.items()


async def test_a_correction_is_a_new_version_of_what_differs(
    season: Season, client: httpx.AsyncClient
) -> None:
    fill(season, "2010-05-14")
    shown = values((await client.get("/E1/change")).text)
    assert (shown["posted"], shown["way"], shown["version"]) == ("2010-05-10 14:05", "1", "1")
    register.change(season, "E1", {"note": "n"}, "Cy", "told")
    fields = {name: text for name, text in shown.items() if name != "form"}
    mine = {**fields, "media": "DVD", "by": "Bo", "reason": "looked again"}
    answer = await send(client, "E1/change", mine)
    assert answer.status_code == 409
    page = html.unescape(answer.text)
    assert "Cy has changed E1 since this form was shown" in page
    assert "In the register: n" in page
    # The form that comes back is about the new version.
    again = {name: text for name, text in values(answer.text).items() if name != "form"}
    for change, said in (
        ({**fields, "version": "2", "note": "n", "reason": "x"}, "othing is said of E1"),
        ({"media": " CD ", "note": "n"}, "E1 is in the register as you say already"),
        ({"reason": ""}, "one field has to be looked at"),
    ):
        answer = await send(client, "E1/change", {**again, **change, "by": "Bo"})
        assert answer.status_code in (400, 409)
        assert said in html.unescape(answer.text), re.findall(r"note bad.*|fault.*", answer.text)
    page = await done(client, "E1/change", {**again, "note": "n", "proof": ""})
    assert "E1 is corrected; it breaks a rule, quoted below." in page
    before = form(GOOD, entrant="Person 111", program="Program 1", note="n")
    corrected = form(before, media="DVD", proof="")
    assert written(season)[-1] == ("Bo", EntryRegistered("E1", 3, corrected, "looked again"))


def test_what_is_not_touched_is_not_changed() -> None:
    # A name with a semicolon in it can't be told from two names on one line.
    held = read_form({**WRITTEN, "individuals": ["Li; Bo", "Cy"]})
    assert changed_in(texts_of(held), held) == {}
    assert changed_in(texts_of(held) | {"note": "x"}, held) == {"note": "x"}


async def test_withdrawn_and_taken_back(season: Season, client: httpx.AsyncClient) -> None:
    fill(season, "2010-05-14", "2010-05-15")
    answer = await send(client, "E1/withdraw", {"by": "Bo", "reason": " "})
    assert answer.status_code == 400
    assert "is empty: it goes on record" in answer.text
    why = {"by": "Bo", "reason": f"at her wish {SCRIPT}"}
    page = await done(client, "E1/withdraw", why)
    assert "E1 is withdrawn." in page
    assert "Take the withdrawal back" in page
    assert (await send(client, "E1/withdraw", why)).status_code == 409
    register.change(season, "E2", {"entrant": "Person 111"}, "Ada", "it is he")
    clash = await send(client, "E1/restore", why)
    assert clash.status_code == 409
    assert "is associated with E1 and E2" in clash.text
    register.change(season, "E2", {"entrant": "Person 222"}, "Ada", "it is not")
    assert "back in the register" in await done(client, "E1/restore", why)
    assert (await send(client, "E1/restore", why)).status_code == 409


# Tests


def seen(**more: str) -> dict[str, str]:
    """A form by which all that a person looks at is kept."""
    outcomes = {f"outcome-{id_}": "pass" for id_ in ASKED}
    reasons = {f"reason-{id_}": "" for id_ in ASKED}
    rest = {"tested": "2010-06-10", "by": "Ada", "document": "", "out_of_order": ""}
    return {**outcomes, **reasons, **rest, **more}


def document() -> str:
    """What check-bot writes of an entry that keeps the protocol."""
    cases = [{"id": case.id, "outcome": "pass"} for case in choose(())]
    return json.dumps({"cases": cases, "passed": True}, indent=2) + "\n"


async def test_a_test_goes_on_record_with_reason_and_person(
    season: Season, client: httpx.AsyncClient
) -> None:
    fill(season, "2010-05-14", "2010-05-15")
    assert values((await client.get("/E1/test")).text)["tested"] == str(dt.date.today())
    # A browser ends lines otherwise than the file does.
    typed = seen(document=document().replace("\n", "\r\n"), **{"outcome-path": "fail"})
    answer = await send(client, "E1/test", typed)
    assert answer.status_code == 400
    assert "fail needs a reason" in answer.text
    assert values(answer.text)["outcome-path"] == "fail"
    page = await done(client, "E1/test", {**typed, "reason-path": "asks for it"})
    assert "The test is on record: E1 does not comply." in page
    told = season.state.tests["E1"]
    assert (told["path"].outcome, told["path"].reason, told["path"].by) == (
        *("fail", "asks for it", "Ada"),
    )
    body = written(season)[-1][1]
    assert body.conformance.sha256 == hashlib.sha256(document().encode()).hexdigest()
    for change, said in (
        ({"document": "{}"}, "not a document of check-bot"),
        ({"tested": "soon"}, "not a date"),
        ({"outcome-path": "", "reason-path": "x"}, "no outcome is chosen for it"),
    ):
        answer = await send(client, "E2/test", seen(**change))
        assert answer.status_code == 400
        assert said in html.unescape(answer.text)
    nothing = {f"outcome-{id_}": "" for id_ in ASKED}
    answer = await send(client, "E2/test", seen(**nothing))
    assert "othing is said of E2" in html.unescape(answer.text)


async def test_a_test_out_of_turn_needs_a_reason(season: Season, client: httpx.AsyncClient) -> None:
    fill(season, "2010-05-14", "2010-05-15")
    assert "E1 was received before E2" in (await client.get("/E2/test")).text
    answer = await send(client, "E2/test", seen(document=document()))
    assert answer.status_code == 400
    assert "it is not this entry’s turn" in answer.text
    page = await done(client, "E2/test", seen(document=document(), out_of_order="her visit"))
    assert "The test is on record: E2 complies." in page
    assert season.state.out_of_order == {"E2": "her visit"}
