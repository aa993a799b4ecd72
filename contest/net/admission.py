"""Who is let in: the codes of a contest when it is opened, and when it is taken up again.

The record keeps hashes alone, sealed. The codes themselves stand in a file of the contest's folder;
those that are lost there are issued anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contest.errors import YoursToFix
from contest.net import codes
from contest.record.journal import Journal

#: Names under which hashes of codes are sealed: all at once at the opening, and one by one.
SEALED = "codes"


@dataclass
class Admission:
    """The codes of a contest, changed where one is issued anew.

    Attributes:
        codes: name to code; of seats, links and the organizer.
        lost: names whose codes were not known any more, and were issued anew.
        sealed: how many were sealed one by one.
    """

    codes: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    sealed: int = 0

    def of(self, names: Iterable[str]) -> dict[str, str]:
        """The codes of some."""
        return {name: self.codes[name] for name in names}


async def admit(
    journal: Journal,
    file: Path,
    public: Iterable[str],
    private: Mapping[str, str],
    sealed: Mapping[str, Any] | None = None,
) -> Admission:
    """Issues codes, or knows them again.

    Arguments:
        journal: the record, where their hashes are sealed.
        file: where the codes stand, or are to stand.
        public: names of seats and links whose codes are handed out, and of the organizer; those in
            the file.
        private: names of links on this machine, whose codes nobody has to know, each with the code
            that a link may still have from an earlier server; empty for none.
        sealed: of a contest that is taken up, what was sealed under `SEALED`; None for a new one.

    Raises:
        YoursToFix: if codes of another contest stand in the file.
        OSError: if the file can't be written.
    """
    if sealed is None and file.exists():
        raise YoursToFix(f"{file}: codes of another contest are here; move them away first")
    names, ours = list(public), list(private)
    admission = Admission()
    if sealed is not None:
        kept = _kept(sealed)
        admission.sealed = sum(name.rpartition("/")[2].isdigit() for name in sealed)
        listed = {**codes.read_file(file), **private}
        read = await asyncio.to_thread(_still_good, listed, kept)
        admission.codes = {name: read[name] for name in (*names, *ours) if name in read}
        admission.lost = [name for name in names if name not in read]
    new = codes.issue(name for name in (*names, *ours) if name not in admission.codes)
    hashes = await asyncio.to_thread(
        lambda: {name: codes.hashed(code) for name, code in new.items()}
    )
    if sealed is None:
        await journal.seal(SEALED, hashes)
    elif hashes:
        admission.sealed += 1
        await journal.seal(f"{SEALED}/{admission.sealed}", hashes)
    admission.codes |= new
    shown = admission.of(names)
    organizer = shown.pop(codes.ORGANIZER, "")
    if sealed is None:
        codes.write_file(shown, file, organizer)
    elif admission.lost:
        codes.replace_file(shown, file, organizer)
    return admission


def _kept(sealed: Mapping[str, Any]) -> dict[str, str]:
    """The hashes that hold: the last of each name."""

    def order(name: str) -> tuple[bool, int]:
        number = name.rpartition("/")[2]
        return number.isdigit(), int(number) if number.isdigit() else 0

    kept: dict[str, str] = {}
    for name in sorted(sealed, key=order):
        kept |= sealed[name]
    return kept


def _still_good(read: Mapping[str, str], kept: Mapping[str, str]) -> dict[str, str]:
    """Those of the codes in a file that open what they are said to open."""
    return {
        name: code for name, code in read.items() if name in kept and codes.fits(code, kept[name])
    }
