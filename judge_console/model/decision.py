"""Decisions at the screen: from the first choice until the server has saved it, and corrected.

A verdict, a final ranking and a consent go the same way:

1. `choose` -- something that is needed is missing; `confirm` -- it could be sent;
2. `sending` -- confirmed, and not answered yet: it is sent until it is, whatever the link does;
3. `saved` -- the server has committed it. `correct` goes back to the first step, and what is saved
   counts until a new version is;
4. `closed` -- nothing is taken any more.

What the person has chosen is kept as a draft (`draft`, `restore`) at each change, so that a console
that is started again shows it. What had been confirmed by then is sent once more (`resume`): at
worst it is stored twice, as two versions that say the same.

An order with ties is a list of groups that share a place. Two who share first and second place have
rank one and a half, and so on: the middle of the places that are shared, so that the ranks of n
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

#: The steps of confidence that have words (`verdict.sure_…` in the texts), in percent; None is
#: what is not given.
CONFIDENCES: Final[tuple[int | None, ...]] = (None, 0, 25, 50, 75, 100)
#: Characters of a pseudonym at most; the server counts them in the same way.
PSEUDONYM_LIMIT: Final = 40


class Form(ABC, Generic[M]):
    """What is chosen at the screen, and how far it has come. `M` is the frame that carries it.

    Attributes:
        saved: what the server holds; None as long as it holds nothing.
        trouble: the server's refusal of the last one; None if it was not refused.
        connected: whether the seat is connected.
    """

    def __init__(self) -> None:
        self.saved: Saved | None = None
        self.trouble: Refused | None = None
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
    def show(self, message: M) -> None:
        """Sets what is chosen to what a frame says."""

    @abstractmethod
    def content(self) -> Any:
        """What is chosen, as plain JSON values."""

    @abstractmethod
    def take(self, content: Any) -> bool:
        """Sets what is chosen to an earlier `content`; False if it is not one: it comes from a
        disk, and may be anything."""

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
    def correcting(self) -> bool:
        """Whether something is saved and the person chooses again."""
        return self.can_change and self.saved is not None

    @property
    def lost(self) -> bool:
        """Whether it was closed with something chosen that is not saved."""
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
        """Takes what the seat knows now; see `SeatModel`.

        Arguments:
            saved: what the server holds.
            refused: the last refusal that is still there.
            waiting: whether the seat has sent something, or will, that was not answered yet.
            is_open: whether the server takes the decision now.
            connected: whether the seat is connected.
        """
        self._open, self.connected, self.saved = is_open, connected, saved
        if self._sent is not None:
            newer = saved is not None and saved.version > self._base
            if newer and saved is not None and decision_of(saved) == self._sent:
                self._sent, self._again, self._editing, self.trouble = None, False, False, None
            elif self._again and newer:
                # Decided at another console meanwhile. The server has not seen what is chosen
                # here, and it is older: the person says which one counts.
                self._sent, self._again, self._editing = None, False, True
            elif self._again and waiting:
                self._again = False  # this very process has it on its way
            elif (
                refused is not None
                and refused is not self._known  # the same words again are another refusal
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
        self._sent, self._again, self.trouble = message, False, None
        self._base = self.saved.version if self.saved is not None else 0
        return message

    def correct(self) -> None:
        """The person wants to choose again; what is saved counts until the new one is."""
        if self.step == "saved":
            self._editing = True

    def keep(self) -> None:
        """The person leaves it at what is saved."""
        if self.correcting:
            self._editing, self.trouble = False, None
            self._show_saved()

    def resume(self) -> M | None:
        """What was confirmed before this console was started, and has to be sent once more now."""
        if not self._again or self.step != "sending" or not self.connected:
            return None
        self._again = False
        return self._sent

    def _set(self, **chosen: object) -> None:
        """The person chooses; nothing happens where nothing can be chosen, or it is the same."""
        if self.can_change and any(getattr(self, name) != value for name, value in chosen.items()):
            for name, value in chosen.items():
                setattr(self, name, value)
            self._editing = True

    # Drafts

    def draft(self) -> Any:
        """All of this that would be lost by a crash, as plain JSON values; None if the server has
        all."""
        if self._sent is not None:
            return {"content": self.content(), "sent": True, "base": self._base}
        return {"content": self.content(), "sent": False} if self._editing else None

    def restore(self, draft: Any) -> None:
        """Takes a draft of an earlier console; anything else is ignored."""
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
        round, attempt: on which round.
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
        self._set(human=human)

    def be_sure(self, confidence: int | None) -> None:
        """How sure the judge is: brought to 0 to 100, or None."""
        self._set(confidence=None if confidence is None else min(100, max(0, confidence)))

    def write(self, reason: str) -> None:
        """Why; what is beyond `REASON_LIMIT` characters is cut off."""
        self._set(reason=sound(reason)[:REASON_LIMIT])

    @property
    def left(self) -> int:
        """How many characters the reason may still have."""
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
                self.reason = sound(reason)[:REASON_LIMIT]
                return True
        return False


def nearest_step(confidence: int | None) -> int | None:
    """The step of `CONFIDENCES` whose words fit a confidence best."""
    if confidence is None:
        return None
    steps = [step for step in CONFIDENCES if step is not None]
    return min(steps, key=lambda step: abs(step - confidence))


class ConsentForm(Form[Consent]):
    """A person's consent to publication, and the name to be published.

    Attributes:
        publish: whether what this person types may be published; None until it is answered: the
            server's default is not for us to suggest.
        pseudonym: under which name, as it is typed; empty is the organizer's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.publish: bool | None = None
        self.pseudonym = ""

    def answer(self, publish: bool) -> None:
        """Whether it may be published."""
        self._set(publish=publish)

    def call(self, pseudonym: str) -> None:
        """Under which name."""
        self._set(pseudonym=pseudonym)

    @property
    def name(self) -> str:
        """The pseudonym as it is sent, in the form in which the server keeps it: in NFC, with
        single spaces, and none at the ends. So its answer is known for the answer to this."""
        return " ".join(unicodedata.normalize("NFC", sound(self.pseudonym)).split())

    def message(self) -> Consent | None:
        return None if self.publish is None else Consent(self.publish, self.name)

    def show(self, message: Consent) -> None:
        self.publish, self.pseudonym = message.publish, message.pseudonym

    def content(self) -> Any:
        return {"publish": self.publish, "pseudonym": sound(self.pseudonym)}

    def take(self, content: Any) -> bool:
        match content:
            case {"publish": bool() | None as publish, "pseudonym": str(pseudonym)}:
                self.publish, self.pseudonym = publish, pseudonym
                return True
        return False


class Row(NamedTuple):
    """A participant in the order.

    Attributes:
        label: who.
        place: from 1; participants who share one have the same, and the next one's counts them all
            (1, 2, 2, 4).
        shared: whether others have it too.
    """

    label: str
    place: int
    shared: bool


class RankingForm(Form[Ranks]):
    """The judge's final ranking of all participants, the most human first.

    Arguments:
        these: whom to rank; the order begins as they are given.

    Attributes:
        met: label to the judge's talks under it.
        ties: whether some may share a place.
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
        """Whether the order is another one than that in which they were given."""
        return [[label] for label in self.met] != self._groups

    def row(self, label: str) -> Row:
        """A participant's row."""
        return next(row for row in self.rows if row.label == label)

    def index(self, label: str) -> int:
        """The index of a participant's row."""
        return [row.label for row in self.rows].index(label)

    # The judge's acts; each says whether anything has changed

    def move(self, label: str, row: int) -> bool:
        """Moves a participant to a row, from 0. Between two that share a place it shares it; at any
        other place it has one of its own."""
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
        """Gives a participant the place of those above; one that shares its place already gets one
        of its own, below them."""
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
        """An earlier order: participants who are not to be ranked any more go, new ones come last,
        and where ties are not allowed there are none."""
        kept = [[label for label in group if label in self.met] for group in groups]
        seen = {label for group in kept for label in group}
        kept += [[label] for label in self.met if label not in seen]
        if not self.ties:
            kept = [[label] for group in kept for label in group]
        self._groups = [group for group in kept if group]


def several_attempts(talks: Sequence[Met]) -> bool:
    """Whether a round and place appear more than once, so that the attempt must be said."""
    return len({(round_, place) for round_, _, place in talks}) < len(talks)


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
