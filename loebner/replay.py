"""`loebner replay`: plays a recorded talk in a window, as text or as key presses."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import click

from loebner.options import PATH, print_json, say
from lpp.clock import Clock, LoopClock
from lpp.conversation import Block, Conversation
from lpp.directory import LocalDirectory
from lpp.errors import BadDirectory, BadLog, EnvironmentProblem
from lpp.keypress import WIDTH, Side, parse, printable
from lpp.lines import limit_accents
from lpp.log2012 import Loss, Place
from lpp.recording import RecordedKey, Recording, load, of_events
from scheduler.texts import plain

#: The maximum number of losses listed one by one.
LOSSES_NAMED = 20
#: The range of speeds in a window; as in judge_console, which is imported only for a window.
SLOWEST, FASTEST = 0.25, 60.0
#: A folder that contains one of these is a contest's.
_OF_A_CONTEST = ("contest.toml", "record.db")
#: The maximum number of blocks at the end of a talk that a key press can end, settle or reopen.
RECENT = 8
#: Seconds between two checks whether the reader has removed a key press.
POLL_SECONDS = 0.005
#: Seconds after which a wait for a removal is reported.
REPORTED_AFTER = 5.0

# The errors of file systems for invalid names.
_BAD_NAME = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}
_NEVER_IN_A_NAME = "/\0" if os.name != "nt" else '<>:"/\\|?*' + "".join(map(chr, range(32)))


class CutShort(EnvironmentProblem):
    """The machine failed during a replay."""


@click.command()
@click.argument("file", type=PATH)
@click.option(
    "--to",
    "directory",
    metavar="DIR",
    type=PATH,
    help="Create the key presses in this directory: .other from the entity, .judge from the judge.",
)
@click.option(
    "--speed",
    metavar="X",
    type=float,
    help="X times the original speed; 0 means at once. Default: 1, or 0 for text if the output is "
    "not a terminal.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "program", "human"]),
    help="The talk of a pairing to play. Default: both; with --to the program's.",
)
@click.option(
    "--wait",
    is_flag=True,
    help="With --to: after each key press, wait until it has been removed. An entry removes only "
    ".judge; somebody else must remove .other.",
)
@click.option("--talk", metavar="TALK", help="The talk in a record, such as 1.1.J1.left.")
@click.option(
    "--window/--text",
    "in_window",
    default=False,
    help="Play in a window, or as text (default).",
)
@click.option(
    "--report",
    is_flag=True,
    help="Play nothing; show how each author typed: pace, pauses, answers.",
)
@click.option("--json", "as_json", is_flag=True, help="With --report: print a JSON document.")
def replay(
    file: Path,
    directory: Path | None,
    speed: float | None,
    side: str | None,
    wait: bool,
    talk: str | None,
    in_window: bool,
    report: bool,
    as_json: bool,
) -> int:
    """Play FILE: a log in the 2012 format, the events.jsonl of an export, or a contest folder.

    Without --to or --window, the talk is shown as text, line by line.
    """
    for wrong, words in (
        (as_json and not report, "--json needs --report"),
        (
            report and (directory is not None or speed is not None or wait or in_window),
            "--report plays nothing; leave out --to, --speed, --wait and --window",
        ),
        (
            speed is not None and not (math.isfinite(speed) and speed >= 0),
            f"--speed must be 0 or more, not {speed}",
        ),
        (
            wait and directory is None,
            "--wait needs --to",
        ),
        (
            in_window and directory is not None,
            "--window shows a talk, --to types it; choose one of them",
        ),
        (
            in_window and speed and not SLOWEST <= speed <= FASTEST,
            f"--speed in a window must be 0, or from {SLOWEST:g} to {FASTEST:g}, not {speed}",
        ),
    ):
        if wrong:
            raise click.UsageError(words)
    if speed is None:
        speed = 1.0 if sys.stdout.isatty() or in_window or directory is not None else 0.0
    clock = LoopClock(speed) if speed > 0 else None
    recording = recording_from(file, talk)
    if directory is not None or side is not None:
        recording = recording.only(recording.side(side))
    if report:
        _report(recording, as_json)
    elif directory is not None:
        _to_directory(recording, directory, clock, wait)
    else:
        _name_losses(recording.name, recording.losses)
        if in_window:
            return show_window(recording, speed)
        asyncio.run(show_lines(recording, clock))
    return 0


#: The columns of `--report`: heading, value of `contest.results.rhythm`, format.
_REPORT = (
    ("keys", "keys", "d"),
    ("keys a minute", "keys_a_minute", ".0f"),
    ("gap, median ms", "gap_median_ms", ".0f"),
    ("pauses", "pauses", "d"),
    ("BackSpace", "backspace_share", ".1%"),
    ("line, median", "line_length", "g"),
    ("overlap", "overlap", ".1%"),
    ("answer, median ms", "answer_ms", ".0f"),
)


def _report(recording: Recording, as_json: bool) -> None:
    from contest.results.rhythm import rows_of
    from contest.results.text import table_lines

    rows = rows_of(recording)
    if as_json:
        print_json({"name": recording.name, "losses": len(recording.losses), "typing": rows})
        return
    _name_losses(recording.name, recording.losses)
    table = [
        [
            f"{row['side']}, {row['who']}",
            *(
                "-" if row[value] is None else format(row[value], form)
                for _, value, form in _REPORT
            ),
        ]
        for row in rows
    ]
    for line in table_lines(["", *(column for column, _, _ in _REPORT)], table):
        click.echo(line)
    click.echo("Gaps of 2 s and more are pauses. See docs/reference/data-package.md, rhythm.csv.")


def _to_directory(recording: Recording, path: Path, clock: Clock | None, wait: bool) -> None:
    _name_losses(recording.name, recording.losses)
    by, losses = asyncio.run(type_into(recording, LocalDirectory(path), clock, wait=wait))
    _name_losses(recording.name, tuple(losses))
    click.echo(
        f"{by.total()} key presses written to {visible(str(path))}: "
        f"{by[Side.JUDGE]} .judge, {by[Side.OTHER]} .other"
    )


def _name_losses(name: str, losses: tuple[Loss, ...]) -> None:
    for loss in losses[:LOSSES_NAMED]:
        click.echo(visible(f"loebner: lost: {name}, line {loss.line}: {loss.what}"), err=True)
    if len(losses) > LOSSES_NAMED:
        click.echo(f"loebner: lost: {len(losses) - LOSSES_NAMED} more lines", err=True)


def recording_from(place: Path, talk: str | None) -> Recording:
    """Reads a recording.

    Arguments:
        place: a log in the 2012 format, an `events.jsonl`, or a contest's folder.
        talk: the talk in a record, such as `1.1.J1.left`; may be None if there is only one.

    Raises:
        UserError: as `lpp.recording.load`, or if the folder's record can't be read.
    """
    if not any((place / name).exists() for name in _OF_A_CONTEST):
        if place.is_dir():
            raise BadLog(f"{place}: not a contest's folder; give one, or the file of a recording")
        return load(place, talk)
    from contest.record import reading
    from contest.record.events import canonical
    from contest.state.publication import Published

    # People's consent applies here, too, because replays are shown to others.
    log = Published(reading.open_log(place))

    def lines() -> Iterator[tuple[int, bytes]]:
        """Yields lines as in an `events.jsonl`, without the keys of other talks."""
        seen, talks = set(), dict.fromkeys([talk] if talk is not None else [])
        for event in log.events(keys=False):
            yield event.seq, canonical(event.as_json()) + b"\n"
            seen.add(event.seq)
            if talk is None and event.talk is not None:
                talks[event.talk] = None
        for event in log.events(*talks) if len(talks) == 1 else ():
            if event.seq not in seen:
                yield event.seq, canonical(event.as_json()) + b"\n"

    return of_events(lines(), str(place), talk)


async def paced(recording: Recording, clock: Clock | None) -> AsyncIterator[RecordedKey]:
    """Yields the key presses in the file's order, each when it is due.

    Arguments:
        recording: the recording to play.
        clock: the clock for the gaps, with its speed; None for no gaps.

    For times that decrease, see `Recording.offsets_us`. Waits are counted from the beginning, so
    that delays in processing key presses don't add up.
    """
    start = clock.now() if clock is not None else 0.0
    for press, offset in zip(recording.presses, recording.offsets_us(), strict=True):
        if clock is None:
            await asyncio.sleep(0)
        else:
            wait = start + offset / 1_000_000 - clock.now()
            await clock.sleep(max(0.0, wait) if offset else 0.0)
        yield press


def visible(text: str) -> str:
    """Makes an untrusted text safe to show: unprintable characters are escaped, and stacked accents
    limited."""
    return limit_accents(plain(text))


async def show_lines(recording: Recording, clock: Clock | None) -> None:
    """Prints each line when it is finished or settled (see lpp.conversation), again if a BackSpace
    has reopened it, and at the end all unfinished lines. Each line begins with the time of the
    recording when it was printed, in minutes and seconds since the first key press."""
    for line in recording.about:
        click.echo(visible(line))
    click.echo()
    talks = {side: Conversation() for side in recording.entities}
    first = next((press.time_us for press in recording.presses), 0)
    now = first
    printed: set[int] = set()
    again: set[int] = set()

    def say(side: Place, block: Block, state: str) -> None:
        minutes, tenths = divmod(round(max(0, now - first) / 100_000), 600)
        who = "judge" if block.author == "judge" else visible(recording.entities[side])
        if not state:
            state = " (again)" if id(block) in again else " (continued)" * block.continues
        offset = f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"
        click.echo(f"{offset}  {side:<5}  {who}{state}: {visible(block.text)}")

    async for press in paced(recording, clock):
        now = press.time_us
        if press.side not in talks:
            continue
        talks[press.side].press(press.author, press.key)
        recent = talks[press.side].blocks[-RECENT:]
        last = {block.author: block for block in recent}
        for block in recent:
            if block.is_open and block is last[block.author]:
                if id(block) in printed:
                    printed.discard(id(block))
                    again.add(id(block))
            elif id(block) not in printed:
                printed.add(id(block))
                say(press.side, block, "")
    for side, talk in talks.items():
        for block in talk.blocks:
            if block.is_open and id(block) not in printed:
                say(side, block, " (unfinished)")


def show_window(recording: Recording, speed: float) -> int:
    """Plays a recording in a window of the console until the user closes it, with the theme and
    text size last chosen here or in the console.

    Arguments:
        recording: the recording to play.
        speed: the speed relative to the original; 0 shows the end at once.

    Returns:
        The exit code. Without a display, the process ends here with exit code 1 and a line on
        standard error.
    """
    from PySide6.QtWidgets import QApplication

    from judge_console.application import (
        AppearanceSaver,
        TerminationSignals,
        application,
        localized,
    )
    from judge_console.look.theme import Theme
    from judge_console.preferences import PreferencesFile, preferences_path
    from judge_console.views.replay import ReplayWindow

    app = QApplication.instance() or application()
    assert isinstance(app, QApplication)
    remembered = PreferencesFile(preferences_path())
    preferences = remembered.preferences
    with localized(app, "system") as texts:
        theme = Theme(app, preferences.theme, preferences.text_size)
        window = ReplayWindow(recording, theme, texts)
        AppearanceSaver(remembered, theme, window)
        interrupts = TerminationSignals()
        interrupts.asked.connect(window.close)
        window.show()
        if speed:
            window.view.set_speed(speed)
            window.view.play()
        else:
            window.view.seek(window.view.playback.duration)
        try:
            return app.exec()
        finally:
            interrupts.close()


async def type_into(
    recording: Recording, directory: LocalDirectory, clock: Clock | None = None, *, wait: bool
) -> tuple[Counter[Side], list[Loss]]:
    """Creates recorded key presses of both sides in a communications directory.

    The numbers of each side continue after its numbers that are already there. Key names are
    written as recorded, without correction.

    Arguments:
        recording: the recording; all its talks go into this directory, see `Recording.only`.
        directory: the directory.
        clock: as for `paced`.
        wait: whether to wait after each key press until the reader has removed it.

    Returns:
        The number of key presses created for each side, and those whose names are not possible for
        a directory.

    Raises:
        BadDirectory: if the directory doesn't exist, or can't be written.
        CutShort: if the machine fails: disk full, share gone.
    """
    try:
        directory.check()
        names = directory.names()
    except OSError as exc:  # a parent that we may not enter, a name that is too long
        raise BadDirectory(f"{directory.path}: {exc.strerror}; give another directory") from exc
    last = dict.fromkeys(Side, 0)
    for parsed in map(parse, names):
        if parsed is not None:
            last[parsed[0].side] = max(last[parsed[0].side], parsed[0].number)
    written: Counter[Side] = Counter()
    losses: list[Loss] = []
    async for press in paced(recording, clock):
        side = Side.JUDGE if press.author == "judge" else Side.OTHER
        name = None
        try:
            while name is None and not any(char in _NEVER_IN_A_NAME for char in press.key):
                last[side] += 1
                # Not KeyPress.make, which is for strict writers: a recording may contain keys that
                # a program should not have sent.
                name = f"{last[side]:0{WIDTH}d}.{press.key}.{side.value}"
                try:
                    directory.make(name)
                except FileExistsError:
                    name = None  # another program writes here, too: skip this number
        except (OSError, UnicodeEncodeError) as exc:
            if isinstance(exc, OSError) and exc.errno not in _BAD_NAME:
                raise CutShort(
                    f"{directory.path}: {written.total()} of {len(recording.presses)} key presses "
                    f"were written, then: {exc.strerror or exc}; free some disk space or repair "
                    "the share, empty the directory, and play again"
                ) from exc
            last[side] -= 1
            name = None
        if name is None:
            lost = f"the key name {printable(press.key)!r} can't be part of a directory's name"
            losses.append(Loss(press.line, lost))
            continue
        written[side] += 1
        if wait:
            await _until_removed(directory, name)
    return written, losses


async def _until_removed(directory: LocalDirectory, name: str) -> None:
    """Waits until a key press has been removed, and says so if that takes long."""
    now = asyncio.get_running_loop().time
    told_at = now() + REPORTED_AFTER
    # There are no events for removals by another machine, so poll on any file system.
    while os.path.lexists(f"{directory.path}{os.sep}{name}"):
        if now() > told_at:
            told_at = math.inf
            say(f"loebner: waiting until somebody removes {name}; Ctrl-C ends", err=True)
        await asyncio.sleep(POLL_SECONDS)
