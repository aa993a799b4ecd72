"""Makes file names from any text, such as the name of a contest, a person or a program.

The names must also be valid on a judge's Windows machine, and on the USB stick that carries the
record home. So the strictest rules apply everywhere: Microsoft's "Naming Files, Paths, and
Namespaces" for forbidden characters and names, and Linux's limit of 255 bytes of UTF-8.
"""

from __future__ import annotations

import re
import unicodedata

#: The maximum number of bytes of UTF-8 in a name; leaves room for a caller's prefix and extension.
LIMIT = 100

#: The characters that are kept, besides letters, digits and marks of any script.
_PLAIN = frozenset(" -_.,()'")

#: Names of Windows devices, which Windows reserves with any extension.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])", re.IGNORECASE)


def safe_name(text: str) -> str:
    """The name for a file or directory that is valid on every system and closest to a text.

    It is not a path: it has no separator and no drive, and doesn't lead upwards. It neither begins
    nor ends with a dot or a blank, and does not look like an option. An extension may be appended.
    Two texts may get the same name, and Windows ignores case; callers that write many files must
    check for that.

    Arguments:
        text: any text; it may be empty or have control characters.

    Returns:
        The name, never empty. Applied to it, this function returns it unchanged.
    """
    kept = (
        char if char in _PLAIN or unicodedata.category(char)[0] in "LNM" else "_"
        for char in unicodedata.normalize("NFC", text)
    )
    name = _trimmed(re.sub("_{2,}", "_", "".join(kept)))
    if is_device(name):
        # One byte more, so trim again; the result is not a device.
        name = _trimmed(f"_{name}")
    return name or "_"


def is_device(name: str) -> bool:
    """Whether Windows treats a name as a device, such as `CON` or `com1.txt`.

    Arguments:
        name: a file's name, with or without an extension.
    """
    # Windows ignores blanks before the first dot, and accepts superscript digits, as in "COM¹".
    stem = unicodedata.normalize("NFKC", name).partition(".")[0].strip()
    return _DEVICE.fullmatch(stem) is not None


def _trimmed(name: str) -> str:
    as_bytes = name.lstrip(" .-").encode("utf-8")[:LIMIT]
    return as_bytes.decode("utf-8", "ignore").rstrip(" .")
