"""Stands between Playwright and an installed Firefox, which it starts with its own arguments.

    python tests/firefox.py FIREFOX ARGUMENT…

Playwright drives an installed Firefox by WebDriver BiDi (its channel `moz-firefox`), and asks it
for emulations in every new context, such as a colour scheme. Firefox ESR doesn't know all of them,
and then no context would open. So this program answers an unknown command of the module `emulation`
as done; everything else goes through unchanged. It ends with Firefox.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys

from aiohttp import ClientSession, ClientWebSocketResponse, web

#: What Firefox says when it listens, and what Playwright waits for.
LISTENING = "WebDriver BiDi listening on "


async def main(command: list[str]) -> None:
    """Runs the command, and serves its socket until it ends."""
    firefox = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert firefox.stderr is not None
    async for line in firefox.stderr:
        if address := re.search(rf"{LISTENING}(\S+)", line.decode(errors="replace")):
            break
        sys.stderr.buffer.write(line)
    else:
        return  # it has said why

    async def session(request: web.Request) -> web.WebSocketResponse:
        ours = web.WebSocketResponse(max_msg_size=0)
        await ours.prepare(request)
        async with (
            ClientSession() as client,
            client.ws_connect(f"{address[1]}/session", max_msg_size=0) as theirs,
            asyncio.TaskGroup() as tasks,
        ):
            asked: dict[int, str] = {}
            tasks.create_task(commands(ours, theirs, asked))
            await answers(theirs, ours, asked)
        return ours

    app = web.Application()
    app.router.add_get("/session", session)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"{LISTENING}ws://127.0.0.1:{runner.addresses[0][1]}", file=sys.stderr, flush=True)
    async for line in firefox.stderr:
        sys.stderr.buffer.write(line)
    await firefox.wait()
    await runner.cleanup()


async def commands(
    ours: web.WebSocketResponse, theirs: ClientWebSocketResponse, asked: dict[int, str]
) -> None:
    """Sends Playwright's commands on, and notes the method of each."""
    async for message in ours:
        command = json.loads(message.data)
        asked[command["id"]] = command["method"]
        await theirs.send_str(message.data)
    await theirs.close()


async def answers(
    theirs: ClientWebSocketResponse, ours: web.WebSocketResponse, asked: dict[int, str]
) -> None:
    """Sends Firefox's answers and events on."""
    async for message in theirs:
        answer, text = json.loads(message.data), message.data
        method = asked.pop(answer.get("id"), "")
        if answer.get("error") == "unknown command" and method.startswith("emulation."):
            text = json.dumps({"type": "success", "id": answer["id"], "result": {}})
        await ours.send_str(text)
    await ours.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
