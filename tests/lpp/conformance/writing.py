"""Wire logs written by hand."""

from __future__ import annotations

from collections.abc import Iterable

from lpp.conformance.log import DIRECTORY, Kind, Log
from lpp.names import keys_of


class Writer:
    """Writes a log as a talk would; each entry is 10 ms after the previous one."""

    def __init__(self) -> None:
        self.log = Log()
        self.at = 0.0
        self.theirs = 100
        self.ours = 0

    def add(self, kind: Kind, name: str = "", what: str = DIRECTORY, detail: str = "") -> Writer:
        self.at += 0.01
        self.log.add(self.at, kind, name, what, detail)
        return self

    def start(self) -> Writer:
        self.log.life += 1
        return self.add(Kind.STARTED)

    def act(self, name: str) -> Writer:
        self.log.act = name
        return self.add(Kind.ACT, detail=name)

    def wait(self, seconds: float) -> Writer:
        self.at += seconds
        return self

    def made(self, *names: str, what: str = DIRECTORY) -> Writer:
        for name in names:
            self.add(Kind.MADE, name, what)
        return self

    def says(self, text: str) -> Writer:
        for key in keys_of(text):
            self.theirs += 1
            self.made(f"{self.theirs:010d}.{key}.other")
        return self

    def press(self, keys: Iterable[str], removed_after: float | None = 0.0) -> Writer:
        for key in keys:
            self.ours += 1
            name = f"{self.ours:010d}.{key}.judge"
            self.add(Kind.PRESSED, name)
            if removed_after is not None:
                self.wait(removed_after).add(Kind.GONE, name)
        return self

    def ask(self, told: str, answer: str | None = None, ended: str = "") -> Writer:
        self.press(keys_of(told + "\n"))
        self.add(Kind.ASKED, detail=told)
        if answer is not None:
            self.says(answer + "\n")
        default = "unanswered" if answer is None else "answered"
        return self.add(Kind.HEARD, detail=ended or default)

    def ends(self, how: str = "exit code 1") -> Writer:
        return self.add(Kind.EXITED, detail=how)
