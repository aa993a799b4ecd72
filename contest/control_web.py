"""The organizer's door: orders by HTTP, for whoever has the organizer's code."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from contest import codes
from contest.controls import Controls, read_order
from contest.errors import BadOrder, ContestError, WrongMoment

PATH = "/control"
#: Bytes of an order: an action, some words and a reason.
ORDER_LIMIT = 16_384
#: Seconds of real time before a wrong code is answered: guessing must not be worth while.
WRONG_CODE_PAUSE = 1.0
#: Characters of a code that are looked at.
_CODE_LIMIT = 200


def control_route(controls: Controls, hash_: str) -> Route:
    """The route of the organizer's orders: see docs/reference/wire.md.

    Arguments:
        controls: carries orders out.
        hash_: of the organizer's code.
    """
    guessing = asyncio.Lock()

    async def control(request: Request) -> JSONResponse:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        found = None
        if scheme.lower() == "bearer" and len(code) <= _CODE_LIMIT:
            # scrypt takes its time on purpose; keys must not wait for it.
            found = await asyncio.to_thread(codes.seat_of, code, {codes.ORGANIZER: hash_})
        if found is None:
            # One after another: many guesses at once are no faster than one.
            async with guessing:
                await asyncio.sleep(WRONG_CODE_PAUSE)
            return _refusal(401, "this is not the organizer's code")
        try:
            order = read_order(await _body(request))
            return JSONResponse(await controls.perform(order))
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
