"""The shared frame of all pages that a running contest serves: answers, templates, style, scripts.

A package of pages (`contest.organizer`, `contest.audience`) has its templates in `templates/` and
its style sheets, scripts and pictures in `static/`. A template's name begins with its package, as
in `organizer/home.html`, and it extends `pages/base.html`. Pages load nothing from other servers,
have no inline scripts or styles, and treat everything that people and programs typed as plain text.
The headers of every answer make browsers enforce this.
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

from lpp.lines import limit_accents
from scheduler.texts import decimal, plain
from texts import Texts, load, said, without_mnemonics

#: How many pieces of a template's output are joined into one chunk of a stream; most pieces are a
#: few words long.
_PARTS = 200

#: A page may load files from this server only, must not be framed, and sends forms to this server
#: only. Only this server gets a referrer: a browser that sends no referrer doesn't send the
#: origin of a form either.
POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "font")),
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)

#: The headers of every answer, not only of pages.
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

#: The headers of an answer that no cache may keep.
SECRET: Mapping[str, str] = MappingProxyType({"Cache-Control": "no-store"})


def secure(app: web.Application) -> None:
    """Adds missing `HEADERS` to every answer of an application."""
    app.on_response_prepare.append(_add)


async def _add(_request: web.Request, answer: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)


def redirect(path: str, status: int, *, secret: bool = False) -> web.Response:
    """Redirects a browser to another page of this server, with this HTTP status; `secret` as for
    `respond`."""
    return web.Response(status=status, headers={**(SECRET if secret else {}), "Location": path})


def own_style(*sheets: str, more: str = "", pictures: bool = False) -> dict[str, Any]:
    """The context of a page that loads nothing. `css` has the texts of `sheets` (paths in the
    package `contest`), followed by `more`; `policy` allows that style by its hash and, with
    `pictures`, inline pictures."""
    css = "".join(files("contest").joinpath(sheet).read_text("utf-8") for sheet in sheets) + more
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return {"css": Markup(css), "policy": policy + "; img-src data:" * pictures}


# Languages


def texts_for(request: web.Request) -> Texts:
    """The texts in the language of the address (`?lang=de`) or of the browser."""
    wanted = []
    for part in request.headers.get("Accept-Language", "").split(","):
        tag, _, quality = part.strip().partition(";q=")
        with contextlib.suppress(ValueError):
            wanted.append((-float(quality or 1), tag))
    wanted.sort(key=lambda each: each[0])
    return load("system", [request.query.get("lang", ""), *(tag for _, tag in wanted)])


def for_script(texts: Texts, section: str = "") -> dict[str, dict[str, str]]:
    """The texts for `say.js` in a page, as JSON, by key and form.

    Arguments:
        texts: the texts of the page's language.
        section: the section that the page's script needs; by default all.
    """
    return {
        key: {name: without_mnemonics(form) for name, form in texts.forms(key).items()}
        for key in texts
        if key.startswith(section)
    }


def in_language(texts: Texts) -> dict[str, Any]:
    """A template's context for a language: `language`; `say`, which returns its texts; and `tell`,
    which says in this language a sentence that was made elsewhere."""
    tell = functools.partial(said, texts=texts)
    return {"language": texts.language, "say": texts.plain, "tell": tell}


# Templates


@functools.cache
def environment() -> jinja2.Environment:
    """The environment of all templates. It escapes all values; an undefined name is an error, not
    an empty text.

    Our own filters: `begin` makes the first letter a capital; `decimal` lets `tell` translate the
    decimal point of a number; `plain` makes control characters, and those that change the direction
    of text, visible; `limit_accents` limits the accents on a letter in typed text; `clock` shows
    seconds as minutes and seconds.
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
    made.filters["begin"] = begin
    made.filters["decimal"] = decimal
    made.filters["plain"] = plain
    made.filters["limit_accents"] = limit_accents
    made.filters["clock"] = clock
    return made


def render(template: str, context: Mapping[str, Any]) -> str:
    """Renders a template.

    Arguments:
        template: its name, `PACKAGE/FILE`, such as `organizer/home.html`.
        context: its values.
    """
    return environment().get_template(template).render(**context)


def stream(template: str, context: Mapping[str, Any]) -> Iterator[str]:
    """Renders a template in parts, for large pages; arguments as for `render`."""
    parts = environment().get_template(template).stream(**context)
    parts.enable_buffering(_PARTS)
    return parts


def compile_templates(*packages: str) -> None:
    """Compiles the templates of packages, so that the first page does not delay keys."""
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
    """An answer with a rendered template.

    Arguments:
        template: its name, `PACKAGE/FILE`.
        context: its values.
        secret: whether to forbid caching the answer.
        status: the HTTP status.
        headers: further headers.
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


def begin(text: str) -> str:
    """A text as the beginning of a sentence, with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds, such as `24:07`, rounded up to whole seconds."""
    whole = max(0, -int(-seconds // 1))
    return f"{whole // 60}:{whole % 60:02}"


def _source(name: str) -> str | None:
    """A template's source. Names come from our own templates and modules only."""
    package, _, file = name.partition("/")
    if not package.isidentifier() or "/" in file:
        return None
    found = files("contest").joinpath(package, "templates", file)
    return found.read_text(encoding="utf-8") if found.is_file() else None


# Files

#: The types of files that are served; other files are not.
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


def static_route(*roots: str) -> web.RouteDef:
    """The route of all files in the `static/` of packages of pages, by `PACKAGE/FILE`.

    The files are read once. A request's path is only looked up among their names, and never opened.

    Arguments:
        roots: further packages whose files are served, besides those of `contest`.
    """
    files_ = {name: file for root in ("contest", *roots) for name, file in served(root).items()}

    async def answer(request: web.Request) -> web.Response:
        found = files_.get(f"{request.match_info['package']}/{request.match_info['file']}")
        if found is None:
            return web.Response(text="there is no such file\n", status=404)
        content, headers = found
        if headers["ETag"] in request.headers.get("if-none-match", ""):
            return web.Response(status=304, headers=headers)
        return web.Response(body=content, headers=headers)

    return web.get("/static/{package}/{file}", answer)


@functools.cache
def served(root: str = "contest") -> Mapping[str, tuple[bytes, Mapping[str, str]]]:
    """All served files of a package and the packages in it, by `PACKAGE/FILE`: their bytes and
    headers, with a tag that identifies the version."""
    found = {}
    for package in (files(root), *files(root).iterdir()):
        folder = package.joinpath("static")
        for file in folder.iterdir() if folder.is_dir() else ():
            if (kind := TYPES.get(PurePosixPath(file.name).suffix)) and file.is_file():
                content = file.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Type": kind}
                found[f"{package.name}/{file.name}"] = content, headers
    return found
