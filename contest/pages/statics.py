"""Style sheets, scripts and pictures of all packages of pages, as the server has them at hand."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

from aiohttp import web

from contest.pages.headers import HEADERS

PATH = "/static/{package}/{file}"

#: The kinds of files that are served; others that lie beside them are not.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Static:
    """A file to serve: its bytes, its type and a tag that tells it from other versions."""

    content: bytes
    type: str
    tag: str


def static_route() -> web.RouteDef:
    """The route of all files in the `static/` of packages of pages, by `PACKAGE/FILE`.

    They are read once; whatever is asked for is looked up among their names, so that nothing asked
    for is ever a path.
    """
    return web.get(PATH, _answer)


async def _answer(request: web.Request) -> web.Response:
    found = served().get(f"{request.match_info['package']}/{request.match_info['file']}")
    if found is None:
        return web.Response(text="there is no such file\n", status=404, headers=HEADERS)
    headers = {**HEADERS, "ETag": found.tag, "Cache-Control": "no-cache"}
    if found.tag in request.headers.get("if-none-match", ""):
        return web.Response(status=304, headers=headers)
    return web.Response(body=found.content, headers={**headers, "Content-Type": found.type})


@functools.cache
def served() -> Mapping[str, Static]:
    """All files that are served, by `PACKAGE/FILE`."""
    found = {}
    for package in files("contest").iterdir():
        folder = package.joinpath("static")
        if not package.is_dir() or not folder.is_dir():
            continue
        for file in folder.iterdir():
            suffix = PurePosixPath(file.name).suffix
            if suffix in TYPES and file.is_file():
                content = file.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                found[f"{package.name}/{file.name}"] = Static(content, TYPES[suffix], tag)
    return found
