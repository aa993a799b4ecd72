"""Invitations: each invited person has a code, and a link with this code to their own pages.

The code is the whole log-in. It is kept in the contest's folder and doesn't change.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from aiohttp import web
from msgspec import Meta

from contest.net import codes
from contest.net.limits import TooBusy
from contest.net.web import Access, Hosts, application
from contest.pages import static_route

#: The name of an invited person, in the settings.
Name = Annotated[str, Meta(pattern="^[A-Za-z0-9]{1,40}$")]


def check_names(names: Iterable[str], where: str) -> None:
    """Raises ValueError if two invited people have the same name, or one is named `server`; `where`
    is the key in the settings."""
    lower = [name.lower() for name in names]
    if len(set(lower)) < len(lower):
        raise ValueError(f"{where} has a name twice; names that differ only in case are the same")
    if "server" in lower:
        raise ValueError(f"{where}: choose a name other than server, which the record uses itself")


class Invitations:
    """The codes and links of invited people.

    Arguments:
        folder: the contest's folder. Existing codes stay; missing ones are added.
        names: the names of the invited people.
        prefix: the beginning of each link's path; the code follows.
        hosts: further host names under which people reach the server.

    Attributes:
        links: name to the path of the link.
        access: the access checks of the pages.
        table: the codes.

    Raises:
        OSError: if the codes can't be written.
    """

    def __init__(
        self, folder: Path, names: Iterable[str], prefix: str = "/r/", hosts: Iterable[str] = ()
    ) -> None:
        file, names = folder / codes.FILE_NAME, list(names)
        kept = codes.read_file(file)
        held = kept | codes.issue(name for name in names if name not in kept)
        if held != kept:
            codes.write_file(held, file)
        self.links = {name: f"{prefix}{held[name]}" for name in names}
        self.access = Access(hosts=Hosts(hosts))
        self.table = codes.CodeTable({name: held[name] for name in names})

    async def check(self, request: web.Request) -> str:
        """The name of the person whose code is in a request's path, as `code`. Raises HTTPNotFound
        if nobody has this code, and HTTPTooManyRequests after too many wrong codes."""
        try:
            found = await self.access.check_code(request.match_info["code"], self.table, request)
        except TooBusy as exc:
            raise web.HTTPTooManyRequests(text=f"{exc}\n") from exc
        if found is None:
            raise web.HTTPNotFound(text="this link is not valid; ask for a new one\n")
        return found

    def app(self, *routes: web.RouteDef) -> web.Application:
        """An application of these routes and the files that pages load: those in the folders
        `static` of `contest` and `disciplines`."""
        return application([static_route("disciplines"), *routes], self.access)
