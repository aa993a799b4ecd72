"""What the windows show and what they send, without Qt, sockets, clocks or threads."""

from judge_console.model.seat import (
    FATAL,
    REASON_LIMIT,
    Human,
    SeatModel,
    SeatRefused,
    What,
    remaining,
)
from judge_console.model.talkview import TalkKey, TalkView

__all__ = [
    "FATAL",
    "REASON_LIMIT",
    "Human",
    "SeatModel",
    "SeatRefused",
    "TalkKey",
    "TalkView",
    "What",
    "remaining",
]
