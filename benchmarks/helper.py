"""A process of a benchmark's own, which takes orders and answers in lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Self


class Helper:
    """The process, as its parent sees it; to be used in a `with` statement, which kills it.

    Arguments:
        module: what it runs.
        arguments: what it is given.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self._module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def tell(self, what: object) -> None:
        """Tells it something."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """Waits for what it tells.

        Raises:
            RuntimeError: if it has ended instead.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._module} has ended with {self._process.wait()}")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def say(what: object) -> None:
    """Tells the parent something, in the process itself."""
    print(json.dumps(what), flush=True)
