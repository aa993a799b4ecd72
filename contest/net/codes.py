"""The codes of seats, links and the organizer: secrets, in a file that only the owner can read.

A code is its seat's name and 60 random bits: `J1-7KQ2-M4XD-9TRA`. The record has only slow hashes
of the codes, sealed. A running server has the codes in memory, and looks them up in a `CodeTable`.
If a code is lost, a new one is issued.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contest.errors import UserError
from contest.net import addresses
from contest.record.bodies import CodeIssued
from contest.record.journal import Journal
from lpp.private import replace_private

#: Letters and digits that can't be confused when read from paper.
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_GROUPS, _GROUP = 3, 4
FILE_NAME = "codes.txt"
#: The name under which the hashes of all codes are sealed at the opening; later ones are sealed as
#: `codes/1` and so on.
SEALED = "codes"
#: Used instead of a seat's name in the codes of the organizer, and of the second person whom the
#: settings may require.
ORGANIZER, WITNESS = "organizer", "witness"
#: The CPU and memory cost of a hash, for scrypt; tests lower it.
SCRYPT_COST = 2**12


def issue(seats: Iterable[str]) -> dict[str, str]:
    """New codes, seat to code."""

    def group() -> str:
        return "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP))

    return {seat: "-".join([seat, *(group() for _ in range(_GROUPS))]) for seat in seats}


def hash_code(code: str, salt: bytes | None = None) -> str:
    """The hash of a code for the record: salt and scrypt, in hex."""
    salt = secrets.token_bytes(16) if salt is None else salt
    key = hashlib.scrypt(normalized(code).encode(), salt=salt, n=SCRYPT_COST, r=8, p=1, dklen=32)
    return f"{salt.hex()}${key.hex()}"


def matches(code: str, kept: str) -> bool:
    """Whether a code matches a hash made by `hash_code`, ignoring case and blanks."""
    salt = bytes.fromhex(kept.partition("$")[0])
    return hmac.compare_digest(hash_code(code, salt), kept)


class CodeTable:
    """The valid codes of one kind of client, by the names that they belong to.

    A look-up compares keyed digests with every code in the table in constant time, so that its
    duration doesn't reveal how close a wrong code is."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        self._key = secrets.token_bytes(32)
        self._digests = {name: self._digest(code) for name, code in codes.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._digests

    def replace(self, name: str, code: str) -> None:
        """Replaces the code of a name."""
        self._digests[name] = self._digest(code)

    def find(self, code: str) -> str | None:
        """The name that a code belongs to, ignoring case and blanks; None if it is not valid."""
        given, found = self._digest(code), None
        for name, digest in self._digests.items():
            if hmac.compare_digest(digest, given):
                found = name
        return found

    def _digest(self, code: str) -> bytes:
        text = normalized(code).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, key=self._key, digest_size=32).digest()


def normalized(code: str) -> str:
    """A code in the form for comparison, which ignores case and blanks."""
    return "".join(code.split()).upper()


def write_file(codes: Mapping[str, str], file: Path) -> None:
    """Writes a private file with the codes: those of seats and links, then the `WITNESS`'s and the
    `ORGANIZER`'s, if present."""
    persons = {WITNESS, ORGANIZER}
    lines = []
    for notice, names in (
        (
            "Codes of the seats, and of links on other machines. Anyone with a code can use it: "
            "give each person only their own.",
            codes.keys() - persons,
        ),
        (
            "The witness's code, to propose or confirm orders about results: only for the witness.",
            {WITNESS},
        ),
        ("The organizer's code. It controls the contest: don't give it to anybody.", {ORGANIZER}),
    ):
        found = [f"{name}\t{code}" for name, code in codes.items() if name in names]
        lines += [f"# {notice}", *found] if found else []
    replace_private(file, "".join(f"{line}\n" for line in lines).encode())


def read_file(file: Path) -> dict[str, str]:
    """The codes in a file of `write_file`, name to code; empty if it can't be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {row[0]: row[1] for row in rows if len(row) == 2}


class Codes:
    """The codes of a contest, with their hashes sealed in its record. A contest without sockets has
    no codes.

    The server looks up codes in `seats`, `links` and `organizers`."""

    def __init__(self, journal: Journal, folder: Path) -> None:
        self._journal, self._folder = journal, folder
        self._sealed = 0
        self._all: dict[str, str] = {}
        self._issued: list[str] = []
        self.seats, self.links, self.organizers = CodeTable({}), CodeTable({}), CodeTable({})

    @property
    def codes(self) -> dict[str, str]:
        """Name to code, for all codes that people have: seats, links on other machines, persons."""
        return self.of(self._issued)

    def of(self, names: Iterable[str]) -> dict[str, str]:
        """The codes of these names."""
        return {name: self._all[name] for name in names}

    async def open(
        self,
        seats: Iterable[str],
        links: Iterable[str],
        persons: Iterable[str],
        local_links: Mapping[str, str],
        sealed: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Issues the codes, or restores those of an earlier server.

        Arguments:
            seats, links: names of the seats, and of the links on other machines.
            persons: `ORGANIZER`, and `WITNESS` if there is one.
            local_links: names of links on this machine, whose codes are not handed out, each with
                the code that the link may still have from an earlier server, or an empty string.
            sealed: for a contest that continues, the hashes sealed under `SEALED`; otherwise None.

        Returns:
            For a contest that continues, the names whose codes were lost and newly issued.

        Raises:
            UserError: if the file has the codes of another contest.
            OSError: if the file can't be written.
        """
        seats, links, persons = list(seats), list(links), list(persons)
        file = self._folder / FILE_NAME
        if sealed is None and file.exists():
            raise UserError(f"{file} has the codes of another contest; move it elsewhere first")
        self._issued = [*seats, *links, *persons]
        names = [*self._issued, *local_links]
        if sealed is not None:
            hashes = _latest(sealed)
            self._sealed = len(sealed) - (SEALED in sealed)
            found = {**read_file(file), **local_links}
            known = [name for name in names if name in found and name in hashes]
            self._all = await asyncio.to_thread(
                lambda: {name: found[name] for name in known if matches(found[name], hashes[name])}
            )
        lost = [name for name in self._issued if name not in self._all]
        new = issue(name for name in names if name not in self._all)
        if sealed is None or new:
            await self._seal(new, first=sealed is None)
        self._all |= new
        if lost:
            write_file(self.codes, file)
        self.seats, self.organizers = CodeTable(self.of(seats)), CodeTable(self.of(persons))
        self.links = CodeTable(self.of([*links, *local_links]))
        return [] if sealed is None else lost

    async def renew(self, name: str, by: str) -> tuple[str, str]:
        """Issues a new code for a seat, link or person. It replaces the old code immediately.
        Returns the code, and in words where to find it.

        Raises:
            RecordTrouble: if it can't be sealed; the old code stays valid then.
        """
        new = issue([name])
        await self._seal(new)
        await self._journal.write_and_wait(None, by, CodeIssued(name))
        self._all |= new
        for table in (self.seats, self.links, self.organizers):
            if name in table:
                table.replace(name, new[name])
        where = f"is in {FILE_NAME}"
        try:
            write_file(self.codes, self._folder / FILE_NAME)
            if name == ORGANIZER:
                addresses.rewrite_code(self._folder, new[name])
        except OSError as exc:
            # The code is valid anyway, and shown to the person who asked for it.
            where = (
                f"must be written down now: {exc.filename} can't be written ({exc.strerror or exc})"
            )
        return new[name], where

    async def _seal(self, codes: Mapping[str, str], *, first: bool = False) -> None:
        hashes = await asyncio.to_thread(
            lambda: {name: hash_code(code) for name, code in codes.items()}
        )
        number = 0 if first else self._sealed + 1
        await self._journal.seal(SEALED if first else f"{SEALED}/{number}", hashes)
        self._sealed = number


def _latest(sealed: Mapping[str, Any]) -> dict[str, str]:
    """The valid hashes: the last one for each name."""
    kept: dict[str, str] = {}
    for name in sorted(sealed, key=lambda name: int(name.partition("/")[2] or 0)):
        kept |= sealed[name]
    return kept
