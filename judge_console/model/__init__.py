"""What the windows show and what they send, without Qt, sockets, clocks or threads."""

from judge_console.model.errands import REASON_LIMIT, Human, What
from judge_console.model.seat import FATAL, SeatModel, SeatRefused, remaining
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
