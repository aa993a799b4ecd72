"""The audience: as many as watch, in a process of its own, and when each frame was with the first
and the last of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections import Counter

import msgspec

from benchmarks.helper import Helper, say
from benchmarks.server.socket import Socket
from benchmarks.server.until import until
from contest.spectators import frames
from contest.spectators.doors import LIVE

#: Seconds for all to be there, and for the last frames to come.
COMING, LAST = 60.0, 60.0
#: Who may connect at the same time.
AT_ONCE = 20

_frame: msgspec.json.Decoder[frames.Whole | frames.Phase | frames.Keys] = msgspec.json.Decoder(
    frames.Whole | frames.Phase | frames.Keys
)


class Seen(msgspec.Struct, frozen=True):
    """What the audience has seen.

    Attributes:
        spreads: of each frame that all have seen, milliseconds from the first who had it to the
            last.
        frames: how many frames came, with all viewers together.
        short: how many viewers lack characters that were typed.
        anew: how often a viewer was too slow, and had to begin anew.
        share: of a core that they took.
    """

    spreads: list[float]
    frames: int
    short: int
    anew: int
    share: float


class _Viewer:
    """One who watches: how many characters stand on the screen, and which frames have come."""

    def __init__(self, house: _House) -> None:
        self._house = house
        self.characters = 0
        self.wholes = 0
        self._seen: Counter[bytes] = Counter()

    def hear(self, text: bytes) -> None:
        """Takes a frame."""
        house = self._house
        house.frames += 1
        if text == frames.NOTHING.encode():
            return
        frame = house.decoded(text)
        if isinstance(frame, frames.Keys):
            self.characters += sum(_length(typed) for typed in frame.talks.values())
            # The same may be typed again: then it is another frame.
            self._seen[text] += 1
            house.came(text, self._seen[text])
        elif isinstance(frame, frames.Whole):
            self.wholes += 1
            self.characters = sum(_length(t.typed) for desk in frame.desks for t in desk.talks)


class _House:
    """All who watch."""

    def __init__(self) -> None:
        self.frames = 0
        self.times: dict[tuple[bytes, int], list[float]] = {}
        self._decoded: tuple[bytes, object] = (b"", None)

    def decoded(self, text: bytes) -> object:
        """A frame; most are the same as the one before, for all viewers get the same."""
        if self._decoded[0] != text:
            self._decoded = (text, _frame.decode(text))
        return self._decoded[1]

    def came(self, text: bytes, time_: int) -> None:
        """A frame has come to one of them."""
        now = time.monotonic()
        times = self.times.setdefault((text, time_), [now, now, 0])
        times[1] = now
        times[2] += 1


def _length(typed: frames.Typed) -> int:
    return sum(len(characters) for _, characters in typed)


class Audience(Helper):
    """The process, as its parent sees it; to be used in a `with` statement.

    Arguments:
        address: the server's, as HOST:PORT.
        count: how many watch.
    """

    def __init__(self, address: str, count: int) -> None:
        super().__init__("benchmarks.server.audience")
        self.tell([address, count])

    def seated(self) -> None:
        """Waits until all watch."""
        self.hear()

    def seen(self, characters: int) -> Seen:
        """What they have seen, when all have seen so many characters, or it is too late."""
        self.tell(characters)
        return msgspec.convert(self.hear(), Seen)


async def _run(address: str, count: int) -> None:
    house = _House()
    viewers = [_Viewer(house) for _ in range(count)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def come(viewer: _Viewer) -> Socket:
        async with gate:
            return await Socket.connect(address, LIVE, viewer.hear)

    sockets = await asyncio.gather(*(come(viewer) for viewer in viewers))
    await until(lambda: all(viewer.wholes for viewer in viewers), COMING)
    for viewer in viewers:
        viewer.wholes = 0
    say("seated")
    began, work = time.monotonic(), time.process_time()
    characters = json.loads(await asyncio.to_thread(sys.stdin.readline))
    with contextlib.suppress(TimeoutError):  # what is missing is counted
        await until(lambda: all(v.characters >= characters for v in viewers), LAST)
    share = (time.process_time() - work) / (time.monotonic() - began)
    seen = Seen(
        spreads=[
            round((last - first) * 1000, 3)
            for first, last, came in house.times.values()
            if came == count
        ],
        frames=house.frames,
        short=sum(viewer.characters != characters for viewer in viewers),
        # Now and then all get the whole anew: a round has begun, a phase has changed.
        anew=sum(viewer.wholes for viewer in viewers)
        - count * min(viewer.wholes for viewer in viewers),
        share=share,
    )
    say(msgspec.to_builtins(seen))
    for socket in sockets:
        socket.close()


if __name__ == "__main__":
    asyncio.run(_run(*json.loads(sys.stdin.readline())))
