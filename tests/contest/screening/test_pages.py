"""Tests the season in browsers: the organizer's forms, their refusals, and that refusals keep typed
text.

Markers' pages are in test_marking.py.
"""

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
from contest.record.season import ComplianceTested, EntryRegistered, EntryWithdrawn, ItemTested
from contest.screening.pages import season_site
from contest.screening.register import ASKED, FIELDS, SENTENCES, texts_of
from contest.screening.season import Season
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.contest.german import english_in
from tests.contest.screening.seasons import (
    BROUGHT,
    GOOD,
    PASSED,
    SPEAKS,
    WRITTEN,
    add,
    change,
    form,
    season_body,
)

SCRIPT = '"><script>alert(1)</script>'
#: The fields of an entry that complies with all rules.
TYPED = {**WRITTEN, "platforms": "Windows XP", "by": "Ada"}


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    with Season(folder.make(tmp_path / "contest").parent) as made:
        yield made


@pytest.fixture
async def client(season: Season) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client, logged in as the organizer."""
    site = season_site(season)
    async with (
        serving(site.app(), "127.0.0.1", 0, access=site.access) as address,
        httpx.AsyncClient(verify=False, base_url=f"http://{address}/board") as made,
    ):
        answer = await made.post("/login", data={"code": site.codes["organizer"]})
        assert answer.status_code == 303
        yield made


async def send(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> httpx.Response:
    """Sends a form as this client's page does."""
    token = values((await client.get("/new")).text)["form"]
    return await client.post(f"/{path}", data={"form": token, **fields})


async def done(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> str:
    """Sends a form that is accepted; returns the next page."""
    answer = await send(client, path, fields)
    assert answer.status_code == 303, html.unescape(answer.text)
    return html.unescape((await client.get(answer.headers["location"][len("/board") :])).text)


async def refused(
    client: httpx.AsyncClient, path: str, fields: Mapping[str, str], status: int = 400
) -> str:
    """Sends a form that is refused; returns the page, which still has the typed text."""
    answer = await send(client, path, fields)
    assert answer.status_code == status
    kept = values(answer.text)
    typed = {name: text for name, text in fields.items() if name in kept and name != "version"}
    assert kept.items() >= typed.items()
    assert SCRIPT not in answer.text
    return html.unescape(answer.text)


def home(client: httpx.AsyncClient) -> str:
    """The address of the first page."""
    return f"{client.base_url}".rstrip("/")


def values(page: str) -> dict[str, str]:
    """The values of the fields in a page's forms."""
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
    """The actors and kinds of events, without opening and settings."""
    if not (season.folder / "record.db").exists():
        return []
    events = [(e, season_body(e)) for e in season.record.events()]
    return [(e.actor, body) for e, body in events if not e.kind.startswith("season-")]


def five(season: Season) -> None:
    """Five entries: one complies, one needs a path, one is late, one is withdrawn, one is
    untested."""
    for name, posted in (
        ("Ann Lee", "2010-05-10 14:05"),
        ("Bo " + "very " * 9 + "long", "2010-05-11"),
        (SCRIPT, "2010-06-08"),
        ("Dee", "2010-05-12"),
        ("Anne Lee", "2010-05-13"),
    ):
        typed = {**WRITTEN, "entrant": name, "posted": posted, "received": "2010-06-10"}
        add(season, {**typed, "program": f"{name[:3]}bot", "note": SCRIPT})
    day, all_ = dt.date(2010, 6, 11), {**PASSED, "runs": ItemTested("pass")}
    path = {"path": ItemTested("fail", f"asks for one {SCRIPT}")}
    season.write("Ada", ComplianceTested("E1", day, all_, SPEAKS))
    season.write("Ada", ComplianceTested("E2", day, path))
    season.write("Bo", EntryWithdrawn("E4", "he is ill"))
    change(season, "E5", {"media": "DVD"}, "Bo", "it is a DVD")


async def test_the_pages_show_the_season(season: Season, client: httpx.AsyncClient) -> None:
    assert "The register is empty." in (await client.get(home(client))).text
    assert written(season) == [], "reading writes nothing"
    five(season)
    for path, words in {
        "": ["This may change: E5 is still to be tested.", "asks for one &#34;&gt;&lt;script&gt;",
             "posted on 2010-06-08, after 2010-06-07", 'href="/board/E5/test"', "14:05"],
        "/E5": ["Bo: it is a DVD", "nearly the same name", "open</strong>"],
        "/E2": ["“No entry will be tested by contest management which requires", "does not comply"],
        "/E4": ["Bo: he is ill"],
        "/E1": ["complies"],
    }.items():  # fmt: skip
        answer = await client.get(path or home(client))
        assert SCRIPT not in answer.text
        assert [each for each in words if each not in answer.text] == []
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["new", "E1/change", "E1/test", "E1/withdraw", "E1/restore"])
async def test_forms_are_accepted_only_from_the_organizers_pages(
    season: Season, client: httpx.AsyncClient, path: str
) -> None:
    add(season, WRITTEN)
    assert (await client.get(f"/{path.replace('E1', 'E9')}")).status_code in (200, 303)
    typed = {**TYPED, "reason": "because", "entrant": "Bo", "version": "1"}
    known = httpx.Cookies(client.cookies)
    client.cookies.clear()
    assert (await client.get(f"/{path}")).headers["location"] == "/board/login"
    # A person who was logged out while typing still has the text, and can continue.
    away = await client.post(f"/{path}", data={**typed, "form": "ended"})
    assert (away.status_code, "have been logged out" in away.text) == (401, True)
    assert dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', away.text)) == typed
    client.cookies = known
    old = await client.post(f"/{path}", data={**typed, "form": "old"})
    assert (old.status_code, "from an old page" in old.text) == (403, True)
    assert values(old.text)["by"] == "Ada"
    own = {**typed, "form": values(old.text)["form"]}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        foreign = await client.post(f"/{path}", data=own, headers=headers)
        assert (foreign.status_code, "<form" in foreign.text) == (403, False)
    assert (await client.post(f"/{path}", data={**own, "note": "n" * 300_000})).status_code == 413
    assert len(written(season)) == 1


async def test_an_entry_is_registered_as_by_the_command(
    season: Season, client: httpx.AsyncClient
) -> None:
    assert set(FIELDS) - {"way", "present"} <= values((await client.get("/new")).text).keys()
    assert "E1 is registered." in await done(client, "new", TYPED)
    brought = {**texts_of(BROUGHT), "entrant": "Bo Li", "by": "Cy", "note": "x" * 2000}
    await done(client, "new", brought)
    assert written(season) == [
        ("Ada", EntryRegistered("E1", 1, GOOD)),
        ("Cy", EntryRegistered("E2", 1, form(BROUGHT, entrant="Bo Li", note="x" * 2000))),
    ]
    # The next form has the last name given.
    assert values((await client.get("/new")).text)["by"] == "Cy"
    page = await refused(client, "new", {**TYPED, "entrant": "ada  WILCOX"}, 409)
    assert "of E1 and 'ada WILCOX' of E3 are the same name" in page


async def test_all_faults_are_shown_beside_their_fields(
    season: Season, client: httpx.AsyncClient
) -> None:
    wrong = {
        "entrant": (" ", "is empty; give the name of"),
        "posted": ("31.5.2010", "'31.5.2010' is not a date; write year-month-day"),
        "note": ("n" * 3000, "has 3000 characters; at most 2000 are allowed"),
    }
    typed = {**TYPED, "program": SCRIPT, **{name: text for name, (text, _) in wrong.items()}}
    page = await refused(client, "new", typed)
    assert "Nothing was saved: 3 fields need to be corrected." in page
    for name, (_, said) in wrong.items():
        fault = re.search(rf'id="f-{name}-fault">(.*?)</p>', page)
        assert fault is not None, name
        assert said in fault[1]
    # The first faulty field has the focus.
    assert re.findall(r"<input[^>]*name=.(\w+)[^>]*autofocus", page) == ["entrant"]
    assert "is empty; give" in await refused(client, "new", {**TYPED, "by": ""})
    assert written(season) == []
    # An entry that breaks a rule is registered anyway, and the rule is quoted.
    page = await done(client, "new", {**TYPED, "media": "floppy disk"})
    assert "submitted on 'floppy disk', not on CD, DVD or USB flash" in page


async def test_a_correction_records_only_changed_fields(
    season: Season, client: httpx.AsyncClient
) -> None:
    # A name with a semicolon looks like two names, so unchanged fields are left alone.
    add(season, {**WRITTEN, "individuals": ["Li; Bo", "Cy"]})
    shown = values((await client.get("/E1/change")).text)
    assert (shown["posted"], shown["way"], shown["version"]) == ("2010-05-10 14:05", "1", "1")
    change(season, "E1", {"note": "n"}, "Cy", "told")
    fields = {name: text for name, text in shown.items() if name not in ("form", "version")}
    mine = {**fields, "media": "DVD", "by": "Bo", "reason": "looked again"}
    page = await refused(client, "E1/change", {**mine, "version": "1"}, 409)
    assert "E1 has changed since this form was opened" in page
    mine["version"] = values(page)["version"]
    page = await refused(client, "E1/change", {**mine, "reason": " "})
    assert "is empty; give" in page
    assert "E1 is corrected." in await done(client, "E1/change", {**mine, "note": "n"})
    corrected = form(GOOD, media="DVD", note="n", individuals=("Li; Bo", "Cy"))
    assert written(season)[-1] == ("Bo", EntryRegistered("E1", 3, corrected, "looked again"))


async def test_an_entry_is_withdrawn_and_restored(
    season: Season, client: httpx.AsyncClient
) -> None:
    add(season, WRITTEN)
    why = {"by": "Bo", "reason": f"at her wish {SCRIPT}"}
    assert "is empty" in await refused(client, "E1/withdraw", {**why, "reason": " "})
    page = await done(client, "E1/withdraw", why)
    assert "E1 is withdrawn." in page
    assert "Undo the withdrawal" in page
    await refused(client, "E1/withdraw", why, 409)
    assert "back in the register" in await done(client, "E1/restore", why)
    await refused(client, "E1/restore", why, 409)


def seen(**more: str) -> dict[str, str]:
    """The fields of a passed test."""
    outcomes = {f"outcome-{id_}": "pass" for id_ in ASKED}
    rest = {"tested": "2010-06-10", "by": "Ada", "document": "", "out_of_order": ""}
    return {**outcomes, **rest, **more}


def document() -> str:
    """check-bot's document for an entry that follows the protocol."""
    cases = [{"id": case.id, "outcome": "pass"} for case in choose(())]
    return json.dumps({"cases": cases, "passed": True}, indent=2) + "\n"


async def test_a_test_is_recorded_with_reason_and_person(
    season: Season, client: httpx.AsyncClient
) -> None:
    for name, day in (("Ann", "2010-05-14"), ("Bo", "2010-05-15")):
        add(season, {**WRITTEN, "entrant": name, "received": day})
    assert values((await client.get("/E1/test")).text)["tested"] == str(dt.date.today())
    assert "E1 was received before E2" in (await client.get("/E2/test")).text
    for path, changed, said in (
        ("E2/test", {}, "another entry must be tested first"),
        ("E1/test", {"outcome-path": "fail"}, "fail needs a reason"),
        ("E1/test", {"document": "{}"}, "not a document of check-bot"),
        ("E1/test", {"tested": "soon"}, "not a date"),
        ("E1/test", {"outcome-path": "", "reason-path": "x"}, "is not an outcome"),
        ("E1/test", {f"outcome-{id_}": "" for id_ in ASKED}, "o result for E1"),
    ):
        assert said in await refused(client, path, seen(**changed))
    # A browser's line ends differ from the file's.
    typed = seen(document=document().replace("\n", "\r\n"))
    failed = {**typed, "outcome-path": "fail", "reason-path": "asks for it"}
    assert "The test of E1 is recorded." in await done(client, "E1/test", failed)
    told = season.state.tests["E1"]["path"]
    assert (told.outcome, told.reason, told.by) == ("fail", "asks for it", "Ada")
    body = written(season)[-1][1]
    assert body.conformance.sha256 == hashlib.sha256(document().encode()).hexdigest()
    add(season, {**WRITTEN, "entrant": "Cy", "received": "2010-05-16"})
    await done(client, "E3/test", {**typed, "out_of_order": "her visit"})
    assert season.state.out_of_order == {"E3": "her visit"}


# German


def german(page: str) -> list[str]:
    """The English in a page, apart from the sentences of the rules."""
    for sentence in SENTENCES.values():
        page = page.replace(sentence, "").replace(html.escape(sentence), "")
    return english_in(page)


def faulty(season: Season) -> None:
    """Entries with every fault and remark, with German data."""
    texts = {**WRITTEN, "entrant": "Ann Lee", "note": "nichts"}
    way = {"way": "3", "present": "no", "command": ""}
    late = {"posted": "2010-06-09", "received": "2010-07-05", "service": "", "media": "Band"}
    dates = {"testing": "2010-07-09", "agreed": "2010-06-07"}
    add(season, {**texts, "posted": "2010-05-02", "platforms": "Amiga; Atari"})
    add(season, {**texts, **way, **late, **dates, "entrant": "Anne Lee"})
    add(season, {**texts, **way, "entrant": "Bo", "testing": "", "agreed": "", "media": ""})
    add(season, {**texts, "entrant": "Cy", "proof": "", "platforms": "", "received": "2010-06-10"})
    add(season, {**texts, "entrant": "Dee", "posted": "2010-05-12 10:00"})
    day = dt.date(2010, 7, 10)
    fails = {"path": ItemTested("fail", "fragt danach")}
    season.write("Ada", ComplianceTested("E2", day, fails, SPEAKS, "Termin"))
    season.write("Ada", ComplianceTested("E5", day, {**PASSED, "runs": PASSED["path"]}, SPEAKS))
    season.write("Ada", EntryWithdrawn("E4", "krank"))


async def test_the_pages_are_in_the_organizers_language(
    season: Season, client: httpx.AsyncClient
) -> None:
    assert german((await client.get(home(client), params={"lang": "de"})).text) == []
    faulty(season)
    entries = (f"/E{number}" for number in range(1, 6))
    forms = ("/new", *(f"/E3/{name}" for name in ("change", "test", "withdraw")), "/E4/restore")
    for path in (home(client), *entries, *forms):
        page = (await client.get(path)).text
        assert '<html lang="de">' in page
        assert german(page) == [], path
    wrong = {**TYPED, "entrant": " ", "posted": "31.5.", "note": "n" * 3000, "program": "?"}
    page = await refused(client, "new", wrong)
    assert "Nichts wurde gespeichert: 4 Felder müssen berichtigt werden." in page
    assert "ist leer; nötig ist: wer es einreicht" in page
    assert german(page) == []
    typed = seen(**{"reason-path": "fragt danach"})
    contradiction = json.loads(document()) | {"passed": False}
    for path, fields, status in (
        ("new", {**TYPED, "entrant": "Bo"}, 409),
        ("E4/restore", {"by": "Ada", "reason": ""}, 400),
        ("E4/withdraw", {"by": "Ada", "reason": "krank"}, 409),
        ("E3/restore", {"by": "Ada", "reason": "da"}, 409),
        ("E3/change", {**TYPED, "reason": "x", "version": "9"}, 409),
        *(
            ("E1/test", {**typed, **changed}, 400)
            for changed in (
                {"outcome-path": "fail", "reason-path": ""},
                {"outcome-path": "fail", "reason-path": "\x07"},
                *({"document": text} for text in ("{}", "{", json.dumps(contradiction))),
                {"document": document().replace("3/answers", "3/waits")},
                {"document": document().replace("3/answers", "3/replies")},
                {"tested": "bald"},
                {f"outcome-{id_}": "" for id_ in ASKED},
            )
        ),
        ("E4/test", typed, 409),
    ):
        assert german(await refused(client, path, fields, status)) == [], path
    page = await done(client, "new", {**TYPED, "entrant": "Cy"})
    assert "E6 ist aufgenommen." in page
    assert german(page) == []
    client.cookies.clear()
    away = await client.post("/new", data=TYPED, headers={"Accept-Language": "de"})
    assert german(away.text) == []
