"""`loebner practice`: an entrant plays the judge against a bot, and sees the wire log.

`Practice` sends and receives keys, and writes the wire log: everything that happens in the
communications directory. `by_lines` runs it with standard input and output, for scripts; `by_keys`
runs it on a terminal, key by key, with the talk next to the wire log.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shlex
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Self

import click
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.widgets import Frame

from bots.entry import termination_event
from bots.registry import BOTS, find
from contest.tasks import running
from lpp.channel import DirectoryChannel
from lpp.directory import Directory, LocalDirectory, communications_root
from lpp.errors import LPPError, NotAKey
from lpp.keypress import Rule, Side, Violation, printable
from lpp.lines import LineEditor, Pane
from lpp.names import RETURN, name_of, plain_text
from lpp.numbers import MemoryNumbers, Numbers
from lpp.program import Program
from lpp.session import Received

#: The default bot: it needs no library.
DEFAULT_BOT = "therapist"
#: Seconds to wait before the first key until a bundled bot, or any other program, reports that it
#: is ready. A program that reports nothing loses no keys if it reads those already there.
READY_BOT, READY_PROGRAM = 15.0, 2.0
#: Seconds to wait for the last keys of a dying program.
LAST_KEYS = 0.3
#: Seconds between two checks of the program, and of which of our keys are still there.
CHECK_SECONDS = 0.05
#: Seconds after which an unremoved key is a breach.
OVERDUE = 5.0
#: Seconds within which a key should be removed; slower removals are counted and reported.
PROMPT = 1.0
#: Seconds of silence after a line from the entity before the next line is typed, because many
#: answers have several lines.
SILENCE_AFTER_LINE = 1.0
#: The maximum number of rows of the wire log kept for the screen.
ROWS = 300

#: What to do about a breach, for the author of the program.
REMEDIES = {
    Rule.UNIQUE: "add one to the number for every key",
    Rule.LEXICAL: "pad the numbers with zeros to ten digits",
    Rule.NUMERIC: "add one to the number for every key, even after a restart",
    Rule.WIDTH: "pad the numbers with zeros to ten digits",
    Rule.NAME: "send a letter, a digit, or a name of the appendix",
    Rule.EXTENSION: "end each name with .other",
    Rule.DIRECTORY: "create an empty directory (mkdir), not a file",
    Rule.REMOVES: "remove each .judge directory as soon as you have read it",
    Rule.WAITS: "type nothing before the judge's first key",
}


class ProgramEnded(LPPError):
    """The program ended by itself during the talk."""

    exit_code = 1


def _seconds(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    if not 0 < value < math.inf:
        raise click.BadParameter(f"{value:g} is not a time; give seconds above 0")
    return value


@click.command(
    epilog="Exit code: 0 you ended it, 1 the program ended by itself, 2 usage error.",
)
@click.option(
    "--bot",
    "bot_name",
    metavar="NAME",
    help=f"A bundled bot: {', '.join(BOTS)}. Default without --dir or PROGRAM: {DEFAULT_BOT}.",
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory in which a program is already running.",
)
@click.option(
    "--quiet",
    metavar="SECONDS",
    type=float,
    default=5.0,
    show_default=True,
    callback=_seconds,
    help="With piped input: end a turn, and finally the practice, after this much silence.",
)
@click.argument("words", metavar="[-- PROGRAM ARGS]", nargs=-1, type=click.UNPROCESSED)
def practice(
    bot_name: str | None, directory: Path | None, quiet: float, words: tuple[str, ...]
) -> None:
    """Play the judge against your bot, a bundled bot, or a program that is already running.

    On a terminal, each key that you type is sent at once, and the wire log is shown next to the
    talk; Ctrl-D or Ctrl-C ends it. If standard input or output is not a terminal, the lines of
    standard input are typed, and the output is plain text.

    \b
        loebner practice -- python my_bot.py {dir}     ({dir}: a new directory)
        loebner practice --bot screening
        printf 'Hello.\\n' | loebner practice --quiet 3 -- ./my_bot {dir}
    """
    if sum((bot_name is not None, directory is not None, bool(words))) > 1:
        raise click.UsageError("give only one of --bot NAME, --dir DIR and -- PROGRAM ARGS")
    ready = READY_PROGRAM
    if directory is None and not words:
        bot_name, ready = bot_name or DEFAULT_BOT, READY_BOT
        find(bot_name)  # reports any error in one line
        words = ("loebner", "bot", bot_name, "--dir", "{dir}")
    asyncio.run(_practise(list(words), directory, bot_name, ready, quiet))


async def _practise(
    words: list[str], directory: Path | None, bot: str | None, ready: float, quiet: float
) -> None:
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    async with contextlib.AsyncExitStack() as stack:
        end = stack.enter_context(termination_event())
        fresh = None
        if directory is None:
            # It is never used again, so its numbers need not be stored.
            fresh = MemoryNumbers()
            directory = Path(
                stack.enter_context(
                    tempfile.TemporaryDirectory(
                        *("", "loebner-practice-", communications_root()),
                        ignore_cleanup_errors=True,
                    )
                )
            )
        place = LocalDirectory(directory)
        place.check()
        program = Program(words, str(directory)) if words else None
        if program is not None:
            stack.callback(program.close)
            stack.push_async_callback(program.stop)
            await program.start(lambda: None)
        talk = Practice(place, program, fresh)
        if not on_terminal:
            talk.on_wire = lambda mark, row: say("wire", row)
        async with talk.opened():
            name = bot or (directory.name if program is None else program.words[-1])
            if words and not any("{dir}" in word for word in words):
                say(
                    "note",
                    f"the command has no {{dir}}; choose {directory} in the program yourself",
                )
                name = str(directory)  # the panes cover the note
            if program is not None and not on_terminal:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(ready):
                        while program.running and not program.has_output:  # noqa: ASYNC110
                            await asyncio.sleep(CHECK_SECONDS)
            talking = by_keys(talk, name) if on_terminal else by_lines(talk, 0, quiet)
            await _until_end(asyncio.create_task(talking), end, talk)
            if on_terminal:
                for who, pane in (("you", talk.you), ("entity", talk.entity)):
                    for line in pane.text.splitlines():
                        say(who, line)
            for advice in talk.advice():
                say("note", advice)
        if program is not None:
            died, ending = not program.running, program.ending
            await program.stop()
            if died or not on_terminal:
                for line in program.output.splitlines():
                    say("program", line)
            if died:
                raise ProgramEnded(f"{shlex.join(program.words)} ended by itself: {ending}")


async def _until_end(talking: asyncio.Task[None], end: asyncio.Event, talk: Practice) -> None:
    """Waits until the talk has ended, the person ends it, or the program has died."""
    try:
        while not talking.done() and not end.is_set() and not talk.died:
            await asyncio.wait({talking}, timeout=CHECK_SECONDS)
        if talk.died and not talking.done():
            await asyncio.wait({talking}, timeout=LAST_KEYS)
    finally:
        talking.cancel()
        await asyncio.wait({talking})
    if not talking.cancelled():
        talking.result()


def say(who: str, text: str) -> None:
    """Prints a line by `who`: you, entity, wire, program or note."""
    print(f"{who:7} | {text}", flush=True)


class Practice:
    """The judge's side of a talk. Use it only on the loop's thread.

    Arguments:
        directory: the communications directory.
        program: the entity's program, already running, if this process started it.
        numbers: remembers the judge's sequence numbers; as for the channel.

    Attributes:
        you, entity: what each has typed, as the judge sees it.
        breaches: how often each rule was broken.
        on_wire: called with the mark and the text of each row of the wire log. The marks are `>`
            for a key made by the judge, `<` for one made by the entity, `x` for one removed by the
            entity, `*` for one that was there before, and `!` for a breach or an error that belongs
            to no new key press.
        on_key: called with the name of each key of the entity that the judge sees.
    """

    def __init__(
        self,
        directory: Directory,
        program: Program | None = None,
        numbers: Numbers | None = None,
    ) -> None:
        self._directory = directory
        self._channel = DirectoryChannel(
            directory, side=Side.JUDGE, numbers=numbers, report=self._report
        )
        self._program = program
        self._loop = asyncio.get_running_loop()
        self._begun = self._last_sound = self._loop.time()
        self._rows = 0
        # Names that were there before; our unread keys, with their times.
        self._stood: set[str] = set()
        self._standing: dict[str, float] = {}
        self._overdue_told = False
        self._late, self._slowest = 0, 0.0
        self._spoken = self._answered = False
        self.you, self.entity = Pane(), Pane()
        self.breaches: Counter[str] = Counter()
        self.on_wire: Callable[[str, str], None] = lambda mark, row: None
        self.on_key: Callable[[str], None] = lambda key: None

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        """Opens the judge's side.

        Raises:
            BadDirectory: if there is no such directory, or it can't be written.
            EnvironmentProblem: if it can't be listed for another reason.
        """
        self._directory.check()
        # Existing names may be from an earlier talk, or from a program that did not wait. If this
        # process started the program, its directory is new, so all names in it are the program's.
        if self._program is None:
            with contextlib.suppress(OSError):  # the channel reports it better
                self._stood = set(self._directory.names())
        async with (
            self._channel,
            running(self._listen(), "the entity's keys"),
            running(self._check_directory(), "removals"),
        ):
            yield self

    @property
    def died(self) -> bool:
        """Whether the entity's program has ended by itself."""
        return self._program is not None and not self._program.running

    @property
    def unread(self) -> int:
        """The number of the judge's keys that are still in the directory."""
        return len(self._standing)

    def advice(self) -> list[str]:
        """What to fix, one line for each broken rule: how often it was broken, and the remedy. Call
        it at the end."""
        lines = [
            f"broken: {rule.value} ({self.breaches[rule.value]}): {remedy}"
            for rule, remedy in REMEDIES.items()
            if self.breaches[rule.value]
        ]
        if self._late:
            lines.append(
                f"slow: 2.B/prompt ({self._late}): the slowest key was removed after "
                f"{self._slowest:.1f} s; remove each within a second, before you compute the answer"
            )
        if self.entity.text and "\n" not in self.entity.text:
            lines.append(
                "no Return: end each answer with Return; otherwise answers run together on a "
                "judge's screen"
            )
        return lines

    async def type(self, text: str) -> str:
        """Presses the keys of a text.

        Arguments:
            text: a newline is Return, a tab is Tab, `\\b` is BackSpace.

        Returns:
            The characters that can't be sent as key presses, which were left out.

        Raises:
            BadDirectory, EnvironmentProblem: as for `DirectoryChannel.send`.
        """
        left_out = ""
        for char in plain_text(text):
            try:
                key = name_of(char)
            except NotAKey:
                left_out += char
                continue
            press = await self._channel.send(key)
            self._spoken, self._answered = True, False
            self._last_sound = self._standing[press.raw] = self._loop.time()
            self.you.press(key)
            self._write(">", press.raw)
        return left_out

    async def quiet(self, seconds: float, after_line: float) -> None:
        """Waits until nobody has pressed a key for this many seconds, or for `after_line` seconds
        (if less) if the entity has ended a line since we last typed."""
        while True:
            needed = min(seconds, after_line) if self._answered else seconds
            left = self._last_sound + needed - self._loop.time()
            if left <= 0:
                return
            await asyncio.sleep(min(left, CHECK_SECONDS))

    async def _listen(self) -> None:
        async for received in self._channel:
            self._hear(received)

    def _hear(self, received: Received) -> None:
        press = received.press
        if press.raw in self._stood:
            self._stood.discard(press.raw)
            self._write("*", press.raw, received.violations, "was here before; not shown")
            return
        violations = received.violations
        if not self._spoken:
            seen = "typed before the judge's first key; not shown"
            violations = (*violations, Violation(Rule.WAITS, press.raw, seen))
        self._write("<", press.raw, violations)
        if self._spoken:
            self._last_sound = self._loop.time()
            self.entity.press(press.key)
            self._answered = self._answered or press.key == RETURN
            self.on_key(press.key)

    async def _check_directory(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if not self._standing:
                self._overdue_told = False
                continue
            try:
                there = set(self._directory.names())
            except OSError:  # the channel reports it
                continue
            now = self._loop.time()
            for name in [name for name in self._standing if name not in there]:
                seconds = now - self._standing.pop(name)
                self._late += seconds > PROMPT
                self._slowest = max(self._slowest, seconds)
                self._write("x", name, note=f"in {seconds:.2f} s")
            oldest = next(iter(self._standing.items()), None)
            if oldest is not None and now - oldest[1] > OVERDUE and not self._overdue_told:
                self._overdue_told = True
                seen = f"not removed after {OVERDUE:g} s, {self.unread} unread in total"
                self._write("!", oldest[0], (Violation(Rule.REMOVES, oldest[0], seen),))

    def _report(self, what: Violation | OSError) -> None:
        if isinstance(what, Violation):
            self._write("!", what.name, (what,))
        else:
            self._write("!", "", note=str(what))

    def _write(
        self, mark: str, name: str, violations: tuple[Violation, ...] = (), note: str = ""
    ) -> None:
        self._rows += 1
        self.breaches.update(violation.rule.value for violation in violations)
        shown = " ".join(part for part in (printable(name), note) if part)
        told = "".join(
            f"  ! {violation.rule.value}: {violation.detail}" for violation in violations
        )
        at = self._loop.time() - self._begun
        self.on_wire(mark, f"{self._rows:5} {at:9.3f}  {mark} {shown}{told}")


async def by_lines(talk: Practice, input_fd: int, quiet: float) -> None:
    """Types line by line; ends after the end of the input, when both sides have been quiet.

    It types the next line when the entity has ended a line and has been silent for a second, or
    when it has been silent for the quiet time.

    Arguments:
        talk: the open talk.
        input_fd: the descriptor from which to read lines, in UTF-8.
        quiet: seconds of silence that count as the end of a turn.
    """
    editor = LineEditor()

    def on_key(key: str) -> None:
        line = editor.press(key)
        if line is not None:
            say("entity", line)

    talk.on_key = on_key
    lines = _lines(input_fd)
    first, shown = True, ""
    try:
        while (line := await lines.get()) is not None:
            if not first:
                await talk.quiet(quiet, SILENCE_AFTER_LINE)
                if editor.unsent not in ("", shown):
                    shown = editor.unsent
                    say("entity", f"{shown} (no Return yet)")
            first = False
            say("you", line)
            if left_out := await talk.type(line + "\n"):
                say("note", f"can't be sent as key presses, left out: {left_out!r}")
        await talk.quiet(quiet, quiet)
    finally:
        if editor.unsent:
            say("entity", f"{editor.unsent} (without Return)")


def _lines(input_fd: int) -> asyncio.Queue[str | None]:
    """The lines of a descriptor as they arrive, then None. A thread reads them, because a loop
    can't wait for files or pipes on Windows. It reads without a buffer, because a buffered file
    that is still waiting when the process ends would abort it."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            with contextlib.suppress(OSError), open(input_fd, "rb", 0, closefd=False) as file:
                for line in file:
                    text = line.decode("utf-8", "replace").removeprefix("\ufeff")
                    loop.call_soon_threadsafe(lines.put_nowait, text.rstrip("\r\n"))
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="standard input", daemon=True).start()
    return lines


async def by_keys(talk: Practice, name: str) -> None:
    """Talks key by key until the user ends it; shows both sides next to the wire log.

    Arguments:
        talk: the open talk.
        name: the entity's name.
    """
    typed: asyncio.Queue[str] = asyncio.Queue()
    wire: deque[tuple[str, str]] = deque(maxlen=ROWS)
    keys = KeyBindings()

    @keys.add(Keys.Any)
    @keys.add(Keys.BracketedPaste)
    @keys.add("enter")
    @keys.add("backspace")
    @keys.add("tab")
    def _(event: KeyPressEvent) -> None:
        special: dict[str, str] = {Keys.ControlM: "\n", Keys.ControlH: "\b", Keys.ControlI: "\t"}
        press = event.key_sequence[0]
        text = special.get(press.key, press.data)
        # Arrows and similar keys are escape sequences, which are not keys of the protocol.
        if not text.startswith("\x1b"):
            typed.put_nowait(text)

    @keys.add("c-c")
    @keys.add("c-d")
    def _(event: KeyPressEvent) -> None:
        event.app.exit()

    def pane(title: str, text: Callable[[], StyleAndTextTuples]) -> Frame:
        """A pane that always shows the end of its text."""

        def end() -> Point:
            return Point(0, sum(part[1].count("\n") for part in text()))

        control = FormattedTextControl(text, get_cursor_position=end)
        return Frame(Window(control, wrap_lines=True, always_hide_cursor=True), title)

    def status() -> str:
        breaches = ", ".join(f"{rule} x {n}" for rule, n in talk.breaches.items())
        return f" Ctrl-D ends   unread keys: {talk.unread}  breaches: {breaches or 'none'}"

    styles = {">": "ansicyan", "<": "ansigreen", "!": "bold ansired"}
    both = [
        pane(name, lambda: [("", talk.entity.text), ("bold", "▏")]),
        pane("you, the judge", lambda: [("", talk.you.text), ("bold", "▏")]),
    ]
    log = pane("wire log", lambda: [(styles.get(mark, ""), row + "\n") for mark, row in wire])
    bottom = Window(FormattedTextControl(status), height=1, style="reverse")
    layout = Layout(HSplit([VSplit([HSplit(both), log]), bottom]))
    app: Application[None] = Application(layout, key_bindings=keys, full_screen=True)

    def on_wire(mark: str, row: str) -> None:
        wire.append((mark, row))
        app.invalidate()

    async def type_() -> None:
        while True:
            if left_out := await talk.type(await typed.get()):
                on_wire("!", f"can't be sent as key presses: {left_out!r}")

    talk.on_wire = on_wire
    typing = asyncio.create_task(type_())
    # This task only ends by itself if the directory fails.
    typing.add_done_callback(
        lambda task: task.cancelled() or app.exit(exception=task.exception() or EOFError)
    )
    try:
        await app.run_async(handle_sigint=False)
    finally:
        typing.cancel()
        await asyncio.gather(typing, return_exceptions=True)
