"""A server's WebSocket that reads on while a few frames still wait for their turn.

uvicorn stops reading at each frame and goes on when it is taken, which is two calls of the system
for a key press that is taken at once: a fourth of all that the loop does under a full house. Here
it stops only where frames gather, so that a flood still waits with its sender.
"""

from __future__ import annotations

from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol
from websockets.exceptions import InvalidState

#: Frames of one connection that may wait for their turn before no more are read.
AHEAD = 16


class ReadsAhead(AutoWebSocketsProtocol):  # type: ignore[misc,valid-type]
    """uvicorn's WebSocket, but for that. Where another version of uvicorn has it otherwise, it is
    uvicorn's."""

    read_paused: bool

    def send_receive_event_to_app(self) -> None:
        """A frame has come whole; see uvicorn."""
        paused, self.read_paused = self.read_paused, True
        try:
            super().send_receive_event_to_app()
        except InvalidState:
            # The text is not UTF-8, and a close frame came with it. The library has answered that
            # one already, so uvicorn can't send its own.
            self.handle_parser_exception()
        self.read_paused = paused
        if not paused and self.queue.qsize() >= AHEAD:
            self.read_paused = True
            self.transport.pause_reading()
