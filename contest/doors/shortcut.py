"""A server's WebSocket with a short way in and out for texts.

The long way leads through the parser of the library, uvicorn's queue, a turn of the loop and the
layers of the application, and out again alike: a third of what the loop did for a key. On the short
way a text is taken in the turn in which it comes, and written in the turn in which it is said, as
long as nothing stands before it. In there go short texts only, as nearly all frames are; all
others, and whatever is against the rules of WebSockets, go the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import pack
from typing import Any

from contest.doors.readahead import ReadsAhead

#: What it is called among the extensions of a scope.
_EXTENSION = "contest.shortcut"
#: Bytes of a payload at most whose size stands in a frame's second byte.
SHORT = 125
# RFC 6455, 5.2: the last frame of a message; that it is a text; that a mask stands before it.
_LAST, _TEXT, _MASKED = 0x80, 0x1, 0x80
#: Bytes of a short masked frame before its payload, the last four of which are the mask.
_HEAD = 6


class Shortcut(ReadsAhead):
    """uvicorn's WebSocket, but for that. Where another version of uvicorn has it otherwise, it is
    uvicorn's.

    Attributes:
        hear: takes a text in the turn in which it comes; or does not, and it goes the long way.
    """

    hear: Callable[[str], bool] | None = None
    # Whether all that comes is frames; the beginning of one that is not judged yet; bytes of one on
    # the long way that are still to come; whether a message is under way in several frames.
    _framed = False
    _begun = b""
    _coming = 0
    _in_parts = False

    def handle_connect(self, event: Any) -> None:
        """Somebody asks for a WebSocket; see uvicorn."""
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope["extensions"][_EXTENSION] = self
            self._framed = True

    @classmethod
    def of(cls, scope: Mapping[str, Any]) -> Shortcut | None:
        """The one behind a WebSocket's scope; None where there is only the long way."""
        found: Shortcut | None = scope.get("extensions", {}).get(_EXTENSION)
        return found

    def say(self, text: str) -> bool:
        """Writes a text, if it can go now.

        Arguments:
            text: whole, and nothing that was said before still waits.

        Returns:
            Whether it was written.
        """
        if (
            not self.handshake_complete
            or self.close_sent
            or not self.writable.is_set()
            or self.transport.is_closing()
        ):
            return False
        payload = text.encode()
        size = len(payload)
        if size <= SHORT:
            head = bytes((_LAST | _TEXT, size))
        elif size < 1 << 16:
            head = pack("!BBH", _LAST | _TEXT, SHORT + 1, size)
        else:
            head = pack("!BBQ", _LAST | _TEXT, SHORT + 2, size)
        self.transport.write(head + payload)
        return True

    def data_received(self, data: bytes) -> None:
        """Something has come; see asyncio."""
        if not self._framed:
            super().data_received(data)
            return
        if self._begun:
            data, self._begun = self._begun + data, b""
        at = 0
        while at < len(data):
            if not self._coming:
                size = frame_size(data, at)
                first = data[at]
                if size and first == _LAST | _TEXT and size <= _HEAD + SHORT and not self._in_parts:
                    frame = data[at : at + size]
                    if len(frame) < size:
                        self._begun = frame
                        return
                    if self._heard(frame):
                        at += size
                        continue
                if not size:
                    self._begun = data[at:]
                    return
                if not first & 0x8:  # no control frame, which may come between parts
                    self._in_parts = not first & _LAST
                self._coming = size
            part = data[at : at + self._coming]
            super().data_received(part)
            if self.transport.is_closing():
                return  # what follows the end counts no more
            self._coming -= len(part)
            at += len(part)

    def _heard(self, frame: bytes) -> bool:
        if self.hear is None or self.close_sent or not frame[1] & _MASKED or not self.queue.empty():
            return False
        payload = frame[_HEAD:]
        size = len(payload)
        mask = int.from_bytes((frame[2:_HEAD] * 32)[:size])
        try:
            text = (int.from_bytes(payload) ^ mask).to_bytes(size).decode()
        except UnicodeDecodeError:
            return False
        return self.hear(text)


def frame_size(data: bytes, at: int) -> int:
    """Bytes of the frame that begins there, head and all; 0 if too little of it is here to say."""
    if len(data) < at + 2:
        return 0
    second = data[at + 1]
    size, head = second & ~_MASKED, 2
    if size > SHORT:
        head += 2 if size == SHORT + 1 else 8
        if len(data) < at + head:
            return 0
        size = int.from_bytes(data[at + 2 : at + head])
    return head + (4 if second & _MASKED else 0) + size
