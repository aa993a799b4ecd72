"""Names of files, made of any text: a contest's, a person's, a program's.

A name that passes must be valid on a judge's Windows terminal too, and on the stick that the record
is carried home on. So the strictest rules hold everywhere: Microsoft's "Naming Files, Paths, and
Namespaces" for what no name may hold or be, and 255 bytes of UTF-8 for its length on Linux.
"""

from __future__ import annotations

import re
import unicodedata

#: Bytes of UTF-8 that a name may have: leaves room for what a caller puts before and behind it.
LIMIT = 100

#: What is left as it is, beside letters, digits and marks of any script.
_PLAIN = frozenset(" -_.,()'")

#: Devices of Windows, which take each file of that name for themselves, whatever its ending.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])", re.IGNORECASE)


def safe_name(text: str, limit: int = LIMIT) -> str:
    """A file's or directory's name that every system takes, as near to a text as can be.

    It is not a path: no separator, no drive, nothing that leads upwards. It neither begins nor ends
    with a dot or a blank, and does not begin like an option. An ending may be put behind it. Two
    texts may get one name, and Windows sees no difference between capitals and small letters: who
    writes many files looks for that.

    Arguments:
        text: any text, empty or with control characters too.
        limit: bytes of UTF-8 that the name has at most; at least 1.

    Returns:
        The name, never empty. It is its own safe name.
    """
    if limit < 1:
        raise ValueError(f"a name needs at least one byte, not {limit}")
    kept = (
        char if char in _PLAIN or unicodedata.category(char)[0] in "LNM" else "_"
        for char in unicodedata.normalize("NFC", text)
    )
    name = _trimmed(re.sub("_{2,}", "_", "".join(kept)), limit)
    if is_device(name):
        # One byte more, so cut once more; what is left of it then is not a device.
        name = _trimmed(f"_{name}", limit)
    return name or "_"


def is_device(name: str) -> bool:
    """Whether Windows takes a name for a device, such as `CON` or `com1.txt`.

    Arguments:
        name: of a file, with or without an ending.
    """
    # Blanks before the first dot do not count, and superscript digits do, as in "COM¹".
    stem = unicodedata.normalize("NFKC", name).partition(".")[0].strip()
    return _DEVICE.fullmatch(stem) is not None


def _trimmed(name: str, limit: int) -> str:
    as_bytes = name.lstrip(" .-").encode("utf-8")[:limit]
    return as_bytes.decode("utf-8", "ignore").rstrip(" .")
