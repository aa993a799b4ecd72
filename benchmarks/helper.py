"""A helper process of a benchmark, which is controlled by lines of JSON and answers in the same
way."""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Self


class Helper:
    """A handle on the process for its parent; use it in a `with` statement, which kills it.

    Arguments:
        module: the module that it runs.
        arguments: the module's arguments.
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
        """The process id."""
        return self._process.pid

    def tell(self, what: object) -> None:
        """Sends a value to the process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """Waits for a value from the process.

        Raises:
            RuntimeError: if the process has ended.
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
    """Sends a value to the parent; called in the helper process."""
    print(json.dumps(what), flush=True)
