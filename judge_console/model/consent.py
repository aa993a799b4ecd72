"""A person's consent to publication, and the name to be published, as they are chosen."""

from __future__ import annotations

import unicodedata
from typing import Any, Final, Literal

from judge_console.model.decision import Form, sound
from lpp.wire import Consent, Saved

#: Characters of a pseudonym at most; the server counts them in the same way.
PSEUDONYM_LIMIT: Final = 40


class ConsentForm(Form[Consent]):
    """An answer to what is recorded and published.

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
        if self.can_change and publish is not self.publish:
            self.publish = publish
            self._touched()

    def call(self, pseudonym: str) -> None:
        """Under which name."""
        if self.can_change and pseudonym != self.pseudonym:
            self.pseudonym = pseudonym
            self._touched()

    @property
    def name(self) -> str:
        """The pseudonym as it is sent: as the server keeps it, so that its answer is known for
        the answer to this: in NFC, with single spaces, and none at the ends."""
        return " ".join(unicodedata.normalize("NFC", sound(self.pseudonym)).split())

    @property
    def wrong(self) -> Literal["long", "unseen"] | None:
        """What is wrong with the pseudonym; the server knows further reasons to refuse one."""
        if len(self.name) > PSEUDONYM_LIMIT:
            return "long"
        return None if self.name.isprintable() else "unseen"

    # Form

    def message(self) -> Consent | None:
        """See `Form`."""
        if self.publish is None or self.wrong is not None:
            return None
        return Consent(self.publish, self.name)

    def said(self, saved: Saved) -> Consent | None:
        """See `Form`."""
        return None if saved.publish is None else Consent(saved.publish, saved.pseudonym)

    def show(self, message: Consent) -> None:
        """See `Form`."""
        self.publish, self.pseudonym = message.publish, message.pseudonym

    def content(self) -> Any:
        """See `Form`."""
        return {"publish": self.publish, "pseudonym": sound(self.pseudonym)}

    def take(self, content: Any) -> bool:
        """See `Form`."""
        match content:
            case {"publish": bool() | None as publish, "pseudonym": str(pseudonym)}:
                self.publish, self.pseudonym = publish, pseudonym
                return True
        return False
