"""Random requests to every address of the server: no traceback and no server error, no events
except those that the sender may cause, and nobody's code in an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import pytest
from aiohttp import web
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.net.web import METHODS
from contest.organizer.orders import Given, read_order
from tests.fuzz.besieged import Besieged
from tests.fuzz.strategies import json_value, spoilt, text

#: Long ones take minutes.
pytestmark = pytest.mark.timeout(900)

ATTACK = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

#: Names of fields and headers that pages read.
FIELDS = ["code", "action", "reason", "seat", "entry", "minutes", "what", "form", "token", "sure"]
FIELDS += ["kind", "who", "text", "talk", "page", "address", "number", "from", "name", "round"]
HEADERS = ["Cookie", "Origin", "Authorization", "Content-Type", "Accept", "Range", "If-None-Match"]
HEADERS += ["X-Forwarded-For", "X-Forwarded-Proto", "Transfer-Encoding", "Expect", "Referer"]
TYPES = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/xml"]


def paths(routes: list[web.RouteDef]) -> Iterator[tuple[str, list[str]]]:
    """Each of the server's paths: its template and the names of its parameters."""
    for route in routes:
        pieces = route.path.replace("}", "{").split("{")
        yield "{}".join(pieces[::2]), pieces[1::2]


@st.composite
def request(draw: st.DrawFn, known: list[tuple[str, list[str]]]) -> dict[str, Any]:
    """A request to one of the paths, or to a similar one."""
    pattern, names = draw(st.sampled_from(known))
    for _ in names:
        value = draw(text | st.sampled_from(["1", "0", "json", "style.css", "pages", "E1", "."]))
        pattern = pattern.replace("{}", quote(value, safe=draw(st.sampled_from(["", "/.."]))), 1)
    if draw(st.integers(0, 5)) == 0:
        pattern += draw(st.sampled_from(["/", "//", "/..", "%00", "?", "#x", "%2e%2e/", ";x=y"]))
    if draw(st.booleans()):
        query = draw(st.dictionaries(st.sampled_from(FIELDS), text, max_size=3))
        pattern += "?" + urlencode(query, errors="replace")
    headers = draw(st.dictionaries(st.sampled_from(HEADERS), text, max_size=3))
    headers = {name: "".join(filter(str.isprintable, value)) for name, value in headers.items()}
    match draw(st.integers(0, 3)):
        case 0:
            fields = draw(st.dictionaries(st.sampled_from(FIELDS), text, max_size=5))
            body = urlencode(fields, errors="replace").encode()
            headers.setdefault("Content-Type", TYPES[1])
        case 1:
            body = json.dumps(draw(json_value)).encode()
            headers.setdefault("Content-Type", TYPES[0])
        case 2:
            body = draw(st.binary(max_size=300))
            headers.setdefault("Content-Type", draw(st.sampled_from(TYPES)))
        case _:
            body = b""
    method = draw(st.sampled_from([*METHODS, "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]))
    return {"method": method, "path": pattern, "headers": headers, "body": body}


def ask(server: Besieged, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    target = asked["path"].encode("ascii", "replace").decode()
    if not target.isprintable() or " " in target:
        target = quote(target, safe="/?=&%#;")
    return server.ask(asked["method"], target, asked["body"], asked["headers"])


def check(server: Besieged, answer: tuple[int, dict[str, str], bytes]) -> None:
    status, headers, body = answer
    assert status < 500, body
    for code in server.codes.values():
        assert code.encode() not in body
        assert code not in str(headers)
    if status not in (0, 400):  # no answer, or one by the library before our code sees the request
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src" in headers["content-security-policy"]


def test_every_page_for_clients_without_a_session(server: Besieged, examples: int) -> None:
    known = list(paths(server.routes))
    assert len(known) > 5
    known += [("/seat", []), ("/{}", ["anything"])]
    answered: list[int] = []

    @settings(ATTACK, max_examples=4 * examples)
    @given(request(known))
    @example({"method": "GET", "path": "/watch", "headers": {}, "body": b""})
    def attack(asked: dict[str, Any]) -> None:
        answer = ask(server, asked)
        answered.append(answer[0])
        check(server, answer)
        assert {event.kind for event in server.news()} <= {"wrong-codes"}

    attack()
    assert len([status for status in answered if status]) > 0.7 * len(answered)
    assert {200, 404, 405} <= set(answered)
    server.calm()


@pytest.fixture(scope="module")
def cookie(server: Besieged) -> str:
    """The cookie of the organizer's session."""
    form = urlencode({"code": server.codes["organizer"]}).encode()
    status, headers, _ = server.ask("POST", "/board/login", form, {"Content-Type": TYPES[1]})
    assert status in (302, 303)
    assert "HttpOnly" in headers["set-cookie"]
    return headers["set-cookie"].partition(";")[0]


def test_every_page_in_the_organizers_browser_with_forged_requests(
    server: Besieged, cookie: str, examples: int
) -> None:
    """Requests that another site's page could make the organizer's browser send: possibly with the
    cookie, but never with the token of our own forms."""
    known = [(path, names) for path, names in paths(server.routes) if path.startswith("/board")]
    assert known

    @settings(ATTACK, max_examples=2 * examples)
    @given(request(known))
    @example({"method": "GET", "path": "/board/files/export/%1F/", "headers": {}, "body": b""})
    def attack(asked: dict[str, Any]) -> None:
        asked["headers"]["Cookie"] = cookie
        status, _, body = ask(server, asked)
        assert status < 500, body
        assert {event.kind for event in server.news()} <= {"wrong-codes"}

    attack()
    server.calm()


#: Orders that change nothing, or are refused during the interaction, in their JSON form.
HARMLESS = st.one_of(
    st.sampled_from([{"action": action} for action in ("status", "check", "tally", "start")]),
    st.fixed_dictionaries({"action": st.just("log"), "kind": text, "who": text}),
    st.fixed_dictionaries({"action": st.just("void"), "what": text, "reason": st.just("x")}),
    st.fixed_dictionaries({"action": st.just("restart"), "entry": text, "reason": st.just("x")}),
    st.fixed_dictionaries({"action": st.just("codes"), "seat": text}),
    st.fixed_dictionaries({"action": st.just("confirm"), "number": st.integers(1, 9)}),
    st.fixed_dictionaries(
        {"action": st.just("replace"), "seat": text, "name": text, "reason": st.just("x")}
    ),
    st.fixed_dictionaries(
        {
            "action": st.just("swap"),
            "round": st.integers(2, 9),
            "one": text,
            "other": text,
            "reason": st.just("x"),
        }
    ),
)
#: Kinds of events that an accepted order may cause. The orders above cause them only if they name
#: an existing seat.
CHANGES = {"code-issued", "person-replaced", "schedule-changed", "voided", "entry-restarted"}


def test_orders_of_the_organizer(server: Besieged, examples: int) -> None:
    @settings(ATTACK, max_examples=examples)
    @given(spoilt(HARMLESS) | json_value.map(json.dumps))
    @example('{"action": "codes", "seat": "organizer"}')
    def attack(written: str) -> None:
        body = written.encode("utf-8", "replace")
        bearer = {"Authorization": f"Bearer {server.codes['organizer']}"}
        status, headers, answer = server.ask("POST", "/control", body, bearer)
        assert "set-cookie" not in headers
        document = msgspec.json.decode(answer)
        order: Given | None = None
        try:
            order = read_order(body)
        except BadOrder:
            assert status == 400
        changed = [event.kind for event in server.news()]
        if status == 200:
            assert order is not None
            assert set(changed) <= CHANGES
            if "code" in document:  # the old code is no longer valid
                server.codes[order.values["seat"]] = document["code"]
        else:
            assert status in (400, 409)
            assert changed == []
            assert document["error"]

    attack()
    server.calm()
