"""The directories behind a desk without a server, and who keeps its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from judge_console.model.desknotes import Noted


class Recorder(Protocol):
    """Keeps the record of a desk."""

    @property
    def slow(self) -> bool:
        """Whether `write` may take milliseconds, so that it belongs on another thread."""

    @property
    def where(self) -> str:
        """Where the record is, for the person."""

    def write(self, notes: Sequence[Noted]) -> None:
        """Puts notes on record, in their order; when it returns they are durable.

        Raises:
            OSError: if they are not, none of them: they will be given again.
        """

    def close(self) -> None:
        """Nothing more will come."""
