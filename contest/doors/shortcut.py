"""A server's WebSocket with a short way in and out for texts.

The long way of a text leads from the library's parser through uvicorn's queue, a turn of the loop
and the layers of the application, and out again alike: a good part of what the loop did for a key.
On the short way a text is taken in the turn in which it comes, and written in the turn in which it
is said, as long as nothing stands before it. What is a frame, and what is against the rules of
WebSockets, the library says on both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from websockets.exceptions import InvalidState

from contest.doors.readahead import ReadsAhead

#: What it is called among the extensions of a scope.
_EXTENSION = "contest.shortcut"


class Shortcut(ReadsAhead):
    """uvicorn's WebSocket, but for that. Where another version of uvicorn has it otherwise, it is
    uvicorn's.

    Attributes:
        hear: takes a text in the turn in which it comes; or does not, and it goes the long way.
    """

    hear: Callable[[str], bool] | None = None
    frames: list[bytes]

    def handle_connect(self, event: Any) -> None:
        """Somebody asks for a WebSocket; see uvicorn."""
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope["extensions"][_EXTENSION] = self

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
        try:
            self.conn.send_text(text.encode())
        except InvalidState:  # its goodbye came with what is answered here
            return False
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def send_receive_event_to_app(self) -> None:
        """A message has come whole; see uvicorn."""
        if not (
            self.hear is not None
            and self.curr_msg_data_type == "text"
            and not self.close_sent
            and self.queue.empty()
            and self._heard(b"".join(self.frames))
        ):
            super().send_receive_event_to_app()
            return
        self.frames = []

    def _heard(self, data: bytes) -> bool:
        assert self.hear is not None
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return False
        return self.hear(text)
