"""The organizer's door: orders by HTTP, for whoever has the organizer's code."""

from __future__ import annotations

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from contest.control.controls import Controls, read_order
from contest.doors.codes import CodeTable
from contest.doors.handshake import Porter
from contest.doors.limits import Crowded, address_of
from contest.errors import BadOrder, ContestError, WrongMoment

PATH = "/control"
#: Bytes of an order: an action, some words and a reason; the plan of 30 rounds with 30 desks each.
ORDER_LIMIT = 65_536


def control_route(controls: Controls, organizers: CodeTable, porter: Porter | None = None) -> Route:
    """The route of the organizer's orders: see docs/reference/wire.md.

    Arguments:
        controls: carries orders out.
        organizers: the codes of those who may give orders.
        porter: what all doors have together; one of its own if left out.
    """
    doors = porter or Porter()

    async def control(request: Request) -> JSONResponse:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        given = code if scheme.lower() == "bearer" else ""
        address = address_of(request.client.host if request.client is not None else None)
        try:
            found = await doors.gate.opened(given, organizers, address)
        except Crowded as exc:
            return _refusal(429, str(exc))
        if found is None:
            return _refusal(401, "this is not the organizer's code")
        doors.connections.admit(request.client)
        try:
            order = read_order(await _body(request))
            return JSONResponse(await controls.perform(order, found))
        except BadOrder as exc:
            return _refusal(400, str(exc))
        except WrongMoment as exc:
            return _refusal(409, str(exc))
        except ContestError as exc:
            return _refusal(500, str(exc))

    return Route(PATH, control, methods=["POST"])


async def _body(request: Request) -> bytes:
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > ORDER_LIMIT:
                raise BadOrder(f"an order has {ORDER_LIMIT} bytes at most")
    except ClientDisconnect:
        raise BadOrder("the order broke off") from None
    return body


def _refusal(status: int, words: str) -> JSONResponse:
    return JSONResponse({"error": words}, status_code=status)
