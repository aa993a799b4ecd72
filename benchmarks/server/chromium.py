"""Pages in a headless Chromium, controlled by its own protocol.

Playwright would receive each frame of each WebSocket, which costs as much as the page itself.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.server.waiting import until
from lpp.program import OWN_GROUP, signal_group

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--remote-debugging-port=0",
    "about:blank",
)
#: The time limit in seconds for the start, and for an answer.
PATIENCE = 60.0


class Chromium:
    """A connection to a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, method: str, session: str | None = None, **params: object) -> Any:
        """Calls a method.

        Raises:
            RuntimeError: if the browser refuses.
        """
        number = len(self._asked) + 1
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        frame = {"id": number, "method": method, "params": params}
        await self._socket.send(json.dumps(frame | ({"sessionId": session} if session else {})))
        async with asyncio.timeout(PATIENCE):
            said = await answer
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]

    async def hear(self) -> None:
        """Receives the answers until the browser ends."""
        async for text in self._socket:
            said = json.loads(text)
            if "id" in said:
                self._asked[said["id"]].set_result(said)


class Tab:
    """A page with its own cookies.

    Attributes:
        began: the zero of the page's `performance.now()`, in seconds of the monotonic clock.
    """

    def __init__(self, browser: Chromium, context: str, session: str) -> None:
        self._browser, self._context, self._session = browser, context, session
        self.began = 0.0

    @classmethod
    async def open(cls, browser: Chromium, url: str, script: str) -> Self:
        """Opens a page.

        Arguments:
            browser: the browser.
            url: the page's address.
            script: runs in the page before the page's own scripts.
        """
        context = (await browser.ask("Target.createBrowserContext"))["browserContextId"]
        target = await browser.ask(
            "Target.createTarget", url="about:blank", browserContextId=context, newWindow=True
        )
        session = await browser.ask(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        tab = cls(browser, context, session["sessionId"])
        await tab._ask("Page.enable")
        await tab._ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        await tab._ask("Page.navigate", url=url)
        await tab.until("document.readyState === 'complete'")
        await tab._ask("Performance.enable")
        metrics = (await tab._ask("Performance.getMetrics"))["metrics"]
        await tab._ask("Performance.disable")
        await tab._ask("Page.disable")
        tab.began = next(each["value"] for each in metrics if each["name"] == "NavigationStart")
        return tab

    async def evaluate(self, code: str) -> Any:
        """The value of an expression in the page.

        Raises:
            RuntimeError: if it throws.
        """
        said = await self._ask("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in said:
            raise RuntimeError(f"{code}: {said['exceptionDetails']}")
        return said["result"].get("value")

    async def until(self, code: str) -> None:
        """Waits until an expression is true."""
        async with asyncio.timeout(PATIENCE):
            while not await self.evaluate(code):  # noqa: ASYNC110 -- a page is asked
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        """Closes it."""
        await self._browser.ask("Target.disposeBrowserContext", browserContextId=self._context)

    async def _ask(self, method: str, **params: object) -> Any:
        return await self._browser.ask(method, self._session, **params)


@asynccontextmanager
async def browsing() -> AsyncIterator[Chromium]:
    """A browser while the context is open.

    Raises:
        FileNotFoundError: if there is no Chromium.
    """
    program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if program is None:
        raise FileNotFoundError("chromium is not installed")
    with tempfile.TemporaryDirectory(prefix="loebner-bench-", ignore_cleanup_errors=True) as place:
        process = subprocess.Popen(  # noqa: ASYNC220 -- nothing else runs yet
            [program, f"--user-data-dir={place}", *ARGUMENTS],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **OWN_GROUP,
        )
        try:
            file = Path(place) / "DevToolsActivePort"
            await until(lambda: file.exists() and len(file.read_text().split()) == 2, PATIENCE)
            port, path = file.read_text().split()
            async with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as socket:
                browser = Chromium(socket)
                hearing = asyncio.create_task(browser.hear())
                try:
                    yield browser
                finally:
                    hearing.cancel()
        finally:
            # Debian starts it by a shell script, which would not pass the signal on.
            signal_group(process.pid, signal.SIGTERM)
            process.wait(PATIENCE)
