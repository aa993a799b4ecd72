"""The archive as the contest's own server has it: the folder of the export, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePosixPath

from aiohttp import web

from contest.exports.site import Site
from contest.history import timeline
from contest.history.publication import Published
from contest.pages import HEADERS
from contest.record.logs import EventLog
from contest.results.document import Results

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".log": "text/plain; charset=utf-8",
}


class Archive:
    """All talks that may be published, to be played again; made when they are first wanted.

    Arguments:
        log: gives the record as it is; called in another thread.
    """

    def __init__(self, log: Callable[[], EventLog]) -> None:
        self._log = log
        self._lock = asyncio.Lock()
        self._site: Site | None = None
        self._version = -1
        self._made: dict[str, bytes] = {}

    async def answer(self, name: str, version: int) -> web.Response:
        """The file of that name; the first page for none.

        Arguments:
            name: as somebody asked for it. It is looked up among the names that there are, and is
                no path.
            version: another one than before has all made anew: somebody may have withdrawn the
                consent, or the result become final.
        """
        name = name or "index.html"
        async with self._lock:
            if self._site is None or self._version != version:
                self._site = await asyncio.to_thread(self._make_site)
                self._version, self._made = version, {}
            if name not in self._site.names:
                return web.Response(text="there is no such file\n", status=404, headers=HEADERS)
            if name not in self._made:
                self._made[name] = await asyncio.to_thread(self._file, self._site, name)
        suffix = PurePosixPath(name).suffix
        kind = {"Content-Type": _TYPES.get(suffix, "text/plain; charset=utf-8")}
        return web.Response(body=self._made[name], headers={**HEADERS, **kind})

    def _make_site(self) -> Site:
        public = Published(self._log())
        return Site(Results(timeline.view_of(public)), public)

    @staticmethod
    def _file(site: Site, name: str) -> bytes:
        return b"".join(site.file(name))
