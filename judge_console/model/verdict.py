"""The judge's verdict on a round, as it is chosen at the screen."""

from __future__ import annotations

import copy
from typing import Any, Final

from judge_console.model.decision import Form, sound
from judge_console.model.errands import REASON_LIMIT, Human
from lpp.conversation import Block, Conversation
from lpp.wire import Saved, Verdict

#: The steps of confidence that have words (`verdict.sure_…` in the texts), in percent; None is
#: what is not given.
CONFIDENCES: Final[tuple[int | None, ...]] = (None, 0, 25, 50, 75, 100)


class VerdictForm(Form[Verdict]):
    """A verdict.

    Arguments:
        round_, attempt: on which round.

    Attributes:
        human: where the human sat; None until it is chosen.
        confidence: 0 (can't tell) up to 100 (certain), or None where it is not given.
        reason: in words, as they are typed.
    """

    def __init__(self, round_: int, attempt: int) -> None:
        super().__init__()
        self.round, self.attempt = round_, attempt
        self.human: Human | None = None
        self.confidence: int | None = None
        self.reason = ""

    def choose(self, human: Human) -> None:
        """The human sat there."""
        if self.can_change and human != self.human:
            self.human = human
            self._touched()

    def be_sure(self, confidence: int | None) -> None:
        """How sure the judge is: 0 to 100, or None; what is beyond is brought to the nearest."""
        if confidence is not None:
            confidence = min(100, max(0, confidence))
        if self.can_change and confidence != self.confidence:
            self.confidence = confidence
            self._touched()

    def write(self, reason: str) -> None:
        """Why; what is beyond `REASON_LIMIT` characters is cut off."""
        reason = sound(reason)[:REASON_LIMIT]
        if self.can_change and reason != self.reason:
            self.reason = reason
            self._touched()

    @property
    def left(self) -> int:
        """How many characters the reason may still have."""
        return REASON_LIMIT - len(self.reason)

    # Form

    def message(self) -> Verdict | None:
        """See `Form`."""
        if self.human is None:
            return None
        return Verdict(self.round, self.attempt, self.human, self.confidence, self.reason.strip())

    def said(self, saved: Saved) -> Verdict | None:
        """See `Form`."""
        if saved.human is None:
            return None
        return Verdict(saved.round, saved.attempt, saved.human, saved.confidence, saved.reason)

    def show(self, message: Verdict) -> None:
        """See `Form`."""
        self.human, self.confidence = message.human, message.confidence
        self.reason = message.reason

    def content(self) -> Any:
        """See `Form`."""
        return {"human": self.human, "confidence": self.confidence, "reason": self.reason}

    def take(self, content: Any) -> bool:
        """See `Form`."""
        match content:
            case {
                "human": "left" | "right" | None as human,
                "confidence": int() | None as confidence,
                "reason": str(reason),
            } if confidence is None or (0 <= confidence <= 100 and confidence is not True):
                self.human, self.confidence = human, confidence
                self.reason = sound(reason)[:REASON_LIMIT]
                return True
        return False


def nearest_step(confidence: int | None) -> int | None:
    """The step of `CONFIDENCES` whose words fit a confidence best."""
    if confidence is None:
        return None
    steps = [step for step in CONFIDENCES if step is not None]
    return min(steps, key=lambda step: abs(step - confidence))


def as_read(conversation: Conversation) -> Conversation:
    """A talk for reading again: nothing in it changes any more, and the own line that was left
    without a Return stands in it too, for the other side has seen it.

    Arguments:
        conversation: it, as it was drawn while it went on; it is left as it is.
    """
    read = Conversation()
    read.blocks = [copy.copy(block) for block in conversation.blocks]
    if conversation.own is not None and conversation.draft:
        read.blocks.append(Block(conversation.own, conversation.draft))
    return read
