"""The server's socket for links: entries on other machines at `/link`, as docs/reference/link.md
has it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from contest.doors.codes import CodeTable
from contest.doors.handshake import Place, Porter, Tongue
from contest.doors.limits import Rate
from contest.doors.outgoing import Connection
from contest.links import linkwire
from contest.links.remote import RemoteLink

TONGUE: Tongue[linkwire.Hello, linkwire.ToServer, linkwire.ToLink] = Tongue(
    *("link", "link", linkwire.VERSION, linkwire.Hello),
    *(linkwire.decode_to_server, linkwire.encode, linkwire.Refused),
)


def link_route(
    links: Mapping[str, RemoteLink],
    codes: CodeTable,
    porter: Porter | None = None,
    speed: float = 1.0,
) -> WebSocketRoute:
    """Where the server takes links.

    Arguments:
        links: entry id to its link.
        codes: of the links.
        porter: what all doors have together; one of its own if left out.
        speed: seconds of contest time in a second: entries type so much faster.
    """
    keeper = porter or Porter()
    rate: Mapping[type | None, Rate] = {None: keeper.limits.link.faster(speed)}

    def sit(
        entry: str, hello: linkwire.Hello, connection: Connection[linkwire.ToLink]
    ) -> Place[linkwire.ToServer]:
        link = links[entry]
        link.connect(connection, hello)
        return Place(link.receive, lambda why: link.disconnect(connection, why), rate)

    async def link(websocket: WebSocket) -> None:
        await keeper.attend(websocket, TONGUE, codes, sit)

    return WebSocketRoute("/link", link)
