"""Small Python programs for the tests."""

from __future__ import annotations

import sys
from pathlib import Path

#: Repeats each line.
ECHO = """
import sys
for line in sys.stdin:
    print("You said:", line.rstrip("\\n"))
"""

#: Obeys lines of JSON, which say what to write, and optionally how to end.
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
    """Writes a program to a file. Returns the command that runs it."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return (sys.executable, "-S", str(file))
