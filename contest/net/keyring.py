"""The codes of a running contest: what each door looks them up in, and how one is issued anew.

A new code holds at once and the old one opens nothing any more; its hash is sealed in the record
before. The code itself stands in the file of codes and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contest.net import codes, door
from contest.net.admission import SEALED, Admission
from contest.record.bodies import CodeIssued
from contest.record.journal import Journal


@dataclass(frozen=True, slots=True)
class NewCode:
    """A code that was issued anew.

    Attributes:
        code: it.
        where: in words where it is to be found.
    """

    code: str
    where: str


class Keyring:
    """All codes that are handed out.

    Arguments:
        journal: the record.
        admission: all codes; changed here.
        doors: the tables in which the server looks codes up; changed here.
        handed_out: names of those whose codes stand in the file, in its order.
        file: where.
        folder: the contest's, where the organizer's door stands.
    """

    def __init__(
        self,
        journal: Journal,
        admission: Admission,
        doors: Iterable[codes.CodeTable],
        handed_out: Sequence[str],
        file: Path,
        folder: Path,
    ) -> None:
        self._journal = journal
        self._admission = admission
        self._doors = list(doors)
        self._handed_out = list(handed_out)
        self._file, self._folder = file, folder

    @property
    def codes(self) -> dict[str, str]:
        """Name to code of all that are handed out: seats, links on other machines, `organizer`, and
        `witness` where there is one."""
        return self._admission.of(self._handed_out)

    def __contains__(self, name: str) -> bool:
        return name in self._handed_out

    async def renew(self, name: str, by: str) -> NewCode:
        """Issues a new code.

        Arguments:
            name: whose.
            by: who has it done.

        Raises:
            RecordTrouble: if it can't be sealed; the old code holds then.
        """
        code = codes.issue([name])[name]
        hash_ = await asyncio.to_thread(codes.hashed, code)
        await self._journal.seal(f"{SEALED}/{self._admission.sealed + 1}", {name: hash_})
        self._admission.sealed += 1
        await self._journal.written(None, by, CodeIssued(name))
        self._admission.codes[name] = code
        for table in self._doors:
            if name in table:
                table.replace(name, code)
        where = f"is in {self._file.name}"
        given = self.codes
        organizer = given.pop(codes.ORGANIZER, "")
        try:
            codes.replace_file(given, self._file, organizer)
            if name == codes.ORGANIZER:
                door.rewrite(self._folder, code)
        except OSError as exc:
            # The code holds all the same, and whoever asked is shown it.
            where = f"must be noted down: {exc.filename} can't be written ({exc.strerror or exc})"
        return NewCode(code, where)
