"""What another end is told that can't have what it asks for."""

from __future__ import annotations


class Refusal(Exception):
    """The connection is refused, or of no more use; the text is for a person.

    Attributes:
        code: stable, as docs/reference/wire.md and link.md have it.
        answers: the type of the frame that is refused; empty if there was none.
    """

    def __init__(self, code: str, message: str, answers: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.answers = answers
