"""An entry for tests: types an endless, predictable text, and notes each key of the judge that it
reads.

    python -m tests.faults.stubborn_entry DIR NOTES

It implements LPP independently, with its own code for names, so that a fault of ours can't hide.
When restarted, it continues with the next number.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path

#: Seconds between two reads of the directory; the entry types after this many reads.
LOOK = 0.01
EVERY = 2


def letter(n: int) -> str:
    """The entry's key number `n`, from 1; nearby runs of ten keys all differ."""
    return "abcdefghijklmnopqrstuvwxyz"[(n * n + n // 26) % 26]


def main(directory: Path, notes: Path) -> None:
    """Runs until it is killed."""
    past = [path.name for path in directory.iterdir() if path.name.endswith(".other")]
    typed = 0
    begun = False
    file = notes.open("a", encoding="utf-8")
    for turn in itertools.count():
        # The lexically smallest first, as a winning entry of the contest's own time read.
        for name in sorted(n for n in os.listdir(directory) if n.endswith(".judge")):
            (directory / name).rmdir()
            file.write(name + "\n")
            file.flush()
            begun = True
        if begun and turn % EVERY == 0:
            typed += 1
            number = len(past) + typed
            (directory / f"{number:010d}.{letter(number)}.other").mkdir()
        time.sleep(LOOK)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
