"""Generates parts of the documentation into `build/tables/`, from tables in the code.

Each build of the site (docs/conf.py) runs this, so these parts are never out of date. The
parts that other programs rely on, such as the record's kinds of event and the frames, are also in
the source, for readers without the site. `python -m scripts.tables` updates them; a test fails if
they are out of date.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
from msgspec import NODEFAULT
from msgspec import inspect as types

from benchmarks.__main__ import BENCHMARKS
from bots.registry import BOTS, find
from contest.audience import frames as audience_frames
from contest.links import linkwire
from contest.net.limits import Limits
from contest.organizer.orders import ORDERS
from contest.preflight.checks import CHECKS
from contest.record import bodies, season
from contest.record.events import Body
from contest.rehearse.play import FAULTS
from contest.results.exports import tables
from contest.results.text import prose
from contest.screening.paper import RULES
from contest.scripted.characters import judges
from contest.scripted.people import FEATURES
from disciplines import events
from loebner.cli import cli
from lpp import wire
from lpp.conformance.cases import CASES
from lpp.names import NAMES

OUT = Path(__file__).parents[1] / "build" / "tables"
CODEBOOK = Path(__file__).parents[1] / "docs" / "reference" / "codebook"


def conformance() -> Iterator[str]:
    """A section for each case of `loebner check-bot`, from lpp/conformance/cases.toml."""
    for case in CASES:
        yield f"### `{case.id}` {case.level.value}\n\n> {case.rule}\n"
        yield f"- expected: {case.expected}\n- the check: {case.does}"
        if case.accepts:
            yield f"- accepted: {case.accepts}"
        if case.cause:
            yield f"- likely cause of a failure: {case.cause}"
        yield ""


def columns() -> Iterator[str]:
    """A section for each table of the data package, from contest/results/tables.toml."""
    for name, table in tables().items():
        yield f"### `{name}.csv`\n\n{table['contents'][0].upper() + table['contents'][1:]}.\n"
        yield "| column | type | meaning |\n|---|---|---|"
        for column, kind, meaning in table["columns"]:
            yield f"| `{column}` | {kind} | {meaning} |"
        yield ""


#: Kinds of event in the chain of a talk or sitting.
OF_TALKS = (bodies.TalkOpened, bodies.Key, bodies.Times, bodies.TalkClosed, *season.SITTING_BODIES)


def shape(of: types.Type) -> str:
    """The JSON form of a type, in words."""
    if isinstance(of, types.LiteralType):
        return " or ".join(map(str, of.values))
    if isinstance(of, types.UnionType):
        return " or ".join(map(shape, of.types))
    if isinstance(of, types.ListType | types.VarTupleType):
        return f"[{shape(of.item_type)}, …]"
    if isinstance(of, types.TupleType):
        return f"[{', '.join(map(shape, of.item_types))}]"
    if isinstance(of, types.DictType):
        return f"{{{shape(of.key_type)}: {shape(of.value_type)}, …}}"
    names = {types.StrType: "text", types.IntType: "number", types.BoolType: "true or false"}
    names |= {types.FloatType: "number", types.EnumType: "text"}
    names |= {types.NoneType: "null", types.AnyType: "any", types.DateType: "date"}
    return (names | {types.DateTimeType: "time"}).get(type(of), "object")


def kinds_of(
    codebook: Mapping[str, type[Body]], own: str = "the contest's own", others: str = "a talk's"
) -> Iterator[str]:
    """Tables of kinds of event, in the `own` chain and in the `others`: what each means, and the
    fields of its body."""
    groups = [[k for k in codebook.values() if (k in OF_TALKS) is here] for here in (False, True)]
    for name, group in zip((own, others), groups, strict=True):
        if not group:
            continue
        yield f"### In {name} chain\n\n| kind | meaning | body |\n|---|---|---|"
        for kind in group:
            info = types.type_info(kind)
            assert isinstance(info, types.StructType)
            body = ", ".join(
                f"`{field.encode_name}`{'' if field.required else '?'} {shape(field.type)}"
                for field in info.fields
                if field.encode_name != "salt"
            )
            yield f"| `{kind.kind}` | {' '.join(str(inspect.getdoc(kind)).split())} | {body} |"
        yield ""


def kinds() -> Iterator[str]:
    """The kinds of event of a contest, from contest/record/bodies.py."""
    return kinds_of(bodies.KINDS)


def season_kinds() -> Iterator[str]:
    """The kinds of event of a season, from contest/record/season.py."""
    return kinds_of(season.KINDS, others="a sitting's")


def run_kinds() -> Iterator[str]:
    """The kinds of event of a discipline's run, from disciplines/events.py."""
    return kinds_of(events.KINDS, "the run's")


def frames(end: Any) -> Iterator[str]:
    """A section for each frame that one end sends: what it means, and its fields.

    Arguments:
        end: the union of the frames, such as `wire.ToServer`.
    """
    for frame in get_args(end):
        info = types.type_info(frame)
        assert isinstance(info, types.StructType)
        yield f"### {info.tag}\n\n{' '.join(str(inspect.getdoc(frame)).split())}\n"
        for field in info.fields:
            default = "" if field.required else f", default `{default_of(field)}`"
            yield f"- `{field.encode_name}`: {shape(field.type)}{default}"
        yield ""


def default_of(field: types.Field) -> str:
    """The default of a field, as JSON."""
    value = field.default if field.default_factory is NODEFAULT else field.default_factory()
    return msgspec.json.encode(value).decode()


def seat_to_server() -> Iterator[str]:
    """The frames from a seat, from lpp/wire.py."""
    return frames(wire.ToServer)


def server_to_seat() -> Iterator[str]:
    """The frames to a seat, from lpp/wire.py."""
    return frames(wire.ToSeat)


def link_to_server() -> Iterator[str]:
    """The frames from a link, from contest/links/linkwire.py."""
    return frames(linkwire.ToServer)


def server_to_link() -> Iterator[str]:
    """The frames to a link, from contest/links/linkwire.py."""
    return frames(linkwire.ToLink)


def audience() -> Iterator[str]:
    """The frames between the server and a viewer, from contest/audience/frames.py."""
    return frames(audience_frames.Frame | audience_frames.Follow)


def limits() -> Iterator[str]:
    """A table of the server's limits for each client, from contest/net/limits.py."""
    values = dataclasses.asdict(Limits())
    attributes = inspect.cleandoc(str(Limits.__doc__)).partition("Attributes:\n")[2]
    yield "| limit | value | meaning |\n|---|---|---|"
    for name, meaning in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE):
        value = values[name]
        if isinstance(value, dict):
            shown = f"{value['per_second']:,g} a second, {value['burst']:,} at once"
        else:
            shown = f"{value:,g}"
        yield f"| `{name}` | {shown} | {' '.join(meaning.split())} |"


#: Characters that Markdown does not show as they are.
SHOWN = {" ": "blank", "\t": "tab", "\n": "newline", "\b": "backspace", "|": "&#124;", "`": "&#96;"}


def key_names() -> Iterator[str]:
    """The names of the appendix with their characters, from lpp/names.py."""
    cells = [f"`{name}` {SHOWN.get(char, f'`{char}`')}" for name, char in NAMES.items()]
    yield "| | | | |\n|---|---|---|---|"
    for start in range(0, len(cells), 4):
        yield f"| {' | '.join(cells[start : start + 4])} |"


#: An example value for each kind of field of an order.
VALUES = {"reason": "…", "text": "", "tick": False, "minutes": 2.5, "number": 3, "round": 3}
VALUES |= {"events": 50, "plan": {"3": [["J1", "E4", "C3"]]}}


def orders() -> Iterator[str]:
    """A table of the organizer's orders, from contest/organizer/orders.py."""
    yield "| order | does | persons |\n|---|---|---|"
    for order in ORDERS.values():
        given = {field.name: VALUES.get(field.kind, "…") for field in order.fields}
        document = json.dumps({"action": order.action, **given}, ensure_ascii=False)
        yield f"| `{document}` | {order.does} | {'2' if order.two else ''} |"


def benches() -> Iterator[str]:
    """A table of the benchmarks, from their modules' docstrings."""
    yield "| name | measures |\n|---|---|"
    for name, (module, _) in BENCHMARKS.items():
        file = Path(__file__).parents[1] / (module.replace(".", "/") + ".py")
        text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
        measures = " ".join(text.partition("\n\n")[0].split())
        yield f"| `{name}` | {measures} |"


def checks() -> Iterator[str]:
    """A table of the pre-flight checks, from contest/preflight/checks.py."""
    yield "| identifier | green if |\n|---|---|"
    for check in CHECKS:
        yield f"| `{check.id}` | {' '.join(str(inspect.getdoc(check.inspect)).split())} |"


def statistics() -> Iterator[str]:
    """A section for each group of statistics, from contest/results/statistics.toml."""
    for part in prose().values():
        if not isinstance(part, str):
            yield f"### {part['title']}\n\n{part['method'].strip()}\n"
            yield f"*Assumes*: {part['assumptions'].strip()}\n"
            numbers = part.get("numbers", {})
            if numbers:
                yield "| `statistic` | meaning | form |\n|---|---|---|"
            for name, number in numbers.items():
                yield f"| `{name}` | {number['label']} | {number['form']} |"
            yield ""


def bundled_bots() -> Iterator[str]:
    """A table of the bundled bots, from bots/registry.py and each bot's pace."""
    yield "| name | what it does | gap between keys, s | thought before a line, s | mistyped |"
    yield "|---|---|---|---|---|"
    for name, bot in BOTS.items():
        pace = find(name).pace
        yield (
            f"| `{name}` | {bot.summary} | {pace.gap:g} | {pace.thought:g} | "
            f"{pace.slips * 100:g} % |"
        )


def weights() -> Iterator[str]:
    """How much each feature of a talk weighs for a scripted judge."""
    yield f"| feature | {' | '.join(judge.name for judge in judges())} |"
    yield f"|---{'|---' * len(judges())}|"
    for name in FEATURES:
        yield f"| `{name}` | {' | '.join(f'{who.weights[name]:g}' for who in judges())} |"


def faults() -> Iterator[str]:
    """A table of the faults of a rehearsal, from contest/rehearse/play.py."""
    yield "| fault | what happens |\n|---|---|"
    for name, fault in FAULTS.items():
        yield f"| `{name}` | {' '.join(str(inspect.getdoc(fault)).split())} |"


def question_rules() -> Iterator[str]:
    """A table of the rules for screening questions whose answer depends on the moment."""
    yield "| rule | asks for |\n|---|---|"
    for name, asked in RULES.items():
        yield f"| `{name}` | {asked.replace('{number}', '`number`')} |"


def commands(
    command: click.Command = cli, name: str = "loebner", parent: click.Context | None = None
) -> Iterator[str]:
    """A section for each command, with its `--help`."""
    context = click.Context(
        command, parent, name, terminal_width=96, max_content_width=96, **command.context_settings
    )
    yield f"## `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from commands(found, each, context)


#: The generated parts; each goes to a file of its name.
PARTS: tuple[Callable[[], Iterator[str]], ...] = (
    *(conformance, columns, orders, benches, checks, statistics),
    *(bundled_bots, weights, faults, question_rules, commands),
)
#: The parts that are also in the source, for readers without the site.
IN_SOURCE = (
    *(kinds, season_kinds, run_kinds, key_names, limits),
    *(seat_to_server, server_to_seat, link_to_server, server_to_link, audience),
)


def write(out: Path = OUT, parts: tuple[Callable[[], Iterator[str]], ...] = PARTS) -> None:
    """Writes generated parts to a directory."""
    out.mkdir(parents=True, exist_ok=True)
    for part in parts:
        (out / f"{part.__name__}.md").write_text("\n".join(part()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
    write(CODEBOOK, IN_SOURCE)
