"""The baseline for seats in browsers: a page that sends each key press by WebSocket, a server that
passes it on to one other page, and that page, which appends it to a text.

Run as `python -m benchmarks.server.relay`; it sends its address.
"""

from __future__ import annotations

import asyncio

from aiohttp import WSMsgType, web

from benchmarks.server.echo import serve

#: A text area and a text, connected to the socket as directly as possible. The names of elements
#: and frames are those of the seat's page, so that the same script measures both.
PAGE = """<!DOCTYPE html><title>Bare</title><link rel="icon" href="data:,">
<section id="side-only"><textarea></textarea><p></p></section>
<script>
const socket = new WebSocket(`ws://${location.host}/relay${location.search}`);
const text = document.querySelector("p");
let n = 0;
document.querySelector("textarea").addEventListener("beforeinput", (event) => {
  event.preventDefault();
  n += 1;
  socket.send(JSON.stringify({ type: "press", place: "only", n, key: event.data ?? "\\n" }));
});
socket.onmessage = (event) => {
  const { n, key } = JSON.parse(event.data);
  text.append(key);
  requestAnimationFrame(() => setTimeout(() => {
    socket.send(JSON.stringify({ type: "shown", place: "only", n }));
  }));
};
</script>
"""


class _Relay:
    def __init__(self) -> None:
        self._pairs: dict[str, list[web.WebSocketResponse]] = {}

    async def page(self, _request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        mine = web.WebSocketResponse(compress=False)
        await mine.prepare(request)
        pair = self._pairs.setdefault(request.query["pair"], [])
        pair.append(mine)
        async for message in mine:
            if message.type is WSMsgType.TEXT and '"press"' in message.data:
                for each in pair:
                    if each is not mine and not each.closed:
                        await each.send_str(message.data)
        return mine


if __name__ == "__main__":
    relay, application = _Relay(), web.Application()
    application.router.add_get("/", relay.page)
    application.router.add_get("/relay", relay.pass_on)
    asyncio.run(serve(application))
