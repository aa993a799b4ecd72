"""Runs a game inside the sandbox: a separate program that `disciplines.ige.sandbox` starts.

It reads a request, gives up all rights that games don't need (`confine`), and writes a line of JSON
for each seed. It imports the base from the file beside it, and nothing else from this project. As
each program gets a process, it imports no more than it needs.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import random
import sys
from types import ModuleType
from typing import Any

#: Modules that games may import. They are loaded before the process loses access to files.
USEFUL = (
    *("bisect", "collections", "collections.abc", "copy", "dataclasses", "enum", "functools"),
    *("heapq", "inspect", "itertools", "json", "logging", "math", "operator", "re", "statistics"),
    *("string", "time", "traceback", "typing"),
)
#: The system calls that a running game needs, by architecture. None of them reaches a file, a
#: socket or another process; all others fail with EPERM.
CALLS = {
    "x86_64": (
        0xC000003E,
        # read write close mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
        *(0, 1, 3, 9, 10, 11, 12, 13, 14, 15),
        # sched_yield mremap madvise nanosleep getpid exit gettimeofday sigaltstack gettid futex
        *(24, 25, 28, 35, 39, 60, 96, 131, 186, 202),
        # clock_gettime clock_getres clock_nanosleep exit_group set_robust_list getrandom rseq
        *(228, 229, 230, 231, 273, 318, 334),
    ),
    "aarch64": (
        0xC00000B7,
        *(63, 64, 57, 222, 226, 215, 214, 134, 135, 139),
        *(124, 216, 233, 101, 172, 93, 169, 132, 178, 98),
        *(113, 114, 115, 94, 99, 278, 293),
    ),
}

#: The most bytes that a game may print.
PRINTED = 1 << 24
#: A reference of our own, because a game may replace `random.seed`.
SEED = random.seed


def confine(memory: int, parent: int) -> list[str]:
    """Gives up, for good, all rights that a game doesn't need.

    Arguments:
        memory: the most bytes of address space for the process.
        parent: the id of the process that it must not outlive.

    Returns:
        The protections that this machine lacks, in words; empty if this process is confined.
    """
    missing = []
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (PRINTED, PRINTED))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ImportError:
        missing.append("no limit on memory")
    if sys.platform == "linux":
        die_with_parent, sigkill = 1, 9
        ctypes.CDLL(None).prctl(die_with_parent, sigkill, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before the call
            sys.exit(1)
    known = CALLS.get(os.uname().machine) if sys.platform == "linux" else None
    if known is None or not _filter_calls(*known):
        missing.append("no filter for system calls: games can reach files, network and processes")
    return missing


class _Instruction(ctypes.Structure):
    _fields_ = [
        *(("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte)),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(_Instruction))]


def _filter_calls(architecture: int, *allowed: int) -> bool:
    """Makes the kernel refuse all system calls except these; see seccomp(2) for the constants."""
    load, equal, result = 0x20, 0x15, 0x06
    refuse, allow = 0x00050000 | 1, 0x7FFF0000  # with EPERM
    rows = [(load, 0, 0, 4), (equal, 1, 0, architecture), (result, 0, 0, refuse), (load, 0, 0, 0)]
    for at, call in enumerate(allowed, 1):
        rows.append((equal, len(allowed) - at + 1, 0, call))
    rows += [(result, 0, 0, refuse), (result, 0, 0, allow)]
    instructions = (_Instruction * len(rows))(*(_Instruction(*row) for row in rows))
    program = _Program(len(rows), instructions)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, seccomp, with_filter = 38, 22, 2
    calls = ((no_new_privileges, 1, 0, 0, 0), (seccomp, with_filter, ctypes.byref(program)))
    return all(prctl(*each) == 0 for each in calls)


def run(source: str, base: ModuleType, seed: int, **people: Any) -> dict[str, Any]:
    """Plays a game once.

    Arguments:
        source: the program: a class `CustomGame` that extends `GameBase`.
        base: the module of the poker base.
        seed: the seed of `random`, set before the class is created.
        people: arguments of GameBase if a person plays.

    Returns:
        `{"state": …}`, or `{"error": …}` with the exception.
    """
    names = ("GameBase", "random", "shuffle", "random_choice", "combinations", "Counter")
    program: dict[str, Any] = {name: getattr(base, name) for name in names}
    program["__name__"] = "__game__"
    try:
        SEED(seed)
        exec(compile(source, "<game>", "exec"), program)
        game = program["CustomGame"](**people)
        game.play(auto=not people)
        return {"state": base.GameBase.state(game)}
    except BaseException as exc:  # noqa: BLE001 -- a game that ends the process has failed, too
        return {"error": repr(exc)[:500]}


def main() -> None:
    """Reads the request from standard input, and serves it."""
    request = json.loads(sys.stdin.readline())
    # Only for this import: first, because any other package may be named `base`.
    sys.path.insert(0, os.path.dirname(__file__))
    base = importlib.import_module("base")
    del sys.path[0]
    for name in USEFUL:
        importlib.import_module(name)
    # The game's output goes to a file that is never read, up to the size limit.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    printed = os.open("printed", os.O_WRONLY | os.O_CREAT)
    for each in (1, 2):
        os.dup2(printed, each)

    def say(what: dict[str, Any]) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    say({"missing": confine(request["memory"], request["parent"])})

    def ask(question: str, who: str) -> str:
        say({"question": question, "who": who})
        return str(json.loads(sys.stdin.readline()))

    people: dict[str, Any] = {}
    if request["persons"] is not None:
        people = {"ask": ask, "tell": lambda line: say({"line": line})}
        people["persons"] = request["persons"]
    for seed in request["seeds"]:
        say({"seed": seed, **run(request["source"], base, seed, **people)})


if __name__ == "__main__":
    main()
