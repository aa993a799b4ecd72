"""Templates of all packages of pages, and answers made of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import jinja2
from aiohttp import web

from contest.pages.headers import HEADERS, SECRET
from lpp.lines import drawn
from scheduler.texts import plain

#: Of a template's own parts, how many make one of a stream: the most are some words.
_PARTS = 200


@functools.cache
def environment() -> jinja2.Environment:
    """The environment of all templates: what is put into one is escaped, and a name that is not
    there is a mistake, not an empty text.

    Filters of ours: `plain` shows control characters and those that turn the direction of text
    around as what they are; `drawn` shows what was typed with no more accents on a letter than fit;
    `clock` shows seconds as minutes and seconds.
    """
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["static"] = static
    made.filters["plain"] = plain
    made.filters["drawn"] = drawn
    made.filters["clock"] = clock
    return made


def render(template: str, context: Mapping[str, Any]) -> str:
    """A template's text.

    Arguments:
        template: its name, `PACKAGE/FILE`, such as `board/rows.html`.
        context: what it is filled with.
    """
    return environment().get_template(template).render(**context)


def stream(template: str, context: Mapping[str, Any]) -> Iterator[str]:
    """A template's text in parts, for one that may be large; arguments as for `render`."""
    parts = environment().get_template(template).stream(**context)
    parts.enable_buffering(_PARTS)
    return parts


def compile_templates(*packages: str) -> None:
    """Compiles templates, so that the first page of each does not make keys wait for it.

    Arguments:
        packages: whose.
    """
    for package in packages:
        for file in files("contest").joinpath(package, "templates").iterdir():
            environment().get_template(f"{package}/{file.name}")


def respond(
    template: str,
    context: Mapping[str, Any],
    *,
    secret: bool = False,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """An answer made of a template.

    Arguments:
        template: its name, `PACKAGE/FILE`.
        context: what it is filled with.
        secret: whether no cache may keep the answer.
        status: of HTTP.
        headers: further ones.
    """
    return web.Response(
        text=render(template, context),
        status=status,
        headers={**HEADERS, **(SECRET if secret else {}), **(headers or {})},
        content_type="text/html",
    )


def static(name: str) -> str:
    """The address of a file in a package's `static/`.

    Arguments:
        name: `PACKAGE/FILE`, such as `pages/style.css`.
    """
    return f"/static/{name}"


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds, such as `24:07`; a part of a second counts as one."""
    whole = max(0, -int(-seconds // 1))
    return f"{whole // 60}:{whole % 60:02}"


def _source(name: str) -> str | None:
    """A template's source; names are written in templates and modules, nobody else's."""
    package, _, file = name.partition("/")
    if not package.isidentifier() or "/" in file:
        return None
    found = files("contest").joinpath(package, "templates", file)
    return found.read_text(encoding="utf-8") if found.is_file() else None
