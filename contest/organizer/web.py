"""The organizer's door: orders by HTTP, for whoever has the organizer's code."""

from __future__ import annotations

from aiohttp import web

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.codes import CodeTable
from contest.net.limits import Crowded, address_of
from contest.net.web import Porter
from contest.organizer.controls import Controls, read_order

PATH = "/control"


def control_route(
    controls: Controls, organizers: CodeTable, porter: Porter | None = None
) -> web.RouteDef:
    """The route of the organizer's orders: see docs/reference/wire.md.

    Arguments:
        controls: carries orders out.
        organizers: the codes of those who may give orders.
        porter: what all doors have together; one of its own if left out.
    """
    doors = porter or Porter()

    async def control(request: web.Request) -> web.Response:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        given = code if scheme.lower() == "bearer" else ""
        address = address_of(request.remote)
        try:
            found = await doors.gate.opened(given, organizers, address)
        except Crowded as exc:
            return _refusal(429, str(exc))
        if found is None:
            return _refusal(401, "this is not the organizer's code")
        doors.admit(request)
        try:
            order = read_order(await request.read())
            return web.json_response(await controls.perform(order, found))
        except BadOrder as exc:
            return _refusal(400, str(exc))
        except WrongMoment as exc:
            return _refusal(409, str(exc))
        except ContestError as exc:
            return _refusal(500, str(exc))

    return web.post(PATH, control)


def _refusal(status: int, words: str) -> web.Response:
    return web.json_response({"error": words}, status=status)
