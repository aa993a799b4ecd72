"""What the board's forms do to a season, by the same functions as the commands of
`loebner screen`, and with the same checks. A season is written by one at a time.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from contest.board.season_fields import Typed, changed_in
from contest.errors import InUse, WrongMoment
from contest.screening import registering
from contest.screening.bodies import Conformance, ItemTested
from contest.screening.compliance import Assessment
from contest.screening.examining import record_test
from contest.screening.registering import Registered
from contest.screening.season import Season


class Stale(WrongMoment):
    """An entry was changed since the form about it was shown."""


class Hand:
    """The organizer's hand on a season; each step opens it, writes, and lets go of it.

    Arguments:
        folder: the contest's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.Lock()

    @contextlib.contextmanager
    def _season(self) -> Iterator[Season]:
        # Two forms that are sent at once wait for each other: neither is refused for the other.
        with self._turn:
            try:
                season = Season(self._folder)
            except InUse as exc:
                raise InUse(
                    "nothing is written: a command of `loebner screen` holds the season just now, "
                    "and one at a time writes it. Send the form again when that has ended"
                ) from exc
            with season:
                yield season

    def add(self, values: Typed, by: str, anyway: str) -> Registered:
        """Registers an entry; see `registering.add`."""
        with self._season() as season:
            return registering.add(season, values, by, anyway=anyway)

    def change(self, id_: str, version: str, values: Typed, by: str, reason: str) -> Registered:
        """Corrects an entry: those fields that are not as they were shown.

        Arguments:
            id_: the entry's.
            version: the number of the version that was shown.
            values: all fields, as they are to be.
            by: who says so.
            reason: why.

        Raises:
            Stale: if the entry has another version by now.
            ContestError: as `registering.change` does.
        """
        with self._season() as season:
            entry = registering.register_in(season).find(id_)
            if str(entry.versions[-1].number) != version:
                raise Stale(f"nothing is written: {id_} was changed since this form was shown")
            changed = changed_in(values, entry.form)
            if not changed:
                raise WrongMoment(f"{id_} stands in the register like this already")
            return registering.change(season, id_, changed, by, reason)

    def withdraw(self, id_: str, by: str, reason: str) -> None:
        """Takes an entry out; see `registering.withdraw`."""
        with self._season() as season:
            registering.withdraw(season, id_, by, reason)

    def restore(self, id_: str, by: str, reason: str) -> Registered:
        """Takes a withdrawal back; see `registering.restore`."""
        with self._season() as season:
            return registering.restore(season, id_, by, reason)

    def test(
        self,
        id_: str,
        items: Mapping[str, ItemTested],
        by: str,
        *,
        tested: dt.date,
        conformance: Conformance | None,
        out_of_order: str,
    ) -> Assessment:
        """Puts on record what came out of a test; see `examining.record_test`."""
        with self._season() as season:
            return record_test(
                season,
                id_,
                items,
                by,
                tested=tested,
                conformance=conformance,
                out_of_order=out_of_order,
            )
