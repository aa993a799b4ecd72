"""A rater's seat, without Qt: the current item, the rater's input, and the next request to the
server.

The server's addresses and documents are in docs/reference/raters.md. There is one request at a
time. What was typed is sent before another item is asked for, so it always belongs to the item at
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec

from lpp.errors import UserError

#: A label, and its lines.
Part: TypeAlias = tuple[str, tuple[str, ...]]
#: The suffix that makes the name of a scale's comment from the scale's name.
COMMENT = " comment"


class Scale(msgspec.Struct, frozen=True):
    """What the rater gives a score for; `anchors` says what scores mean, `comment` is the question
    that a comment answers, empty if there is none."""

    name: str
    question: str
    checks: tuple[str, ...]
    scores: tuple[int, ...]
    anchors: dict[int, str]
    comment: str


class Overview(msgspec.Struct, frozen=True):
    """What is rated, and how far the rater has got; `place` is the item to go on with."""

    title: str
    noun: str
    criteria: tuple[Scale, ...]
    of: int
    left: tuple[int, ...]
    place: int | None


class RatedItem(msgspec.Struct, frozen=True):
    """An item as a rater sees it, and what they have typed for it; `item` identifies it,
    because another item may have the same number later."""

    item: str
    typed: dict[str, str]
    note: str
    panels: tuple[tuple[str, tuple[Part, ...]], ...]
    before: tuple[Part, ...]
    target: tuple[str, str]


class Request(NamedTuple):
    """A request: what follows the link, and the fields to save; None to read."""

    path: str
    fields: Mapping[str, str] | None = None


class RaterModel:
    """The rater's seat.

    Arguments:
        draft: what an earlier window could not save, as `draft` returned it; None if there is none.

    Attributes:
        overview, item: as last read; None until then.
        number: of the item at hand; 0 if there is none.
        left: the numbers of items that lack a score.
        typed: what was typed for the item at hand: score or comment by name.
        unsaved: the part of it that the server has not saved yet.
        refused: why the server refused that part; empty if it did not.
        asked_for: the scales that lacked a score when the rater wanted to go on.
    """

    def __init__(self, draft: Any = None) -> None:
        self._draft = draft if isinstance(draft, dict) else {}
        self.overview: Overview | None = None
        self.item: RatedItem | None = None
        self.number = 0
        self.left: tuple[int, ...] = ()
        self.typed: dict[str, str] = {}
        self.unsaved: dict[str, str] = {}
        self.refused = ""
        self.asked_for: tuple[str, ...] = ()
        self._goal = 0

    @property
    def draft(self) -> dict[str, Any] | None:
        """What must not be lost; None if everything is saved."""
        if self.item is None:
            return self._draft or None
        if not self.unsaved:
            return None
        return {"number": self.number, "item": self.item.item, "fields": dict(self.unsaved)}

    def request(self) -> Request | None:
        """The next request; None if there is nothing to ask."""
        if self.overview is None:
            return Request("")
        if self.item is not None and self.unsaved and not self.refused:
            return Request(f"/{self.number}", {"item": self.item.item, **self.unsaved})
        return Request(f"/{self._goal}") if self._goal and not self.unsaved else None

    # What the rater does

    def type(self, name: str, text: str) -> None:
        """The rater has typed a comment or chosen a score, and so stays at this item. `name` is the
        scale's; for a comment, `COMMENT` is appended."""
        if self.typed.get(name, "") != text:
            self.typed[name] = self.unsaved[name] = text
            self.refused, self.asked_for = "", ()
            self._goal = 0

    def go(self, number: int, *, complete: bool = False) -> None:
        """The rater wants to see another item. The present one is saved first, and must have all
        scores if `complete`. After the last item, the next one is the first that lacks a
        score."""
        scales = self.overview.criteria if self.overview is not None else ()
        without = (each.name for each in scales if not self.typed.get(each.name))
        self.asked_for = tuple(without) if complete else ()
        self._goal = 0 if self.asked_for else max(1, number)
        self._settle()

    def _settle(self) -> None:
        """Finds out which item is next, once all is saved."""
        if self.overview is None or self.unsaved:
            return
        if self._goal > self.overview.of:
            self._goal = self.left[0] if self.left else 0
        if self._goal == self.number:
            self._goal = 0

    # What the server answers

    def answered(self, request: Request, document: bytes) -> None:
        """Takes an answer.

        Raises:
            msgspec.DecodeError: if it is not the answer of a raters' server.
        """
        if request.fields is not None:
            self.left = msgspec.json.decode(document, type=_Saved).left
            # What was typed since then is not saved yet.
            sent = request.fields
            self.unsaved = {n: text for n, text in self.unsaved.items() if sent.get(n) != text}
            self._settle()
        elif not request.path:
            overview = msgspec.json.decode(document, type=Overview)
            self.overview, self.left = overview, overview.left
            if self.item is None:
                number = self._draft.get("number")
                if not isinstance(number, int) or not 0 < number <= overview.of:
                    number = overview.place or min(1, overview.of)
                self._goal = number
        elif request == self.request():
            self.item = item = msgspec.json.decode(document, type=RatedItem)
            self.number, self._goal, self.typed = self._goal, 0, dict(item.typed)
            draft, self._draft = self._draft, {}
            if draft.get("number") == self.number and draft.get("item") == item.item:
                self.unsaved = {str(n): str(text) for n, text in draft["fields"].items()}
                self.typed |= self.unsaved

    def rejected(self, request: Request, words: str) -> None:
        """The server refuses a request. What was typed stays, and is sent again when it is changed.
        If an item is not there any more, the overview is read again."""
        self._goal = 0
        if request.fields is not None:
            self.refused = words
        else:
            self.overview, self._draft = None, {}


class _Saved(msgspec.Struct, frozen=True):
    left: tuple[int, ...]


def rater_link(text: str) -> tuple[str, str]:
    """A rater's link without what may follow the code, and the code.

    Raises:
        UserError: if it is not a rater's link.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or True)
    except ValueError:
        sound = False
    if sound:
        first, code, *_ = (*parts.path.strip("/").split("/"), "")
        if first == "r" and code and text.isprintable() and " " not in text:
            return f"{parts.scheme}://{parts.netloc}/r/{code}", code
    raise UserError(f"{text!r} is not a rater's link; it looks like http://HOST:PORT/r/CODE")
