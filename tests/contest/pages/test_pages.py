"""Tests the frame of all pages: escaping, the headers of every answer, and which files are
served."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from importlib.resources import files

import httpx
import jinja2
import pytest
from aiohttp import web

from contest import pages
from contest.net.web import Access, application, serving
from contest.pages import clock, served
from tests.judge_console.colours import contrast

STYLE = files("contest").joinpath("pages", "static", "style.css").read_text(encoding="utf-8")


async def page(request: web.Request) -> web.Response:
    return pages.respond("pages/base.html", {}, secret="secret" in request.query)


async def bare(_request: web.Request) -> web.Response:
    return web.Response(text="x", headers={"Referrer-Policy": "origin"})


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    routes = [web.get("/page", page), web.get("/bare", bare), pages.static_route()]
    app = application(routes, Access())
    async with (
        serving(app, "127.0.0.1", 0) as address,
        httpx.AsyncClient(verify=False, base_url=f"http://{address}") as opened,
    ):
        yield opened


@pytest.mark.parametrize(
    "path", ["/page", "/nowhere", "/static/pages/style.css", "/static/pages/none.css"]
)
async def test_every_answer_has_the_security_headers(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    policy = dict(
        part.partition(" ")[::2] for part in answer.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    for kind in ("script-src", "style-src", "img-src", "connect-src", "font-src", "form-action"):
        assert policy[kind] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["content-type"].endswith("charset=utf-8")


async def test_headers_that_an_answer_sets_are_kept(client: httpx.AsyncClient) -> None:
    assert (await client.get("/bare")).headers["referrer-policy"] == "origin"


async def test_only_secret_answers_forbid_caching(client: httpx.AsyncClient) -> None:
    assert (await client.get("/page?secret")).headers["cache-control"] == "no-store"
    assert "cache-control" not in (await client.get("/page")).headers


def test_pages_have_no_inline_scripts_or_styles_and_load_nothing_from_elsewhere() -> None:
    text = pages.render("pages/base.html", {})
    assert not re.search(r"<style|style=|<script(?![^>]*src=)|\son\w+=|https?://", text)
    assert set(re.findall(r'(?:href|src)="([^"#]+)"', text)) <= {
        f"/static/{name}" for name in served()
    }


def test_template_values_are_escaped() -> None:
    template = pages.environment().from_string('<p title="{{ said }}">{{ said }}</p>')
    said = template.render(said="<script>alert('x')</script>\"&")
    assert "<script" not in said
    assert said.count('"') == 2
    with pytest.raises(jinja2.UndefinedError):
        template.render()


@pytest.mark.parametrize(
    "name", ["pages/none.html", "../x.html", "pages/../base.html", "base.html", "/etc/passwd"]
)
def test_an_unknown_template_is_an_error(name: str) -> None:
    with pytest.raises(jinja2.TemplateNotFound):
        pages.render(name, {})


async def test_unchanged_files_are_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/static/pages/style.css")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("text/css")
    tag = first.headers["etag"]
    again = await client.get("/static/pages/style.css", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert (await client.get("/static/pages/style.css", headers={"If-None-Match": '"x"'})).content


@pytest.mark.parametrize(
    "path",
    [
        *("/static/pages/none.js", "/static/pages/pages.py", "/static/none/style.css"),
        *("/static/pages/%2e%2e%2fpages.py", "/static/..%2f..%2fsetup.cfg/x"),
        *("/static/pages/", "/static/pages", "/static/pages/templates/base.html"),
    ],
)
async def test_only_static_files_are_served(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


def test_the_clock_stops_at_zero() -> None:
    assert [clock(s) for s in (1500, 60.0, 59.2, 0.1, 0.0, -3)] == [
        *("25:00", "1:00", "1:00", "0:01", "0:00", "0:00")
    ]


# The colours


def schemes() -> dict[str, dict[str, str]]:
    light = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", STYLE.partition("@media")[0]))
    dark = STYLE.partition("(prefers-color-scheme: dark)")[2].partition("@media")[0]
    return {"light": light, "dark": light | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_enough_contrast(scheme: str) -> None:
    of = schemes()[scheme]
    assert len(set(of.values())) > 15
    grounds = ("ground", "surface", "raised")
    pairs = [(ink, on) for on in grounds for ink in ("ink", "muted", "accent", "ok", "warn", "bad")]
    pairs += [(kind, f"{kind}-ground") for kind in ("ok", "warn", "bad", "off")]
    pairs += [("ink", f"{kind}-ground") for kind in ("ok", "warn", "bad", "accent")]
    pairs += [("accent-strong", "accent-ground"), ("accent-ink", "accent"), ("bad-ink", "bad")]
    pairs += [("accent-ink", "accent-strong")]
    for ink, on in pairs:
        assert contrast(of[ink], of[on]) >= 4.5, (ink, on)
    for shape in ("frame", "accent"):
        for on in grounds:
            assert contrast(of[shape], of[on]) >= 3.0, (shape, on)


def test_only_named_colours_are_used() -> None:
    for name in ("pages/style.css", "organizer/board.css"):
        used = re.findall(r"var\(--([\w-]+)", served()[name][0].decode())
        assert set(used) <= set(re.findall(r"--([\w-]+):", STYLE)), name
    assert pages.static("pages/style.css") == "/static/pages/style.css"


async def test_extra_slashes_and_wrong_methods_are_answered(client: httpx.AsyncClient) -> None:
    answer = await client.get("/page/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/page")
    answer = await client.post("/page")
    assert answer.status_code == 405
    assert "GET" in answer.headers["allow"]
    for path in ("//elsewhere.example/", "/nowhere/", "//"):
        assert (await client.get(f"{str(client.base_url).rstrip('/')}{path}")).status_code == 404
