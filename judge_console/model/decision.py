"""A decision at the screen: from the first choice until the server has saved it, and corrected.

A verdict, a final ranking and a consent go the same way:

1. `choose` -- something that is needed is missing; `confirm` -- it could be sent;
2. `sending` -- confirmed, and not answered yet: it is sent until it is, whatever the link does;
3. `saved` -- the server has committed it. `correct` goes back to the first step, and what is saved
   counts until a new version is;
4. `closed` -- nothing is taken any more.

What the person has chosen is kept as a draft (`draft`, `restore`) at each change, so that a console
that is started again shows it. What had been confirmed by then is sent once more (`resume`): at
worst it is stored twice, as two versions that say the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from lpp.wire import Refused, Saved

Step: TypeAlias = Literal["choose", "confirm", "sending", "saved", "closed"]
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class News:
    """What the seat knows of one decision; see `SeatModel`.

    Attributes:
        saved: what the server holds.
        refused: the last refusal that still stands.
        waiting: whether the seat has sent something, or will, that was not answered yet.
        open: whether the server takes it now.
        connected: whether the seat is linked.
    """

    saved: Saved | None = None
    refused: Refused | None = None
    waiting: bool = False
    open: bool = True
    connected: bool = True


class Form(ABC, Generic[M]):
    """What is chosen at the screen, and how far it has come. `M` is the frame that carries it.

    Attributes:
        saved: what the server holds; None as long as it holds nothing.
        trouble: why the server has refused the last one, in its words; empty if it has not.
        connected: whether the seat is linked.
    """

    def __init__(self) -> None:
        self.saved: Saved | None = None
        self.trouble = ""
        self.connected = False
        self._open = True
        self._editing = False
        self._sent: M | None = None
        self._base = 0  # the version that was there when it was sent
        self._again = False
        self._known: Refused | None = None

    # What each kind of decision is

    @abstractmethod
    def message(self) -> M | None:
        """The frame that says what is chosen; None while something is missing."""

    @abstractmethod
    def said(self, saved: Saved) -> M | None:
        """The frame that the server has answered by `saved`; None if it says too little."""

    @abstractmethod
    def show(self, message: M) -> None:
        """Puts what is chosen to what a frame says."""

    @abstractmethod
    def content(self) -> Any:
        """What is chosen, as plain JSON values."""

    @abstractmethod
    def take(self, content: Any) -> bool:
        """Puts what is chosen to what `content` gave once.

        Returns:
            Whether it was such a thing; it comes from a disk, and may be anything.
        """

    # How far it has come

    @property
    def step(self) -> Step:
        """Where it is on its way; see this module."""
        if not self._open:
            return "closed"
        if self._sent is not None:
            return "sending"
        if self.saved is not None and not self._editing:
            return "saved"
        return "choose" if self.message() is None else "confirm"

    @property
    def can_change(self) -> bool:
        """Whether the person may choose now."""
        return self.step in ("choose", "confirm")

    @property
    def lost(self) -> bool:
        """Whether it was closed with something chosen that is not saved."""
        return not self._open and (self._editing or self._sent is not None)

    def follow(self, news: News) -> None:
        """Takes what the seat knows now."""
        self._open, self.connected, self.saved = news.open, news.connected, news.saved
        if self._sent is not None:
            newer = news.saved is not None and news.saved.version > self._base
            if newer and news.saved is not None and self.said(news.saved) == self._sent:
                self._sent, self._again, self._editing, self.trouble = None, False, False, ""
            elif self._again and newer:
                # Decided at another console meanwhile. What stands here was not seen by the
                # server and is older: the person says which one counts.
                self._sent, self._again, self._editing = None, False, True
            elif self._again and news.waiting:
                self._again = False  # this very process has it on its way
            elif (
                news.refused is not None
                and news.refused is not self._known  # the same words again are another refusal
                and not news.waiting
                and not self._again
            ):
                self._sent, self._editing = None, True
                self.trouble = news.refused.message
        self._known = news.refused
        if self._sent is None and not self._editing and news.saved is not None:
            message = self.said(news.saved)
            if message is not None:
                self.show(message)

    # The person's acts

    def confirm(self) -> M:
        """The person says that this is it.

        Returns:
            What to send.

        Raises:
            ValueError: if nothing can be confirmed now.
        """
        message = self.message()
        if message is None or not self.can_change:
            raise ValueError("there is nothing to confirm")
        self._sent, self._again, self.trouble = message, False, ""
        self._base = self.saved.version if self.saved is not None else 0
        return message

    def correct(self) -> None:
        """The person wants to choose again; what is saved counts until the new one is."""
        if self.step == "saved":
            self._editing = True

    def keep(self) -> None:
        """The person leaves it at what is saved."""
        if self.correcting and self.saved is not None:
            self._editing, self.trouble = False, ""
            message = self.said(self.saved)
            if message is not None:
                self.show(message)

    @property
    def correcting(self) -> bool:
        """Whether something is saved and the person chooses anew."""
        return self.can_change and self.saved is not None

    def resume(self) -> M | None:
        """What was confirmed before this console was started, and has to be sent once more now."""
        if not self._again or self.step != "sending" or not self.connected:
            return None
        self._again = False
        return self._sent

    # Drafts

    def draft(self) -> Any:
        """All of this that would be lost by a crash, as plain JSON values; None if the server has
        all."""
        if self._sent is not None:
            return {"content": self.content(), "sent": True, "base": self._base}
        return {"content": self.content(), "sent": False} if self._editing else None

    def restore(self, draft: Any) -> None:
        """Takes a draft of an earlier console; what is none is let be."""
        match draft:
            case {"content": content, "sent": bool(sent)} if self.take(content):
                message, base = self.message(), draft.get("base")
                if sent and message is not None and isinstance(base, int):
                    self._sent, self._base, self._again = message, base, True
                else:
                    self._editing = True

    def _touched(self) -> None:
        """The person has changed what is chosen."""
        self._editing = True


def time_of(at: str, zone: tzinfo | None = None) -> str:
    """The time of day of a frame, for a person.

    Arguments:
        at: RFC 3339, as `Saved.at`.
        zone: where the person is; this computer's if left out.

    Returns:
        Hours, minutes and seconds, as 14:03:07; `at` itself if it is no such time.
    """
    try:
        return datetime.fromisoformat(at).astimezone(zone).strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at


def sound(text: str) -> str:
    """A text that can be kept and sent: without halves of surrogate pairs, and without control
    characters but newlines and tabs, which some input methods leave behind."""
    return "".join(
        char
        for char in text.replace("\r\n", "\n").replace("\r", "\n")
        if not "\ud800" <= char <= "\udfff" and (char >= " " or char in "\n\t") and char != "\x7f"
    )
