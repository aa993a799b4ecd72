"""Decisions on the screen, from the first choice until the server has saved it, and corrections.

A verdict, a final ranking and a consent take the same steps:

1. `choose` -- something is missing; `confirm` -- the decision can be sent;
2. `sending` -- confirmed but not answered: it is sent again after each reconnect;
3. `saved` -- the server has committed it. `correct` goes back to the first step, and the saved
   version counts until a new one is saved;
4. `closed` -- the server no longer accepts it.

Each change is kept as a draft (`draft`, `restore`), so that a restarted console shows it. A
decision that was confirmed before the restart is sent once more (`resume`): at worst it is stored
twice, as two equal versions.

An order with ties is a list of groups that share a place. Its rank is the middle of the shared
places: two who share first and second place have rank one and a half. So the ranks of n
participants always add up to n(n+1)/2, as the tally expects of a full ballot.
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import groupby
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from judge_console.model.seat import REASON_LIMIT, Decision, Human, Met, decision_of
from lpp.wire import Consent, Ranks, RankThese, Refused, Saved, Verdict

Step: TypeAlias = Literal["choose", "confirm", "sending", "saved", "closed"]
M = TypeVar("M", bound=Decision)

#: The steps of confidence that have words (`verdict.sure_…` in the texts), in percent; None means
#: not given.
CONFIDENCES: Final[tuple[int | None, ...]] = (None, 0, 25, 50, 75, 100)
#: The longest pseudonym, in characters; the server has the same limit.
PSEUDONYM_LIMIT: Final = 40


class Form(ABC, Generic[M]):
    """A choice on the screen, and its step on the way to being saved. `M` is the frame for it.

    Attributes:
        saved: the saved decision; None if the server has none.
        trouble: the server's refusal of the last decision; None if it was not refused.
        connected: whether the seat is connected.
    """

    def __init__(self) -> None:
        self.saved: Saved | None = None
        self.trouble: Refused | None = None
        self.connected = False
        self._open = True
        self._editing = False
        self._sent: M | None = None
        self._base = 0  # the version that the server had when it was sent
        self._again = False
        self._known: Refused | None = None

    # What a subclass defines

    @abstractmethod
    def message(self) -> M | None:
        """The frame with the choice; None while something is missing."""

    @abstractmethod
    def show(self, message: M) -> None:
        """Sets the choice from a frame."""

    @abstractmethod
    def content(self) -> Any:
        """The choice as plain JSON values."""

    @abstractmethod
    def take(self, content: Any) -> bool:
        """Sets the choice from an earlier `content`. Returns False if it is invalid: it comes from
        a disk, so it may be anything."""

    # Its step

    @property
    def step(self) -> Step:
        """The present step; see this module."""
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
    def correcting(self) -> bool:
        """Whether the person is changing a saved decision."""
        return self.can_change and self.saved is not None

    @property
    def lost(self) -> bool:
        """Whether it was closed with an unsaved choice."""
        return not self._open and (self._editing or self._sent is not None)

    def follow(
        self,
        saved: Saved | None = None,
        refused: Refused | None = None,
        *,
        waiting: bool = False,
        is_open: bool = True,
        connected: bool = True,
    ) -> None:
        """Takes the seat's present state; see `SeatModel`.

        Arguments:
            saved: the saved decision, if there is one.
            refused: the last refusal, if there is one.
            waiting: whether the seat has something unanswered, sent or to be sent.
            is_open: whether the server accepts the decision now.
            connected: whether the seat is connected.
        """
        self._open, self.connected, self.saved = is_open, connected, saved
        if self._sent is not None:
            newer = saved is not None and saved.version > self._base
            if newer and saved is not None and decision_of(saved) == self._sent:
                self._sent, self._again, self._editing, self.trouble = None, False, False, None
            elif self._again and newer:
                # Decided at another console in the meantime. The server has not received the choice
                # made here, which is older, so the person must say which one counts.
                self._sent, self._again, self._editing = None, False, True
            elif self._again and waiting:
                self._again = False  # this process has already sent it
            elif (
                refused is not None
                and refused is not self._known  # a repeated refusal is a new object
                and not waiting
                and not self._again
            ):
                self._sent, self._editing = None, True
                self.trouble = refused
        self._known = refused
        if self._sent is None and not self._editing:
            self._show_saved()

    def _show_saved(self) -> None:
        message = decision_of(self.saved) if self.saved is not None else None
        if message is not None:
            self.show(message)  # type: ignore[arg-type]

    # The person's actions

    def confirm(self) -> M:
        """Confirms the choice.

        Returns:
            The frame to send.

        Raises:
            ValueError: if nothing can be confirmed now.
        """
        message = self.message()
        if message is None or not self.can_change:
            raise ValueError("there is nothing to confirm")
        self._sent, self._again, self.trouble = message, False, None
        self._base = self.saved.version if self.saved is not None else 0
        return message

    def correct(self) -> None:
        """Starts a correction; the saved version counts until the new one is saved."""
        if self.step == "saved":
            self._editing = True

    def keep(self) -> None:
        """Ends a correction and keeps the saved decision."""
        if self.correcting:
            self._editing, self.trouble = False, None
            self._show_saved()

    def resume(self) -> M | None:
        """The decision that was confirmed before this console started, if it must be sent again
        now; else None."""
        if not self._again or self.step != "sending" or not self.connected:
            return None
        self._again = False
        return self._sent

    def _set(self, **chosen: object) -> None:
        """Sets a choice; does nothing if it can't be changed now or is the same."""
        if self.can_change and any(getattr(self, name) != value for name, value in chosen.items()):
            for name, value in chosen.items():
                setattr(self, name, value)
            self._editing = True

    # Drafts

    def draft(self) -> Any:
        """The choice that a crash would lose, as plain JSON values; None if the server has it."""
        if self._sent is not None:
            return {"content": self.content(), "sent": True, "base": self._base}
        return {"content": self.content(), "sent": False} if self._editing else None

    def restore(self, draft: Any) -> None:
        """Restores the draft of an earlier console; invalid drafts are ignored."""
        match draft:
            case {"content": content, "sent": bool(sent)} if self.take(content):
                message, base = self.message(), draft.get("base")
                if sent and message is not None and isinstance(base, int):
                    self._sent, self._base, self._again = message, base, True
                else:
                    self._editing = True


class VerdictForm(Form[Verdict]):
    """The judge's verdict on a round.

    Attributes:
        round, attempt: the round that it is about.
        human: the side of the human; None until chosen.
        confidence: 0 (can't tell) to 100 (certain); None if not given.
        reason: in words, as typed.
    """

    def __init__(self, round_: int, attempt: int) -> None:
        super().__init__()
        self.round, self.attempt = round_, attempt
        self.human: Human | None = None
        self.confidence: int | None = None
        self.reason = ""

    def choose(self, human: Human) -> None:
        """Chooses the side of the human."""
        self._set(human=human)

    def set_confidence(self, confidence: int | None) -> None:
        """Sets how sure the judge is, limited to 0 to 100; None for not given."""
        self._set(confidence=None if confidence is None else min(100, max(0, confidence)))

    def set_reason(self, reason: str) -> None:
        """Sets the reason, cut to `REASON_LIMIT` characters."""
        self._set(reason=storable(reason)[:REASON_LIMIT])

    @property
    def left(self) -> int:
        """How many more characters the reason may have."""
        return REASON_LIMIT - len(self.reason)

    def message(self) -> Verdict | None:
        if self.human is None:
            return None
        return Verdict(self.round, self.attempt, self.human, self.confidence, self.reason.strip())

    def show(self, message: Verdict) -> None:
        self.human, self.confidence = message.human, message.confidence
        self.reason = message.reason

    def content(self) -> Any:
        return {"human": self.human, "confidence": self.confidence, "reason": self.reason}

    def take(self, content: Any) -> bool:
        match content:
            case {
                "human": "left" | "right" | None as human,
                "confidence": int() | None as confidence,
                "reason": str(reason),
            } if confidence is None or (0 <= confidence <= 100 and confidence is not True):
                self.human, self.confidence = human, confidence
                self.reason = storable(reason)[:REASON_LIMIT]
                return True
        return False


def nearest_step(confidence: int | None) -> int | None:
    """The step of `CONFIDENCES` that is nearest to a confidence."""
    if confidence is None:
        return None
    steps = [step for step in CONFIDENCES if step is not None]
    return min(steps, key=lambda step: abs(step - confidence))


class ConsentForm(Form[Consent]):
    """A person's consent to publication, and the name to be published.

    Attributes:
        publish: whether what this person types may be published; None until answered, because the
            console must not suggest an answer.
        pseudonym: the name to publish, as typed; empty for the organizer's name of this person.
    """

    def __init__(self) -> None:
        super().__init__()
        self.publish: bool | None = None
        self.pseudonym = ""

    def answer(self, publish: bool) -> None:
        """Sets whether it may be published."""
        self._set(publish=publish)

    def set_pseudonym(self, pseudonym: str) -> None:
        """Sets the name to publish."""
        self._set(pseudonym=pseudonym)

    @property
    def name(self) -> str:
        """The pseudonym as sent, in the form that the server keeps: NFC, with single spaces and
        none at the ends. So the form recognizes the server's answer."""
        return " ".join(unicodedata.normalize("NFC", storable(self.pseudonym)).split())

    def message(self) -> Consent | None:
        return None if self.publish is None else Consent(self.publish, self.name)

    def show(self, message: Consent) -> None:
        self.publish, self.pseudonym = message.publish, message.pseudonym

    def content(self) -> Any:
        return {"publish": self.publish, "pseudonym": storable(self.pseudonym)}

    def take(self, content: Any) -> bool:
        match content:
            case {"publish": bool() | None as publish, "pseudonym": str(pseudonym)}:
                self.publish, self.pseudonym = publish, pseudonym
                return True
        return False


class Row(NamedTuple):
    """A participant in the order.

    Attributes:
        label: the participant.
        place: from 1. Participants who share a place have the same number, and the next place
            counts all of them (1, 2, 2, 4).
        shared: whether others have the same place.
    """

    label: str
    place: int
    shared: bool


class RankingForm(Form[Ranks]):
    """The judge's final ranking of all participants, the most human first.

    Arguments:
        these: the participants to rank, in their first order.

    Attributes:
        met: maps each label to the judge's talks with that participant.
        ties: whether places may be shared.
    """

    def __init__(self, these: RankThese) -> None:
        super().__init__()
        self.met: Mapping[str, Sequence[Met]] = these.participants
        self.ties = these.ties
        self._groups = [[label] for label in these.participants]

    @property
    def rows(self) -> list[Row]:
        """All participants, the most human first."""
        rows: list[Row] = []
        for group in self._groups:
            place = len(rows) + 1
            rows += [Row(label, place, len(group) > 1) for label in group]
        return rows

    @property
    def moved(self) -> bool:
        """Whether the order has changed from the given one."""
        return [[label] for label in self.met] != self._groups

    def row(self, label: str) -> Row:
        """A participant's row."""
        return next(row for row in self.rows if row.label == label)

    def index(self, label: str) -> int:
        """The index of a participant's row."""
        return [row.label for row in self.rows].index(label)

    # The judge's actions; each returns whether anything has changed

    def move(self, label: str, row: int) -> bool:
        """Moves a participant to a row, from 0. Between two who share a place, it shares that
        place; elsewhere it gets its own."""
        groups = self._without(label)
        order = [other for group in groups for other in group]
        row = min(max(row, 0), len(order))
        at = next((n for n, group in enumerate(groups) if order[row:][:1] == group[:1]), None)
        if row == len(order):
            groups.append([label])
        elif at is not None:
            groups.insert(at, [label])
        else:
            group = next(group for group in groups if order[row] in group)
            group.insert(group.index(order[row]), label)
        return self._order(groups)

    def share(self, label: str) -> bool:
        """Gives a participant the place of those above. One that shares its place already gets its
        own, below the others."""
        at = next(n for n, group in enumerate(self._groups) if label in group)
        groups = self._without(label)
        if len(self._groups[at]) > 1:
            groups.insert(at + 1, [label])
        elif self.ties and at > 0:
            groups[at - 1].append(label)
        else:
            return False
        return self._order(groups)

    def _without(self, label: str) -> list[list[str]]:
        return [[other for other in group if other != label] for group in self._groups]

    def _order(self, groups: list[list[str]]) -> bool:
        before = self._groups
        self._set(_groups=[group for group in groups if group])
        return self._groups is not before

    def message(self) -> Ranks | None:
        ranks: dict[str, int] = {}
        for group in self._groups:
            first = len(ranks) + 1
            # The middle of first and last place, times two.
            ranks.update(dict.fromkeys(group, first + first + len(group) - 1))
        return Ranks(ranks)

    def show(self, message: Ranks) -> None:
        if self.message() == message:
            return  # participants who share a place keep their order
        known = [label for label in self.met if label in message.ranks]
        known.sort(key=message.ranks.__getitem__)
        self._take([list(group) for _, group in groupby(known, key=message.ranks.__getitem__)])

    def content(self) -> Any:
        return [list(group) for group in self._groups]

    def take(self, content: Any) -> bool:
        if not isinstance(content, list) or not all(isinstance(group, list) for group in content):
            return False
        labels = [label for group in content for label in group]
        if not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
            return False
        self._take(content)
        return True

    def _take(self, groups: list[list[str]]) -> None:
        """Takes an earlier order. Removes participants who are no longer to be ranked, adds new
        ones at the end, and splits ties if they are not allowed."""
        kept = [[label for label in group if label in self.met] for group in groups]
        seen = {label for group in kept for label in group}
        kept += [[label] for label in self.met if label not in seen]
        if not self.ties:
            kept = [[label] for group in kept for label in group]
        self._groups = [group for group in kept if group]


def several_attempts(talks: Sequence[Met]) -> bool:
    """Whether a round and place appear more than once, so that the attempt must be named."""
    return len({(round_, place) for round_, _, place in talks}) < len(talks)


def time_of(at: str, zone: tzinfo | None = None) -> str:
    """The time of day of a frame, for a person.

    Arguments:
        at: in RFC 3339, such as `Saved.at`.
        zone: the person's time zone; this computer's if left out.

    Returns:
        Hours, minutes and seconds, such as 14:03:07; `at` itself if it is not a valid time.
    """
    try:
        return datetime.fromisoformat(at).astimezone(zone).strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at


def storable(text: str) -> str:
    """A text that can be stored and sent: without halves of surrogate pairs and without the control
    characters that some input methods leave behind, except newlines and tabs."""
    return "".join(
        char
        for char in text.replace("\r\n", "\n").replace("\r", "\n")
        if not "\ud800" <= char <= "\udfff" and (char >= " " or char in "\n\t") and char != "\x7f"
    )
