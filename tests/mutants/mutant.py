"""An echoing bot, and bots that break one rule each, to test the checker.

Run it as `python mutant.py FAULT DIR`; it uses only the standard library. `Mutant` does the same
step by step, with anything that can list, make and remove directories, so that tests can run it in
memory on virtual time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import deque
from pathlib import Path
from typing import Protocol

_APPENDIX = (
    "braceleft { braceright } bracketleft [ bracketright ] parenleft ( parenright ) comma , "
    "period . greater > less < slash / backslash \\ bar | quotedbl \" quoteright ' equal = "
    "underscore _ plus + minus - exclam ! at @ numbersign # dollar $ percent % asterisk * "
    "asciicircum ^ asciitilde ~ quoteleft ` ampersand & colon : semicolon ; question ?"
)
_LISTING = _APPENDIX.split()
SIGNS = dict(zip(_LISTING[::2], _LISTING[1::2], strict=True)) | {"space": " ", "Tab": "\t"}
NAMES = {char: name for name, char in SIGNS.items()}

#: The key names that a fault takes for words.
AS_WORDS = {
    "minus-as-word": {"minus", "quoteright"},
    "names-as-words": SIGNS.keys() - {"space"},
    "tab-as-word": {"Tab"},
    "backspace-as-word": {"BackSpace"},
}

#: Each fault: the outcomes that it explains, the one that names it first. What is not listed must
#: pass, or be reported as `info`, or not be tested.
FAULTS: dict[str, dict[str, str]] = {
    "none": {},
    "silent-forever": {"3/answers": "fail"},
    "late-answers": {"3/answers": "fail"},
    "ends-at-once": {"3/answers": "fail"},
    "unpadded": {
        "2.A.a/lexical": "fail",
        "2.A.a/width": "non-strict",
        "3/restart": "non-strict",  # it counts from 1
    },
    "restarting": {"3/restart": "non-strict"},
    "repeating": {"2.A.a/unique": "fail"},
    "falling": {"2.A.a/numeric": "fail", "2.A.a/lexical": "fail"},
    "widening": {"2.A.a/width": "non-strict", "3/restart": "non-strict"},  # narrow again
    "lettered": {"2.A.a/numeric": "fail", "2.A.a/width": "non-strict"},
    "capital-extension": {"2.A.c/extension": "fail"},
    "judge-extension": {"2.A.c/extension": "fail"},
    "files": {"2.A.d/directory": "fail"},
    "full-directories": {"2.A.d/directory": "fail"},
    "quotedble": {"2.A.b/name": "fail"},
    "literal-blank": {"2.A.b/name": "fail"},
    "minus-as-word": {"2.A.e/spelling": "fail"},
    "names-as-words": {"2.A.e/spelling": "fail"},
    "percent-lost": {"2.A.e/spelling": "fail"},
    "tab-as-word": {"2.A.e/spelling": "fail"},
    "never-removing": {"2.B/removes": "fail", "2.B/prompt": "non-strict"},
    "unknown-not-removed": {"2.B/unknown": "info", "2.B/removes": "pass", "2.B/keys": "pass"},
    "answering-unknown": {"2.B/unknown": "info", "2.B/removes": "pass"},
    "deaf-while-typing": {"2.B/while-typing": "non-strict", "2.B/prompt": "pass"},
    # It reads right, but its own library shifts blanks in some lines.
    "unfaithful": {
        "2.B/keys": "pass",
        "2.B/backspace": "not-tested",
        "2.B/burst": "not-tested",
        "2.B/slow": "not-tested",
        "2.B/removes": "pass",
    },
    "removing-late": {"2.B/prompt": "non-strict"},
    "removing-everything": {"2.B/only": "fail"},
    "removing-own": {"2.B/only": "fail"},
    "speaking-first": {"3/waits": "fail"},
    "speaking-beside-leftovers": {"3/waits": "fail"},
    "losing-in-burst": {"2.B/burst": "non-strict"},
    "dying-on-unknown": {"2.B/keys": "fail"},
    "hanging-on-unknown": {"2.B/keys": "fail", "2.B/removes": "fail"},  # it reads nothing more
    "first-letter-of-unknown": {"2.B/keys": "fail"},
    "unknown-as-word": {"2.B/keys": "fail"},
    "doubling": {
        "2.A.e/spelling": "fail",
        # However they are typed, its lines come back doubled.
        "2.B/keys": "pass",
        "2.B/backspace": "not-tested",
        "2.B/burst": "not-tested",
        "2.B/slow": "not-tested",
    },
    "no-backspace": {"2.B/backspace": "non-strict"},
    "backspace-as-word": {"2.B/backspace": "non-strict"},
    "dying-in-silence": {"3/lives": "non-strict"},
    "hanging-in-silence": {"3/lives": "non-strict", "2.B/removes": "fail"},
    "dying-on-empty": {"3/lives": "non-strict"},
    "dying-on-long": {"3/lives": "non-strict"},
    "impatient": {"2.B/slow": "non-strict"},
    "babbling": {},  # it types on for minutes, whatever it is told
    "flooding": {},  # thousands of keys at once
    "dying-after-first": {
        "3/lives": "non-strict",
        "2.A.e/spelling": "not-tested",  # it is never seen to echo
        "2.B/backspace": "not-tested",
        "2.B/keys": "fail",
        "2.B/while-typing": "non-strict",
        "2.B/slow": "non-strict",
    },
}


class Files(Protocol):
    """A directory."""

    def names(self) -> list[str]:
        """What stands in it."""

    def make(self, name: str, what: str) -> None:
        """Makes "directory", "plain file", or "directory with something in it"."""

    def remove(self, name: str) -> None:
        """Removes what stands there; nothing happens if nothing does."""


class Dies(Exception):
    """The program ends by itself."""


class Mutant:
    """A bot with one fault.

    Arguments:
        fault: a key of `FAULTS`.
        files: the communications directory.
        now: the time in seconds, from the same moment in all lives.
        gap: seconds between two keys that it types.
        echo: whether it says what it is told, or always the same.
        turn: if above 0, it takes one key in so many seconds, and no more.
    """

    def __init__(
        self,
        fault: str,
        files: Files,
        now: float,
        *,
        gap: float = 0.0,
        echo: bool = True,
        turn: float = 0.0,
    ) -> None:
        assert fault in FAULTS, fault
        self.fault = fault
        self.files = files
        self.gap = gap
        self.echo = echo
        self.turn = turn
        self.line: list[str] = []
        self.seen: set[str] = set()
        self.own: list[tuple[float, str]] = []
        self.typed: deque[tuple[float, str]] = deque()
        self.removals: list[tuple[float, str]] = []
        self.last_number = 0 if fault in ("unpadded", "restarting") else int(now * 1e5)
        self.made = 0
        self.last_typed = ""
        self.again = False
        self.last_key: float | None = None
        self.answered = 0
        self.hung = False
        self.next_turn = 0.0
        self.begun = now
        if fault == "ends-at-once":
            raise Dies
        if fault == "speaking-first":
            self.say("Hello", now + 0.5)
        if fault == "speaking-beside-leftovers" and files.names():
            self.say("Hello again", now + 0.5)

    def step(self, now: float) -> None:
        """One turn: reads, thinks, types what is due."""
        self.read(now)
        self.type(now)
        for due, name in [r for r in self.removals if r[0] <= now]:
            self.removals.remove((due, name))
            self.files.remove(name)
        if self.last_key is not None and now - self.last_key > 7.0:
            if self.fault == "dying-in-silence":
                raise Dies
            self.hung = self.hung or self.fault == "hanging-in-silence"
        if self.fault == "impatient" and self.line and now - (self.last_key or now) > 0.7:
            self.end_line(now)

    def read(self, now: float) -> None:
        deaf = self.fault == "deaf-while-typing" and self.typed
        names = [] if self.hung or deaf else self.files.names()
        if self.fault == "removing-everything":
            for name in names:
                if not name.endswith(".judge"):
                    self.files.remove(name)
        found = sorted(n for n in names if n.endswith(".judge") and n not in self.seen)
        if self.fault == "losing-in-burst" and len(found) >= 100:
            lost = found.pop(70)
            self.files.remove(lost)
        if self.turn:
            found = found[:1] if now >= self.next_turn else []
            self.next_turn = now + self.turn if found else self.next_turn
        for name in found:
            self.last_key = now
            key = name.split(".", 1)[1].rsplit(".", 1)[0]
            if self.hung:
                return
            left = self.fault == "unknown-not-removed" and not self.known(key)
            if left or self.fault == "never-removing":
                self.seen.add(name)
            elif self.fault == "removing-late":
                self.seen.add(name)
                self.removals.append((now + 1.7, name))
            else:
                self.files.remove(name)
            self.take(key, now)

    @staticmethod
    def known(key: str) -> bool:
        return len(key) == 1 or key in SIGNS or key in ("Return", "BackSpace")

    def take(self, key: str, now: float) -> None:
        char = key if len(key) == 1 else SIGNS.get(key, "")
        if key in AS_WORDS.get(self.fault, ()):
            char = key
        if self.fault == "percent-lost" and key == "percent":
            char = ""
        if not self.known(key):
            if self.fault == "dying-on-unknown":
                raise Dies
            self.hung = self.fault == "hanging-on-unknown"
            if self.fault == "first-letter-of-unknown":
                char = key[0]
            if self.fault == "unknown-as-word":
                char = key
            if self.fault == "answering-unknown" and not self.line:
                self.say("Did you leave home when you were young?\n", now)
        if key == "Return":
            self.end_line(now)
        elif key == "BackSpace" and not char:
            if self.line and self.fault != "no-backspace":
                self.line.pop()
        elif char:
            self.line.append(char * 2 if self.fault == "doubling" else char)

    def end_line(self, now: float) -> None:
        line = "".join(self.line)
        self.line.clear()
        if self.fault == "dying-on-long" and len(line) > 300:
            raise Dies
        if not line.strip():
            if self.fault == "dying-on-empty":
                raise Dies
            return
        if self.fault == "silent-forever":
            return
        if self.fault == "dying-after-first" and self.answered and now - self.begun > 1.0:
            raise Dies
        self.answered += 1
        if self.fault == "babbling":
            self.gap = 0.05
            self.say("blah " * 1000, now)
            return
        if self.fault == "flooding":
            self.say("blah " * 1000, now)
        if self.fault == "deaf-while-typing":
            self.gap = self.gap or 0.1
        if self.fault == "unfaithful" and any(word in line for word in ("on", "so", "old")):
            line = line.replace(" ", "  ", 1)
        answer = line if self.echo else "I see. Do go on."
        self.say(answer + "\n", now + (40.0 if self.fault == "late-answers" else 0.0))

    def say(self, text: str, at: float) -> None:
        at = max(at, self.typed[-1][0] if self.typed else 0.0)
        for char in text:
            at += self.gap
            self.typed.append((at, "Return" if char == "\n" else NAMES.get(char, char)))

    def type(self, now: float) -> None:
        while self.typed and self.typed[0][0] <= now:
            self.press(self.typed.popleft()[1], now)
        while self.own and self.own[0][0] < now - 0.1:
            self.files.remove(self.own.pop(0)[1])

    def press(self, key: str, now: float) -> None:
        self.made += 1
        self.again = key == self.last_typed
        self.last_typed = key
        name = f"{self.sequence(now)}.{self.spelt(key)}.{self.extension()}"
        what = {"files": "plain file", "full-directories": "directory with something in it"}
        self.seen.add(name)
        if self.fault == "removing-own":
            self.own.append((now, name))
        with contextlib.suppress(FileExistsError):
            self.files.make(name, what.get(self.fault, "directory"))

    def sequence(self, now: float) -> str:
        if self.fault in ("unpadded", "restarting"):
            self.last_number += 1
        elif not (self.fault == "repeating" and self.made % 9 == 0 and not self.again):
            self.last_number = max(self.last_number + 2, int(now * 1e5))
        number = self.last_number
        if self.fault == "falling" and self.made % 7 == 0:
            number -= 3
        if self.fault == "unpadded":
            return str(number)
        if self.fault == "lettered":
            return f"n{number:012d}"
        if self.fault == "widening" and self.made > 20:
            return f"1{number:016d}"
        return f"{number:016d}"

    def spelt(self, key: str) -> str:
        if self.fault == "quotedble" and key == "quotedbl":
            return "quotedble"
        if self.fault == "literal-blank" and key == "space":
            return " "
        return key

    def extension(self) -> str:
        return {"capital-extension": "Other", "judge-extension": "judge"}.get(self.fault, "other")


class RealFiles:
    """A directory of this machine."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def names(self) -> list[str]:
        return os.listdir(self.path)

    def make(self, name: str, what: str) -> None:
        if what == "plain file":
            (self.path / name).touch()
            return
        (self.path / name).mkdir()
        if what != "directory":
            (self.path / name / "note").touch()

    def remove(self, name: str) -> None:
        target = self.path / name
        try:
            if target.is_file():
                target.unlink()
            elif target.is_dir():
                for inside in target.iterdir():
                    inside.unlink()
                target.rmdir()
        except FileNotFoundError:
            pass


def main() -> int:
    fault, directory = sys.argv[1:3]
    gap = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    try:
        mutant = Mutant(fault, RealFiles(directory), time.time(), gap=gap)
        while True:
            mutant.step(time.time())
            time.sleep(0.01)
    except Dies:
        print("this program has died of its fault", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
