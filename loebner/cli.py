"""The root of the command: imports each command's module when it is called, and turns errors into
one line and an exit code.

Exit codes: 0 success, 1 check failed or request refused, 2 usage error or unusable input. An
exception with an attribute `exit_code` is shown to the user; any other exception is reported as a
bug.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """A command that is imported when it is called: its module, its line in `--help`, and the
    extras that it needs."""

    module: str
    help: str
    extras: tuple[str, ...] = ("server",)


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is called.

    Arguments:
        lazy_commands: maps names to commands, in the order of `--help`.
        options: passed on to click.
    """

    def __init__(self, *, lazy_commands: Mapping[str, LazyCommand], **options: Any) -> None:
        super().__init__(**options)
        self._lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in order."""
        return list(self._lazy_commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports and returns the command of this name; None if there is none."""
        lazy = self._lazy_commands.get(cmd_name)
        if lazy is None:
            return None
        command = getattr(importlib.import_module(lazy.module), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands in `--help` without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in self._lazy_commands.items()])


_SERVER, _BOTS, _CONSOLE = ("server",), ("bots",), ("console",)

COMMANDS: dict[str, LazyCommand] = {
    name: LazyCommand(f"loebner.{module}", help_, extras)
    for name, module, extras, help_ in (
        ("demo", "demo", _SERVER + _BOTS, "Play a whole 2010 contest on this machine."),
        ("serve", "serve", _SERVER, "Run the server of a contest."),
        ("control", "control", _SERVER, "Send the organizer's orders to a server."),
        ("check-setup", "check_setup", _SERVER, "Check that everything is ready."),
        ("rehearse", "rehearse", _SERVER, "Play the contest with scripted people and faults."),
        ("judge", "judge", _CONSOLE, "Take a judge's seat: two talks, left and right."),
        ("confederate", "judge", _CONSOLE, "Take a confederate's seat."),
        ("rater", "rater", _CONSOLE, "Rate dialogues or responses in a window, using your link."),
        ("link", "link", ("link",), "Link an entry on this machine to a server elsewhere."),
        ("bot", "bot", _BOTS, "Run a bot as an entry."),
        ("practice", "practice", _BOTS, "Play the judge against your own bot."),
        ("check-bot", "check_bot", _BOTS, "Check whether an entry speaks LPP."),
        ("schedule", "schedule", _SERVER, "Make, check or repair a schedule."),
        ("screen", "screen", _SERVER, "Select the finalists from the submissions."),
        ("tally", "tally", _SERVER, "Compute the result from verdicts and rankings."),
        ("replay", "replay", _SERVER, "Play a recorded talk or a 2012 log."),
        ("verify", "folders", _SERVER, "Recompute and check a contest's record."),
        ("recover", "folders", _SERVER, "Recover what is left of a damaged record."),
        ("export", "folders", _SERVER, "Write transcripts and tables of a contest."),
        ("new", "folders", _SERVER, "Make a contest folder with a commented contest.toml."),
        ("pcg", "pcg", (*_SERVER, *_BOTS, "pcg"), "Hold a ChatGPT4PCG contest of prompts."),
        ("ige", "ige", _SERVER + _BOTS, "Judge poker games that a model develops in dialogue."),
        (
            "labyrinth",
            "labyrinth",
            (*_SERVER, *_BOTS, "science"),
            "Rate a language model as a game manager.",
        ),
    )
}

#: Modules that a command needs only with some options or folders, and the extras to name then.
_EXTRAS_OF = {"PySide6": _CONSOLE, "httpx": _BOTS, "PIL": COMMANDS["pcg"].extras}

#: Errors about a missing or unknown word that don't list the valid ones.
_UNKNOWN = (
    click.exceptions.MissingParameter,
    click.exceptions.NoSuchOption,
    click.exceptions.NoSuchCommand,
)


@click.group(
    cls=LazyGroup, lazy_commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="loebner", message="loebner %(version)s")
def cli() -> None:
    """Contest server and judge console for the Loebner Prize."""


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command.

    Arguments:
        args: the words after `loebner`; by default those of this process.

    Returns:
        The exit code: 0 success, 1 check failed or request refused, 2 usage error or unusable
        input, 70 a bug, 130 interrupted.
    """
    _speak_utf8()
    stranger = other_projects_package()
    if stranger is not None:
        return _refuse(stranger, 2)
    try:
        result = cli.main(args=args, prog_name="loebner", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as exc:
        # The list of commands has several lines.
        print(exc.format_message(), file=sys.stderr)
        return 2
    except click.ClickException as exc:
        return _refuse(exc.format_message() + _where_to_look(exc), 2)
    except (click.Abort, KeyboardInterrupt):
        return _refuse("interrupted", 130)
    except BrokenPipeError:
        # The reader of our output has ended (`loebner … | head`).
        sys.stderr.close()
        return 1
    except PermissionError as exc:
        return _refuse(
            f"{exc.filename or exc}: permission denied; run this as a user who may use it", 2
        )
    except ModuleNotFoundError as exc:
        module = (exc.name or "").partition(".")[0]
        lazy = COMMANDS.get(next(iter(sys.argv[1:] if args is None else args), ""))
        if lazy is None or module in (*PACKAGES, *sys.stdlib_module_names):
            return _our_bug()
        extras = list(dict.fromkeys((*lazy.extras, *_EXTRAS_OF.get(module, ()))))
        named = " and ".join(map(repr, extras))
        return _refuse(
            f"this command needs the extra{'s'[: len(extras) - 1]} {named} "
            f"({exc.name} is not installed); {how_to_install(*extras)}",
            2,
        )
    except Exception as exc:  # noqa: BLE001 -- the one place where errors become words
        code = getattr(exc, "exit_code", None)
        if not isinstance(code, int):
            return _our_bug()
        extra = getattr(exc, "extra", None)
        return _refuse(str(exc) if extra is None else f"{exc}; {how_to_install(extra)}", code)
    return result if isinstance(result, int) else 0


def how_to_install(*extras: str) -> str:
    """Tells how to install extras. (This project is not in a package index yet.)

    Arguments:
        extras: their names in setup.cfg.
    """
    wheel = f"loebner-{version('loebner')}-py3-none-any.whl"
    names = ",".join(extras)
    return (
        f"install with: pip install '.[{names}]' in the folder of loebner's source code, "
        f"or pip install '{wheel}[{names}]' with the wheel file"
    )


def _refuse(message: str, code: int) -> int:
    lines = [" ".join(line.split()) for line in message.splitlines()]
    # A failed check may need several lines; unusable input needs one.
    print("loebner: " + ("\n" if code == 1 else " ").join(lines), file=sys.stderr)
    return code


def _where_to_look(exc: click.ClickException) -> str:
    """Points to the command's help after an unknown option or a missing argument."""
    if not isinstance(exc, _UNKNOWN) or exc.ctx is None:
        return ""
    return f" See `{exc.ctx.command_path} --help`."


# Other projects on the package index contain packages called `bots`, `scheduler` and `contest`. If
# one of them is installed in the same environment, its files get mixed with ours.

#: All packages of this project.
PACKAGES = (
    *("lpp", "scheduler", "bots", "judge_console", "contest", "disciplines", "loebner", "texts"),
)
#: The mark in each `__init__.py` of these.
MARK = "Part of loebner."


def other_projects_package() -> str | None:
    """Checks where our packages would be imported from, without importing them.

    Returns:
        What is wrong and what to do; None if everything is right.
    """
    if getattr(sys, "frozen", False):  # a separate folder, without source code
        return None
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"our package {name!r} is missing; {_REMEDY}"
        try:
            is_ours = MARK in Path(spec.origin).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # in an archive: importing it will report any error
        if not is_ours:
            return (
                f"{spec.origin} belongs to another project and hides our package {name!r}; "
                f"{_REMEDY}"
            )
    return None


_REMEDY = (
    "install loebner in its own environment (pipx install ., or a new venv), and start it from "
    "another folder if the package is in this one"
)


def _our_bug() -> int:
    traceback.print_exc()
    print("loebner: this is a bug; please report it with the lines above", file=sys.stderr)
    return 70


def _speak_utf8() -> None:
    # On Windows, terminals and pipes may default to a code page that lacks people's characters.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def entry_point() -> None:
    """The entry point of the installed script."""
    sys.exit(main())
