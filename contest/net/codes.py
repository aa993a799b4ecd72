"""Codes of the seats: secrets, written once to a file that only the owner can read, kept as hashes.

A code is its seat's name and 60 random bits: `J1-7KQ2-M4XD-9TRA`. The slow hash is for what is
written down. A server that runs has the codes at hand, and looks them up in a `CodeTable`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from lpp.private import open_private

#: Letters and digits that nobody mistakes for others when reading from paper.
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_GROUPS, _GROUP = 3, 4
FILE_NAME = "codes.txt"
#: In the place of a seat, in the organizer's own code, and in that of the second person whom the
#: settings may require.
ORGANIZER, WITNESS = "organizer", "witness"


def issue(seats: Iterable[str]) -> dict[str, str]:
    """New codes, seat to code."""
    return {seat: f"{seat}-{_random_part()}" for seat in seats}


def _random_part() -> str:
    return "-".join(
        "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS)
    )


def hashed(code: str, salt: bytes | None = None) -> str:
    """The hash to keep of a code: salt and scrypt, in hex."""
    salt = secrets.token_bytes(16) if salt is None else salt
    key = hashlib.scrypt(normal(code).encode(), salt=salt, n=2**12, r=8, p=1, dklen=32)
    return f"{salt.hex()}${key.hex()}"


def fits(code: str, kept: str) -> bool:
    """Whether a code is the one that a hash was made of.

    Arguments:
        code: as typed; case and blanks do not matter.
        kept: what `hashed` gave.
    """
    salt = bytes.fromhex(kept.partition("$")[0])
    return hmac.compare_digest(hashed(code, salt), kept)


class CodeTable:
    """The codes that are good at one door.

    A code is looked up by a digest under a random key, and compared with every one of the table in
    constant time. So the time of a look-up doesn't tell how close a wrong code is.

    Arguments:
        codes: what each code opens, such as a seat, to the code.
    """

    def __init__(self, codes: Mapping[str, str]) -> None:
        self._key = secrets.token_bytes(32)
        self._digests = {name: self._digest(code) for name, code in codes.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._digests

    def replace(self, name: str, code: str) -> None:
        """Puts a new code in the place of a name's old one."""
        self._digests[name] = self._digest(code)

    def find(self, code: str) -> str | None:
        """The name that a code opens, or None; case and blanks do not matter."""
        given, found = self._digest(code), None
        for name, digest in self._digests.items():
            if hmac.compare_digest(digest, given):
                found = name
        return found

    def _digest(self, code: str) -> bytes:
        text = normal(code).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, key=self._key, digest_size=32).digest()


def normal(code: str) -> str:
    """A code as it is compared: case and blanks do not matter."""
    return "".join(code.split()).upper()


def write_file(codes: Mapping[str, str], file: Path, organizer: str = "") -> None:
    """Writes the codes to a file that only its owner can read.

    Arguments:
        codes: seat to code; `WITNESS` among them where there is one.
        file: which; it is made.
        organizer: the organizer's own code; empty for none.

    Raises:
        OSError: if it can't be written, or is there already.
    """
    handle = open_private(file, os.O_EXCL)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(
            "# Codes of the seats. Who has a code can sit there: hand out, and keep secret.\n"
        )
        for seat, code in codes.items():
            if seat != WITNESS:
                out.write(f"{seat}\t{code}\n")
        if WITNESS in codes:
            out.write(
                "# The witness's, who confirms what changes results: for the second person alone.\n"
            )
            out.write(f"{WITNESS}\t{codes[WITNESS]}\n")
        if organizer:
            out.write("# The organizer's. Who has it controls the contest: hand out to nobody.\n")
            out.write(f"{ORGANIZER}\t{organizer}\n")


def read_file(file: Path) -> dict[str, str]:
    """The codes in a file as `write_file` makes it, name to code; none if it can't be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def replace_file(codes: Mapping[str, str], file: Path, organizer: str = "") -> None:
    """Writes the codes anew, in the place of the file that is there; see `write_file`.

    Raises:
        OSError: if it can't be written; the file is as it was then.
    """
    new = file.with_name(file.name + ".new")
    new.unlink(missing_ok=True)
    write_file(codes, new, organizer)
    new.replace(file)
