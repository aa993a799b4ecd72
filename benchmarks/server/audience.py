"""The audience: viewers in a separate process, each with some desks in view; it measures when each
key reached the first and the last viewer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time

import msgspec

from benchmarks.helper import Helper, say
from benchmarks.server.socket import Socket
from benchmarks.server.waiting import until
from contest.audience import frames
from contest.audience.routes import LIVE

#: The time limit in seconds until all viewers have connected, and until the last frames arrive.
COMING, LAST = 60.0, 60.0
#: How many viewers may connect at the same time.
AT_ONCE = 20

#: Desks in the window of every second viewer; the others have one, as on a phone.
WINDOW = 4

_frame: msgspec.json.Decoder[frames.Frame] = msgspec.json.Decoder(frames.Frame)


class Seen(msgspec.Struct, frozen=True):
    """The audience's measurements.

    Attributes:
        spreads: for each step of typing in each talk, milliseconds from the first viewer who had it
            to the last.
        frames: how many frames all viewers received while keys were typed.
        bytes: how many bytes they received.
        characters: how many characters a late viewer saw at all desks.
        short: how many of the other viewers see something different at their desks.
        restarts: how often a viewer was too slow and had to start over.
        share: the share of a core that the audience used.
    """

    spreads: list[float]
    frames: int
    bytes: int
    characters: int
    short: int
    restarts: int
    share: float


class _Viewer:
    """A viewer: counts the characters of each talk, and notes when they arrived.

    Arguments:
        times: (talk, number of characters) to when the first and the last viewer saw them; shared
            by all viewers.
    """

    def __init__(self, times: dict[tuple[str, int], list[float]]) -> None:
        self._times = times
        self.frames = 0
        self.wholes = 0
        self.lengths: dict[str, int] = {}

    def hear(self, text: bytes) -> None:
        """Handles a frame."""
        self.frames += 1
        if text == b"{}":
            return
        frame = _frame.decode(text)
        if isinstance(frame, frames.Keys):
            now = time.monotonic()
            for talk, typed in frame.talks.items():
                length = self.lengths.get(talk, 0) + _length(typed)
                self.lengths[talk] = length
                self._times.setdefault((talk, length), [now, now])[1] = now
        elif isinstance(frame, frames.Talks):
            self.lengths.update({talk: _length(typed) for talk, typed in frame.talks.items()})
        elif isinstance(frame, frames.Whole):
            self.wholes += 1
            self.lengths.clear()


def _length(typed: frames.Typed) -> int:
    return sum(len(characters) for _, characters in typed)


class Audience(Helper):
    """A handle on the audience's process for its parent; use it in a `with` statement.

    Arguments:
        address: the server's, as HOST:PORT.
        count: how many viewers.
        desks: how many desks there are: those of J1, J2 and so on.
    """

    def __init__(self, address: str, count: int, desks: int) -> None:
        super().__init__("benchmarks.server.audience")
        self.tell([address, count, desks])

    def seated(self) -> None:
        """Waits until all viewers are connected."""
        self.hear()

    def seen(self, characters: int) -> Seen:
        """Their measurements, once all have seen this many characters, or time is up."""
        self.tell(characters)
        return msgspec.convert(self.hear(), Seen)


def _in_view(viewer: int, desks: int) -> str:
    """The desks that a viewer has in view, as an address names them."""
    first = viewer // 2
    many = min(desks, WINDOW if viewer % 2 else 1)
    return ",".join(f"J{(first + at) % desks + 1}" for at in range(many))


async def _run(address: str, count: int, desks: int) -> None:
    times: dict[tuple[str, int], list[float]] = {}
    viewers = [_Viewer(times) for _ in range(count)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def connect(viewer: _Viewer, path: str) -> Socket:
        async with gate:
            return await Socket.connect(address, path, viewer.hear)

    sockets = await asyncio.gather(
        *(
            connect(viewer, f"{LIVE}?deflate&follow={_in_view(n, desks)}")
            for n, viewer in enumerate(viewers)
        )
    )
    await until(lambda: all(viewer.wholes for viewer in viewers), COMING)
    for viewer in viewers:
        viewer.wholes = viewer.frames = 0
    before = sum(socket.received for socket in sockets)
    say("seated")
    began, work = time.monotonic(), time.process_time()
    characters = json.loads(await asyncio.to_thread(sys.stdin.readline))
    late = _Viewer({})
    sockets.append(await connect(late, LIVE))
    with contextlib.suppress(TimeoutError):  # missing characters are counted
        await until(lambda: sum(late.lengths.values()) >= characters, LAST)
        await until(lambda: all(_same(viewer, late) for viewer in viewers), LAST)
    share = (time.process_time() - work) / (time.monotonic() - began)
    seen = Seen(
        spreads=[round((last - first) * 1000, 3) for first, last in times.values()],
        frames=sum(viewer.frames for viewer in viewers),
        bytes=sum(socket.received for socket in sockets[:-1]) - before,
        characters=sum(late.lengths.values()),
        short=sum(not _same(viewer, late) for viewer in viewers),
        # Sometimes all viewers get everything again, as when a round begins or a phase changes.
        restarts=sum(viewer.wholes for viewer in viewers)
        - count * min(viewer.wholes for viewer in viewers),
        share=share,
    )
    say(msgspec.to_builtins(seen))
    for socket in sockets:
        socket.close()


def _same(viewer: _Viewer, late: _Viewer) -> bool:
    return bool(viewer.lengths) and all(
        late.lengths.get(talk) == length for talk, length in viewer.lengths.items()
    )


if __name__ == "__main__":
    asyncio.run(_run(*json.loads(sys.stdin.readline())))
