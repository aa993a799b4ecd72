"""Programs of a few lines for the tests, written in Python."""

from __future__ import annotations

import sys
from pathlib import Path

#: Says each line back.
ECHO = """
import sys
for line in sys.stdin:
    print("You said:", line.rstrip("\\n"))
"""

#: Does what it is told: a line of JSON gives what to write, then perhaps how to end.
OBEDIENT = """
import json, os, sys, time
print("pid", os.getpid(), file=sys.stderr)
count = 0
for line in sys.stdin:
    count += 1
    order = json.loads(line)
    sys.stdout.write(order.get("write", "").replace("COUNT", str(count)))
    if "raw" in order:
        sys.stdout.flush()
        os.write(1, bytes(order["raw"]))
    sys.stdout.flush()
    if "exit" in order:
        sys.exit(order["exit"])
"""


def script(folder: Path, text: str, name: str = "program.py") -> tuple[str, ...]:
    """Writes a program; gives the words that run it."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return (sys.executable, "-S", str(file))
