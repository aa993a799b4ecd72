"""The season's forms on the board: what they write, what they refuse, and that nothing that was
typed is lost by it."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import html
import json
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from contest.net.codes import CodeTable
from contest.net.login import HOME, Entrance, Session
from contest.net.web import Porter, guarded, serving
from contest.organizer.season import GROUPS, SeasonPages, changed_in
from contest.pages import respond
from contest.record.events import Event
from contest.record.season import EntryRegistered
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.screening import register
from contest.screening.compliance import ITEMS, PERSON
from contest.screening.register import FIELDS, read_form, texts_of
from contest.screening.season import Season, read
from contest.screening.state import body_of
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.contest.screening.seasons import BROUGHT, GOOD, WRITTEN, add, form

SCRIPT = '"><script>alert(1)</script>'
#: What is typed of an entry that keeps all rules.
TYPED = {**WRITTEN, "platforms": "Windows XP", "by": "Ada"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A contest's folder."""
    return folder.make(tmp_path / "contest").parent


@pytest.fixture
async def client(place: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The organizer's browser, more or less, logged in at pages of that contest alone."""
    porter = Porter()
    way = Entrance(porter, CodeTable({}), "A contest", lambda: None)

    def show(template: str, page: str, session: Session, **context: Any) -> web.Response:
        said, session.said = session.said, None
        frame = {"title": "A contest", "who": session.who, "form": session.form, "said": said}
        return respond(f"organizer/{template}", {**frame, "page": page, **context}, secret=True)

    pages = SeasonPages(place, show)
    routes = [
        *(web.get(HOME + at, way.open_to(page)) for at, page in pages.routes().items()),
        *(web.post(HOME + at, form) for at, form in pages.forms(way).items()),
    ]
    async with (
        serving(guarded(routes, porter), "127.0.0.1", 0, porter=porter) as address,
        httpx.AsyncClient(
            base_url=f"http://{address}",
            cookies={f"board-{address.rpartition(':')[2]}": way.sessions.open("organizer")},
        ) as made,
    ):
        yield made


async def token(client: httpx.AsyncClient) -> str:
    """What the forms of this visitor's pages bring back."""
    return values((await client.get("/board/season/new")).text)["form"]


async def send(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> httpx.Response:
    """Sends a form as a page of this visitor's does."""
    data = {"form": await token(client), **fields}
    return await client.post(f"/board/season/{path}", data=data)


async def done(client: httpx.AsyncClient, path: str, fields: Mapping[str, str]) -> str:
    """Sends a form that is taken, and gives the page that comes of it."""
    answer = await send(client, path, fields)
    assert answer.status_code == 303, answer.text
    return html.unescape((await client.get(answer.headers["location"])).text)


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


def events(place: Path) -> list[Event]:
    """What the season's record holds of people's doing."""
    if not (place / FILE_NAME).exists():
        return []
    with Record(sqlite_url(place / FILE_NAME)) as record:
        return [event for event in record.events() if not event.kind.startswith("season-")]


def written(place: Path) -> list[tuple[str, str, Any]]:
    """The same: kind, who, body."""
    return [(event.kind, event.actor, event.body) for event in events(place)]


def registrations(place: Path) -> list[tuple[str, EntryRegistered]]:
    """Who has registered what."""
    found = [(event.actor, body_of(event)) for event in events(place)]
    return [(who, body) for who, body in found if isinstance(body, EntryRegistered)]


def fill(place: Path, *received: str) -> None:
    """Entries that keep all rules, received on these days."""
    with Season(place) as season:
        for nth, day in enumerate(received, 1):
            names = {"entrant": f"Person {nth * 111}", "program": f"Program {nth}"}
            add(season, {**WRITTEN, **names, "received": day})


# The register


async def test_what_is_registered_is_what_the_command_registers(
    place: Path, client: httpx.AsyncClient
) -> None:
    empty = (await client.get("/board/season/new")).text
    assert set(FIELDS) - {"way", "present"} <= values(empty).keys()
    assert not (place / FILE_NAME).exists(), "looking writes nothing"
    page = await done(client, "new", TYPED)
    assert "E1 is registered." in page
    brought = {name: text for name, text in texts_of(BROUGHT).items() if text != "no"}
    await done(client, "new", {**brought, "entrant": "Bo Li", "by": "Cy"})
    assert [(kind, who) for kind, who, _ in written(place)] == [
        ("entry-registered", "Ada"),
        ("entry-registered", "Cy"),
    ]
    assert [body for _, body in registrations(place)] == [
        EntryRegistered("E1", 1, GOOD),
        EntryRegistered("E2", 1, form(BROUGHT, entrant="Bo Li")),
    ]
    # Who has given a name once, finds it in the next form.
    assert values((await client.get("/board/season/new")).text)["by"] == "Cy"


async def test_all_that_is_wrong_is_said_at_once_beside_its_field(
    place: Path, client: httpx.AsyncClient
) -> None:
    typed = {
        **TYPED,
        "program": SCRIPT,
        "entrant": " ",
        "posted": "31.5.2010",
        "received": "2010-02-30",
        "command": "suzette",
        "note": "n" * 3000,
        "by": "",
    }
    answer = await send(client, "new", typed)
    assert answer.status_code == 400
    page = html.unescape(answer.text)
    assert "Nothing is written yet: 5 fields have to be looked at." in page
    for name, said in (
        ("entrant", "is empty; give who submits it"),
        ("posted", "'31.5.2010' is no date; write year-month-day"),
        ("received", "day is out of range"),
        ("note", "has 3000 characters; 2000 are taken at most"),
        ("by", "is empty: it goes on record"),
    ):
        fault = re.search(rf'id="f-{name}-fault">(.*?)</p>', page)
        assert fault is not None, name
        assert said in fault[1]
    # The first one has the focus, and nobody has to type anything anew.
    assert re.findall(r"<input[^>]*name=.(\w+)[^>]*autofocus", answer.text) == ["entrant"]
    assert values(answer.text).items() >= typed.items()
    assert SCRIPT not in answer.text
    assert not (place / FILE_NAME).exists()
    # What does not go together is said when all of it can be read.
    typed |= {"entrant": "Ann", "posted": "2010-05-10", "received": "2010-05-09", "note": ""}
    page = html.unescape((await send(client, "new", {**typed, "by": "Ada"})).text)
    assert "2010-05-09 is before it was posted, 2010-05-10" in page


async def test_rules_that_are_broken_are_quoted_beside_their_fields(
    place: Path, client: httpx.AsyncClient
) -> None:
    late = {**TYPED, "posted": "2010-06-08", "received": "2010-06-10", "media": "floppy disk"}
    answer = await send(client, "new", {**late, "check": "yes"})
    assert answer.status_code == 200
    page = html.unescape(answer.text)
    assert "Nothing is written yet." in page
    assert not (place / FILE_NAME).exists()
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
    assert "“Entries must be mailed on or after 3 May 2010" in page


def test_each_field_stands_in_a_group() -> None:
    assert {name for names in GROUPS.values() for name in names} == set(FIELDS)


async def test_somebody_with_two_entries_is_asked_about(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    typed = {**TYPED, "entrant": "person 111"}
    answer = await send(client, "new", typed)
    assert answer.status_code == 409
    assert "&#39;person 111&#39; of E2 are the same name" in answer.text
    assert values(answer.text).items() >= typed.items()
    assert len(written(place)) == 1
    page = await done(client, "new", {**typed, "anyway": "father and son"})
    assert "E2 is registered; it breaks a rule, quoted below." in page
    assert written(place)[-1][2]["reason"] == "father and son"


async def test_a_correction_is_a_new_version_of_what_differs(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    with Season(place) as season:
        register.change(season, "E1", {"note": "n"}, "Ada", "told")
    page = (await client.get("/board/season/E1/change")).text
    shown = values(page)
    assert shown["posted"] == "2010-05-10 14:05"
    assert shown["way"] == "1"
    fields = {name: text for name, text in shown.items() if name != "form"}
    for change, said in (
        ({}, "E1 stands in the register like this already"),
        ({"media": " CD "}, "E1 is in the register as you say already"),
        ({"media": "DVD", "reason": ""}, "one field has to be looked at"),
    ):
        typed = {**fields, "by": "Bo", "reason": "looked again", **change}
        answer = await send(client, "E1/change", typed)
        assert answer.status_code in (400, 409)
        assert said in answer.text
        assert values(answer.text).items() >= typed.items()
    refused = await send(client, "E1/change", {**fields, "media": "DVD", "by": "", "reason": "x"})
    assert "In the register: CD" in refused.text
    typed = {**fields, "media": "DVD", "proof": "", "by": "Bo", "reason": "looked again"}
    page = await done(client, "E1/change", typed)
    assert "E1 is corrected; it breaks a rule, quoted below." in page
    before = form(GOOD, entrant="Person 111", program="Program 1", note="n")
    assert registrations(place)[-1] == (
        "Bo",
        EntryRegistered("E1", 3, form(before, media="DVD", proof=""), "looked again"),
    )


def test_what_is_not_touched_is_not_changed() -> None:
    # Names with a semicolon in them come from files; a line can't tell them from two names.
    held = read_form({**WRITTEN, "individuals": ["Li; Bo", "Cy"]})
    assert changed_in(texts_of(held), held) == {}
    assert changed_in(texts_of(held) | {"note": "x"}, held) == {"note": "x"}


async def test_who_comes_second_is_told_and_overwrites_nothing(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    shown = values((await client.get("/board/season/E1/change")).text)
    with Season(place) as season:
        register.change(season, "E1", {"media": "DVD"}, "Cy", "it is a DVD")
    mine = {**shown, "note": "torn", "by": "Bo", "reason": "seen"}
    answer = await send(client, "E1/change", mine)
    assert answer.status_code == 409
    page = html.unescape(answer.text)
    assert "E1 has version 2 by now, of Cy: it is a DVD." in page
    assert "In the register: DVD" in page
    assert values(answer.text)["note"] == "torn"
    assert len(written(place)) == 2
    # The form that comes back is about the new version.
    again = {**values(answer.text), "media": "DVD"}
    await done(client, "E1/change", {name: text for name, text in again.items() if name != "form"})
    assert (
        written(place)[-1][2]["form"] | {"media": "DVD", "note": "torn"}
        == (written(place)[-1][2]["form"])
    )


async def test_withdrawn_and_taken_back(place: Path, client: httpx.AsyncClient) -> None:
    fill(place, "2010-05-14", "2010-05-15")
    for path in ("E1/withdraw", "E1/restore"):
        assert (await client.get(f"/board/season/{path}")).status_code == 200
    answer = await send(client, "E1/withdraw", {"by": "Bo", "reason": " "})
    assert answer.status_code == 400
    assert "is empty: it goes on record" in answer.text
    assert values(answer.text)["by"] == "Bo"
    why = {"by": "Bo", "reason": f"at her wish {SCRIPT}"}
    page = await done(client, "E1/withdraw", why)
    assert "E1 is withdrawn." in page
    assert "Take the withdrawal back" in page
    assert (await send(client, "E1/withdraw", why)).status_code == 409
    with Season(place) as season:
        register.change(season, "E2", {"entrant": "Person 111"}, "Ada", "it is he")
    clash = await send(client, "E1/restore", {"by": "Bo", "reason": "a mistake"})
    assert clash.status_code == 409
    assert "is associated with E1 and E2" in clash.text
    with Season(place) as season:
        register.change(season, "E2", {"entrant": "Person 222"}, "Ada", "it is not")
    assert "back in the register" in await done(
        client, "E1/restore", {"by": "Bo", "reason": "a mistake"}
    )
    assert (await send(client, "E1/restore", why)).status_code == 409
    assert [kind for kind, _, _ in written(place)].count("entry-withdrawn") == 1


# Tests


def seen(**more: str) -> dict[str, str]:
    """A form by which all that a person looks at is kept."""
    asked = [item.id for item in ITEMS.values() if item.source == PERSON]
    return {
        **{f"outcome-{id_}": "pass" for id_ in asked},
        **{f"reason-{id_}": "" for id_ in asked},
        "tested": "2010-06-10",
        "by": "Ada",
        "document": "",
        "out_of_order": "",
        **more,
    }


def document() -> str:
    """What check-bot writes of an entry that keeps the protocol."""
    cases = [{"id": case.id, "outcome": "pass"} for case in choose(())]
    return json.dumps({"cases": cases, "passed": True}, indent=2) + "\n"


async def test_a_test_goes_on_record_with_reason_and_person(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    page = (await client.get("/board/season/E1/test")).text
    assert values(page)["tested"] == str(dt.date.today())
    some = {"outcome-path": "fail", "reason-path": f"asks for one {SCRIPT}", "tested": "2010-06-10"}
    page = await done(client, "E1/test", {**some, "by": "Bo"})
    assert "The test is on record: E1 does not comply." in page
    # What is not chosen is not touched; the latest word counts.
    shown = (await client.get("/board/season/E1/test")).text
    assert SCRIPT not in shown
    assert "as it is: fail" in shown
    page = await done(client, "E1/test", seen())
    assert "The test is on record: E1 is open: lpp." in page
    # The digest is that of the file, whatever a browser does to its lines.
    pasted = document().replace("\n", "\r\n")
    page = await done(client, "E1/test", {"document": pasted, "tested": "2010-06-11", "by": "Cy"})
    assert "E1 complies" in page
    tests = [each for each in written(place) if each[0] == "compliance-tested"]
    assert [who for _, who, _ in tests] == ["Bo", "Ada", "Cy"]
    assert tests[0][2]["items"] == {"path": {"outcome": "fail", "reason": f"asks for one {SCRIPT}"}}
    assert tests[2][2]["conformance"]["sha256"] == hashlib.sha256(document().encode()).hexdigest()
    assert len(tests[2][2]["conformance"]["cases"]["pass"]) == len(list(choose(())))


async def test_a_test_that_can_not_be_used_is_kept_in_the_form(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    typed = seen(
        **{
            "outcome-path": "fail",
            "outcome-runs": "",
            "reason-runs": "it crashed",
            "outcome-browse": "perhaps",
            "tested": "June",
            "document": '{"cases": []}',
            "by": "",
        }
    )
    answer = await send(client, "E1/test", typed)
    assert answer.status_code == 400
    page = html.unescape(answer.text)
    for said in (
        "fail needs a reason",
        "nothing is chosen that it is for",
        "'perhaps' is no outcome",
        "'June' is no date",
        "what is pasted: this is no document of check-bot",
        "6 fields have to be looked at",
    ):
        assert said in page
    kept = values(answer.text)
    assert kept["reason-runs"] == "it crashed"
    assert kept["document"] == '{"cases": []}'
    assert kept["outcome-path"] == "fail"
    assert kept["outcome-programs"] == "pass"
    nothing = dict.fromkeys(seen(), "") | {"tested": "2010-06-10", "by": "Ada"}
    answer = await send(client, "E1/test", nothing)
    assert "for nothing is said" in answer.text
    early = await send(client, "E1/test", seen(tested="2010-05-01"))
    assert early.status_code == 409
    assert "was received on 2010-05-14" in early.text
    assert values(early.text)["outcome-path"] == "pass"
    assert len(written(place)) == 1


async def test_whoever_was_received_first_is_tested_first(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-15", "2010-05-14")
    assert "Test E2, the next in the order of receipt" in (await client.get("/board/season")).text
    page = html.unescape((await client.get("/board/season/E1/test")).text)
    assert "E2 was received before E1 and is to be tested first (rules 2010, section 1:" in page
    answer = await send(client, "E1/test", seen())
    assert answer.status_code == 400
    assert "it is not this entry’s turn" in answer.text
    assert "--out-of-order" not in answer.text
    assert values(answer.text)["outcome-path"] == "pass"
    page = await done(client, "E1/test", seen(out_of_order="her appointment"))
    assert "tested out of the order of receipt: her appointment" in page
    # Whoever was begun with is gone on with.
    assert "before E1" not in (await client.get("/board/season/E1/test")).text


async def test_an_entry_that_brings_a_computer_is_not_asked_whether_it_runs(
    place: Path, client: httpx.AsyncClient
) -> None:
    with Season(place) as season:
        add(season, texts_of(BROUGHT))
    assert "outcome-runs" not in (await client.get("/board/season/E1/test")).text
    answer = await send(client, "E1/test", seen())
    assert answer.status_code == 400
    assert "Runs is not asked of E1" in answer.text
    await done(client, "E1/withdraw", {"by": "Bo", "reason": "ill"})
    assert "It is withdrawn" in (await client.get("/board/season/E1/test")).text
    assert (
        "E1 is withdrawn (ill)"
        in (await send(client, "E1/test", seen(**{"outcome-runs": ""}))).text
    )


# One at a time, and nobody else


async def test_a_season_that_a_command_writes_is_left_alone(
    place: Path, client: httpx.AsyncClient
) -> None:
    fill(place, "2010-05-14")
    with Season(place):
        answer = await send(client, "new", TYPED)
        assert answer.status_code == 409
        assert "a command of `loebner screen` holds the season just now" in answer.text
        assert values(answer.text).items() >= TYPED.items()
        late = await send(client, "E1/test", seen(document=document()))
        assert late.status_code == 409
        assert values(late.text)["document"] == document()
    assert len(written(place)) == 1
    await done(client, "new", TYPED)


async def test_forms_that_come_at_once_are_taken_one_after_another(
    place: Path, client: httpx.AsyncClient
) -> None:
    names = ["Ann", "Bob", "Cyrus", "Dora", "Emil", "Fay"]
    answers = await asyncio.gather(
        *(send(client, "new", {**TYPED, "entrant": f"{name} {name}son"}) for name in names)
    )
    assert {answer.status_code for answer in answers} == {303}
    found = written(place)
    assert [body["entry"] for _, _, body in found] == [f"E{nth}" for nth in range(1, 7)]
    assert {body["form"]["entrant"] for _, _, body in found} == {f"{n} {n}son" for n in names}


@pytest.mark.parametrize("path", ["new", "E1/change", "E1/test", "E1/withdraw", "E1/restore"])
async def test_forms_are_taken_from_the_organizers_own_pages_alone(
    place: Path, client: httpx.AsyncClient, path: str
) -> None:
    fill(place, "2010-05-14")
    before = written(place)
    typed = {**TYPED, "reason": "because", "entrant": "Bo", "version": "1"}
    address = f"/board/season/{path}"
    known = client.cookies
    client.cookies = httpx.Cookies()
    answer = await client.get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/board/login")
    # Who was logged out while he typed has all of it still, and can go on when he is back.
    away = await client.post(address, data={**typed, "form": "ended"})
    assert away.status_code == 401
    assert "You are logged out" in away.text
    hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', away.text)
    assert dict(hidden) == typed
    client.cookies = known
    # A form of an old page: refused, with all that was typed, and of this page from now on.
    old = await client.post(address, data={**typed, "form": "old"})
    assert old.status_code == 403
    assert "of an old page" in old.text
    assert values(old.text)["by"] == "Ada"
    assert values(old.text)["form"] == await token(client)
    own = {**typed, "form": await token(client)}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        foreign = await client.post(address, data=own, headers=headers)
        assert foreign.status_code == 403
        # What another site has made up is not put into a form of ours.
        assert "<form" not in foreign.text
    large = await client.post(address, data={**own, "note": "n" * 300_000})
    assert large.status_code == 413
    strange = await client.post(address, json=own)
    assert strange.status_code == 415
    assert (await client.post(address, data=own, headers={"Accept": "x"})).headers[
        "cache-control"
    ] == "no-store"
    assert len(written(place)) <= len(before) + 1


async def test_what_there_is_not(place: Path, client: httpx.AsyncClient) -> None:
    fill(place, "2010-05-14")
    for path in ("E9/change", "E9/test", "E9/withdraw", "E1/burn", "%3Cb%3E/test"):
        for answer in (
            await client.get(f"/board/season/{path}"),
            await send(client, path, {**TYPED, "reason": "x", "check": "yes"}),
            await send(client, path, {**TYPED, "reason": "x"}),
        ):
            assert (answer.status_code, answer.headers["location"]) == (303, "/board/season"), path
        assert 'class="note bad"' in (await client.get("/board/season")).text
    assert (await client.get("/board/season/E1/test/more")).status_code == 404
    assert len(written(place)) == 1
    own = await token(client)
    (place / FILE_NAME).write_bytes(b"no database" * 200)
    for path in ("new", "E1/change"):
        answer = await client.post(f"/board/season/{path}", data={**TYPED, "form": own})
        assert answer.status_code == 500
        assert "can&#39;t be read" in answer.text
        assert '<input type="hidden" name="entrant" value="Ada Wilcox">' in answer.text
        assert (await client.get(f"/board/season/{path}")).status_code == 303


async def test_long_texts_are_taken_whole(place: Path, client: httpx.AsyncClient) -> None:
    await done(client, "new", {**TYPED, "note": "x" * 2000, "command": "suz {dir} " + "é" * 1000})
    await done(client, "E1/test", seen(document=document()))
    state = read(place)
    assert len(state.entries["E1"].form.note) == 2000
    assert state.tests["E1"]["lpp"].outcome == "pass"
