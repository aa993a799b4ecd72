"""Tests that the server sends frames immediately: a key must not wait until the previous one is
acknowledged."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest
from aiohttp import web

from contest.net.web import serving


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_accepted_connections_do_not_delay_small_frames(host: str) -> None:
    async with serving(web.Application(), host, 0) as address:
        name, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(name.strip("[]"), int(port))
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readline()
        try:
            accepted = [
                each.get_extra_info("socket")
                for each in gc.get_objects()
                # Ask the type, because isinstance() on a dead weak proxy raises.
                if issubclass(type(each), asyncio.Transport)
                and (each.get_extra_info("sockname") or (None, None))[1] == int(port)
            ]
            nodelay = [s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for s in accepted]
        finally:
            writer.close()
            await writer.wait_closed()
        assert [option != 0 for option in nodelay] == [True]
