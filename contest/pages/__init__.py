"""The shared frame of all pages that a running contest serves: answers, templates, style, scripts.

A package of pages (`contest.organizer`, `contest.audience`) has its templates in `templates/` and
its style sheets, scripts and pictures in `static/`; a template is named by its package,
`organizer/home.html`, and extends `pages/base.html`. Nothing on a page comes from elsewhere, no
script and no style is in a page itself, and what people and programs typed is text, everywhere: the
headers of every answer say so to the browser, too.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import jinja2
from aiohttp import web
from markupsafe import Markup

from lpp.lines import drawn
from scheduler.texts import plain
from texts import Texts, load, without_mnemonics

#: Of a template's own parts, how many make one of a stream: the most are some words.
_PARTS = 200

#: A page may load what this server serves beside it, and nothing else, has no frame around it, and
#: sends forms to this server only. No other server learns by a referrer where somebody was; this
#: one may, for a browser that names no referrer does not say either from which page a form comes.
POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "font")),
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)

#: On every answer, of pages and of all else.
HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
)

#: On an answer that nobody's cache may keep.
SECRET: Mapping[str, str] = MappingProxyType({"Cache-Control": "no-store"})


def secure(app: web.Application) -> None:
    """Puts `HEADERS` on every answer of an application that lacks them."""
    app.on_response_prepare.append(_add)


async def _add(_request: web.Request, answer: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)


def redirect(path: str, status: int, *, secret: bool = False) -> web.Response:
    """Sends a browser on to another page of this server, with this status of HTTP; `secret` as for
    `respond`."""
    return web.Response(status=status, headers={**(SECRET if secret else {}), "Location": path})


def own_style(*sheets: str, more: str = "", pictures: bool = False) -> dict[str, Any]:
    """What a page that loads nothing needs: style sheets, by their paths in `contest`, and `more`
    style as `css`, and the `policy` that knows them by their hash, and allows `pictures` that are
    in the page itself."""
    css = "".join(files("contest").joinpath(sheet).read_text("utf-8") for sheet in sheets) + more
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return {"css": Markup(css), "policy": policy + "; img-src data:" * pictures}


# Languages


def texts_for(request: web.Request) -> Texts:
    """The texts in the language that a browser asks for, or that the address names: `?lang=de`."""
    wanted = []
    for part in request.headers.get("Accept-Language", "").split(","):
        tag, _, quality = part.strip().partition(";q=")
        with contextlib.suppress(ValueError):
            wanted.append((-float(quality or 1), tag))
    wanted.sort(key=lambda each: each[0])
    return load("system", [request.query.get("lang", ""), *(tag for _, tag in wanted)])


def for_script(said: Texts, section: str = "") -> dict[str, dict[str, str]]:
    """The texts that `say.js` finds in a page, as JSON: by key and form.

    Arguments:
        said: the texts of the page's language.
        section: the section that the page's script needs; all if left out.
    """
    return {
        key: {name: without_mnemonics(form) for name, form in said.forms(key).items()}
        for key in said
        if key.startswith(section)
    }


def in_language(texts: Texts) -> dict[str, Any]:
    """What a template needs to be in a language: `language`, and `say`, which gives its texts."""
    return {"language": texts.language, "say": texts.plain}


# Templates


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
        template: its name, `PACKAGE/FILE`, such as `organizer/home.html`.
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
        headers={**(SECRET if secret else {}), **(headers or {})},
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


# Files

#: The kinds of files that are served; others that lie beside them are not.
TYPES: Mapping[str, str] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
        ".json": "application/json",
        ".jsonl": "application/x-ndjson",
        ".csv": "text/csv; charset=utf-8",
    }
)


def static_route() -> web.RouteDef:
    """The route of all files in the `static/` of packages of pages, by `PACKAGE/FILE`.

    They are read once; what is asked for is looked up among their names, and is never a path.
    """
    return web.get("/static/{package}/{file}", _answer)


async def _answer(request: web.Request) -> web.Response:
    found = served().get(f"{request.match_info['package']}/{request.match_info['file']}")
    if found is None:
        return web.Response(text="there is no such file\n", status=404)
    content, headers = found
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return web.Response(status=304, headers=headers)
    return web.Response(body=content, headers=headers)


@functools.cache
def served() -> Mapping[str, tuple[bytes, Mapping[str, str]]]:
    """All files that are served, by `PACKAGE/FILE`: the bytes, and the headers, among them a tag
    that tells them from other versions."""
    found = {}
    for package in files("contest").iterdir():
        folder = package.joinpath("static")
        for file in folder.iterdir() if folder.is_dir() else ():
            if (kind := TYPES.get(PurePosixPath(file.name).suffix)) and file.is_file():
                content = file.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Type": kind}
                found[f"{package.name}/{file.name}"] = content, headers
    return found
