"""Results and statistics in words and tables, for a terminal, a text file and the page.

Chances are told as "in about 23 of 100 such contests", intervals as "a chance anywhere between 9 %
and 53 % would be compatible with that": neither is the chance that somebody is human, or is the
best. `statistics.toml` has what stands beside the numbers: methods, and what they suppose.
"""

from __future__ import annotations

import functools
import io
import math
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import scheduler
from contest.results.statistics import Json, by_mean_rank, ranks_of
from scheduler.texts import counted, listed, number, plain

if TYPE_CHECKING:
    from contest.results.document import Results

#: Columns of a terminal, unless said otherwise.
WIDTH = 80


@functools.cache
def prose() -> dict[str, Any]:
    """What stands beside the numbers: `beside` above all of them, and a table for each part."""
    return tomllib.loads(files("contest").joinpath("results/statistics.toml").read_text("utf-8"))


# The result


def result_in_words(results: Results) -> str:
    """The result: table, places, silver medal, prizes, warnings, rounds, the head of the record.

    Raises:
        RecordTrouble: if the record can't be tallied.
    """
    contest, words = results.contest, results.document["words"]
    said = [one_line(title_of(contest.settings)), "", *score_table(contest.tally), ""]
    said += [*words["rules"], *words["places"], *words["silver"], "", words["state"]]
    said += [*words["prizes"], *(f"Warning: {line}." for line in contest.tally.warnings), ""]
    try:
        rounds = scheduler.write_rounds(contest.schedule).splitlines()
    except scheduler.Refused:  # ids that run into one another
        rounds = [
            f"Round {at} " + ", ".join(f"{p.judge} {p.entry} {p.confederate}" for p in pairings)
            for at, pairings in enumerate(contest.schedule.rounds, 1)
        ]
    for at, line in enumerate(rounds, 1):
        said.append(f"{line}{' (not played)' * (at in contest.not_played)}")
    return "".join(f"{line}\n" for line in (*said, "", f"head {contest.head}"))


def score_table(tally: scheduler.Tally, *, lines: bool = False) -> list[str]:
    """The judges' table with scores, mean ranks and places.

    Arguments:
        tally: it.
        lines: whether it goes to a terminal, with lines between its parts.
    """
    of = {standing.entry: standing for standing in tally.entries}
    order = [of[entry] for entry in tally.roster.entries]

    def row(name: str, cells: Iterable[Any]) -> list[str]:
        return [name, *("-" if cell is None else str(cell) for cell in cells)]

    def exact(value: Any) -> str | None:
        return None if value is None else number(value)

    steps = [step for step in tally.rules.steps if step.name not in ("column-sum", "mean-rank")]
    return table_lines(
        ["", *(s.entry for s in order)],
        [row(judge, (cells[s.entry] for s in order)) for judge, cells in tally.table.items()],
        [
            row("score", (s.score for s in order)),
            row("mean rank", (exact(s.mean_rank) for s in order)),
            *(row(step.heading, (exact(s.value(step)) for s in order)) for step in steps),
            row("place", (f"{s.place}{'=' * s.tied}" for s in order)),
        ],
        lines=lines,
    )


def table_lines(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    foot: Iterable[Sequence[str]] = (),
    *,
    lines: bool = False,
) -> list[str]:
    """A table in plain characters, never cut; its first column at the left, the others at the
    right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE if lines else None, pad_edge=False)
    # Text objects throughout: a name from a file is never read as markup.
    for at, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if at else "left", no_wrap=True)
    for part in (rows, foot):
        for row in part:
            table.add_row(*(Text(plain(cell)) for cell in row))
        table.add_section()
    out = io.StringIO()
    Console(file=out, width=1_000_000, color_system=None).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def title_of(settings: Mapping[str, Any]) -> str:
    """Name, date and place of a contest, in one line."""
    held = settings.get("contest")
    own = held if isinstance(held, dict) else {}
    return "  ".join(str(own[key]) for key in ("name", "date", "venue") if own.get(key))


def one_line(text: str) -> str:
    """Text on one line; what does not print is escaped."""
    return plain(" ".join(text.split()))


# Statistics


def statistics_text(found: Json, speed: float = 1.0, results: Results | None = None) -> str:
    """The statistics as text: sentences and tables, each part with its method.

    Arguments:
        found: the document of statistics.
        speed: how many times faster than real time the contest was played.
        results: of a contest whose design and ranks are shown first.

    Returns:
        Lines ended by a line feed.
    """
    lines = [] if results is None else list(_design(results))
    lines += ["Beside the result", "", *textwrap.wrap(prose()["beside"], WIDTH)]
    if found["missing"]:
        left_out = f"What judges decided is not looked at here: {found['missing']}."
        lines += textwrap.wrap(left_out, WIDTH)
    for part in parts_of(found, speed):
        lines += ["", part["title"], "-" * len(part["title"])]
        table = part["table"]
        drawn = ["", *table_lines(table["columns"], table["rows"]), ""] if table else []
        for said in (
            *part["said"],
            None,
            f"How: {part['method']}",
            f"Supposes: {part['supposes']}",
        ):
            lines += drawn if said is None else textwrap.wrap(said, WIDTH, break_on_hyphens=False)
    return "".join(f"{plain(line)}\n" for line in lines)


def _design(results: Results) -> Iterator[str]:
    """The rounds and judges, and all ranks."""
    schedule, verdicts, ballots = results.contest.counted
    taken = taken_in(verdicts)
    roster, rows = schedule.roster, []
    for at, pairings in enumerate(results.contest.played_schedule.rounds, 1):
        met = {p.judge: (p.entry, p.confederate) for p in pairings}
        cells = (
            " ".join(who + "*" * (who == taken.get((at, judge))) for who in met.get(judge, ("-",)))
            for judge in roster.judges
        )
        rows.append([str(at), *cells])
    yield from ("The design; * is whom the judge took for the human", "")
    yield from (*table_lines(["", *roster.judges], rows), "")
    if ranked := by_mean_rank(ranks_of(ballots)):
        rows = [
            [who, " ".join(f"{float(r):g}" for r in ranks), f"mean {float(mean):.4g}"]
            for who, ranks, mean in ranked
        ]
        yield from ("All ranks, 1 is the most human", "", *table_lines(["", "", ""], rows)[1:], "")


def taken_in(verdicts: Iterable[scheduler.Verdict]) -> dict[tuple[int, str], str]:
    """Whom each judge took for the human, by round and judge."""
    entry = scheduler.Choice.ENTRY
    return {
        (v.pairing.round, v.pairing.judge): v.pairing.entry
        if v.choice is entry
        else v.pairing.confederate
        for v in verdicts
        if v.choice is not None
    }


def parts_of(found: Json, speed: float = 1.0) -> list[Json]:
    """All parts that there is something to say of, each with `name`, `title`, sentences (`said`),
    `table` (`about`, `columns` and `rows`, or None), `method`, and what it `supposes`.

    Arguments:
        found: the document of statistics.
        speed: how many times faster than real time the contest was played.
    """
    judged = found["judged"]
    made: list[tuple[str, Iterable[str], Json | None]] = []
    if judged is not None and judged["programs_taken_for_human"]["out_of"]:
        made = [
            ("shares", _shares(judged), _share_table(judged)),
            ("guessing", _guessing(judged["guessing"]), None),
            ("strengths", _strengths(judged["strengths"]), _strength_table(judged["strengths"])),
            ("agreement", _agreement(**judged["agreement"]), None),
        ]
    if found["talks"] or found["withheld_talks"]:
        made.append(("talks", _talks(found, speed), _separation_table(found["separations"])))
    return [
        {"name": name, "said": list(said), "table": table} | prose()[name]
        for name, said, table in made
    ]


def _shares(found: Json) -> Iterator[str]:
    yield _share("a program", found["programs_taken_for_human"])
    shares = {who: one for who, one in found["entries_taken_for_human"].items() if one["out_of"]}
    alike: dict[tuple[int, int], list[str]] = {}
    for entry, one in shares.items():
        alike.setdefault((one["taken"], one["out_of"]), []).append(entry)
    for same in alike.values():
        yield _share(listed(same), shares[same[0]], len(same))
    if len(shares) < 2:
        return
    # The best entry beside each other one; entries with the same share in one sentence.
    best = max(shares, key=lambda who: shares[who]["share"])
    others: dict[float, list[str]] = {}
    for each in found["entries_differ"]:
        if best in (each["entry"], each["other"]):
            name = each["other"] if each["entry"] == best else each["entry"]
            others.setdefault(each["fisher_p"], []).append(name)
    for chance, names in others.items():
        each_of = "each of " * (len(names) > 1)
        yield (
            f"Had {best} and {each_of}{listed(names)} the same chance, luck alone would set them "
            f"as far apart as here, or further, {in_contests(chance)}."
        )


def _share(whom: str, one: Json, entries: int = 1) -> str:
    """The sentence about a share, of one entry or of several that have the same."""
    each, of_each = ("", "") if entries == 1 else (" each", ", for each of them")
    return (
        f"With {counted(one['out_of'], 'verdict')}{each}, {one['taken']} of {one['out_of']} took "
        f"{whom} for the human ({percent(one['share'])}): a chance anywhere "
        f"{between(one['wilson'])} would be compatible with that{of_each}."
    )


def _share_table(found: Json) -> Json:
    of_whom = [(f"{who}, taken for the human", one)
               for who, one in found["entries_taken_for_human"].items()]  # fmt: skip
    of_whom.append(("all entries", found["programs_taken_for_human"]))
    for name, words in (
        ("judges_recognized_human", "recognized the human"),
        ("confederates_recognized", "recognized as the human"),
    ):
        of_whom += [(f"{who}, {words}", one) for who, one in found[name].items()]
    return {
        "about": "Shares of verdicts, with what chances are compatible with them",
        "columns": ("Of whom", "Verdicts", "Share", "Wilson, 95 %", "Clopper-Pearson, 95 %"),
        "rows": [
            (
                whom,
                f"{one['taken']} of {one['out_of']}",
                percent(one["share"]),
                *(span(one[name]) for name in ("wilson", "clopper_pearson")),
            )
            for whom, one in of_whom
        ],
    }


def _guessing(found: Json | None) -> Iterator[str]:
    if found is None:
        return
    taken, best = found["taken"], found["best"]
    yield (
        f"If every judge had tossed a coin in every pairing, {taken} of "
        f"{counted(found['out_of'], 'verdict')} or fewer would have taken a program for the human "
        f"{in_contests(found['total_as_low'])}; as many or more, "
        f"{in_contests(found['total_as_high'])}."
    )
    yield (
        f"With such coins, at least one entry would have come to a score of {best} or more "
        f"{in_contests(found['best_as_high'])}."
    )
    yield (
        "If all entries had been equally convincing, and it had been luck which of them these "
        f"{counted(taken, 'verdict')} fell to, the best would have come to {best} or more "
        f"{in_contests(found['best_as_high_alike'])}."
    )


def _strengths(found: Json) -> Iterator[str]:
    if found["why_not"]:
        yield f"There are no strengths to compare: {found['why_not']}."
        return

    def alike(end: Json) -> str:
        # Equal strengths are computed to another last digit.
        return listed(
            [
                each["who"]
                for each in found["strengths"]
                if math.isclose(each["chance"], end["chance"], abs_tol=1e-9)
                and between(each["chances"]) == between(end["chances"])
            ]
        )

    first, last = found["strengths"][0], found["strengths"][-1]
    lowest = ""
    if alike(first) != alike(last):
        lowest = f", {alike(last)} in {percent(last['chance'])} ({between(last['chances'])})"
    yield (
        "If everybody had been compared with an average participant of this contest, "
        f"{alike(first)} would have been taken for the human in {percent(first['chance'])} of the "
        f"pairings ({between(first['chances'])}){lowest}."
    )
    for name, how in (("always", "in every pairing"), ("never", "in no pairing")):
        if who := found[name]:
            yield (
                f"{listed(who)} {'was' if len(who) == 1 else 'were'} taken for the human {how}. "
                "Without the penalty such a strength would be infinite, which no number of "
                "pairings can show: look at the end of the interval that is nearer to the others."
            )


def _strength_table(found: Json) -> Json | None:
    columns = ("Who", "Taken for the human", "Beside an average one", "95 %", "Log odds (95 %)")
    rows = [
        (
            each["who"],
            f"{each['taken']} of {each['out_of']}",
            percent(each["chance"]),
            span(each["chances"]),
            f"{each['log_odds']:+.2f} "
            f"({each['interval']['low']:+.2f} to {each['interval']['high']:+.2f})",
        )
        for each in found["strengths"]
    ]
    about = "Strengths by Bradley and Terry"
    return {"about": about, "columns": columns, "rows": rows} if rows else None


def _agreement(verdicts: Json, rankings: Json) -> Iterator[str]:
    if verdicts["alpha"] is None:
        yield f"Of the verdicts, no agreement can be told: {verdicts['why_not']}."
    else:
        yield (
            f"Judges' verdicts on the same entry agree to {round(verdicts['alpha'], 2) + 0.0:.2f}, "
            "where 1 is full agreement, 0 what chance gives, and less than 0 less than that."
        )
    if rankings["w"] is None:
        yield f"Of the rankings, no agreement can be told: {rankings['why_not']}."
    else:
        yield (
            f"The rankings of {counted(rankings['judges'], 'judge')} agree to {rankings['w']:.2f}, "
            "where 1 is the same ranking by all and 0 none in common; rankings in the order of "
            f"chance would agree as well {in_contests(rankings['chance'])} "
            f"({rankings['shuffles']:,} shufflings)."
        )


def _talks(found: Json, speed: float) -> Iterator[str]:
    talks = found["talks"]
    if talks:
        programs = sum(talk["role"] == "entry" for talk in talks)
        yield (
            f"Measured in {counted(programs, 'talk')} with programs and "
            f"{counted(len(talks) - programs, 'talk')} with humans; the numbers are of those whom "
            "the judges talked with."
        )
    if talks and speed != 1:
        yield (
            f"This contest was played at {speed:g} times real time: what follows says more of "
            "programs in a hurry than of anybody's typing."
        )
    if count := found["withheld_talks"]:
        yield f"{counted(count, 'talk')} left out at the wish of a participant."
    for each in found["separations"]:
        share = each["program_has_more"]
        exact = share["clopper_pearson"]
        if exact is None or exact["low"] <= 0.5 <= exact["high"]:
            continue  # it does not stand out
        more = exact["low"] > 0.5
        count = share["taken"] if more else share["out_of"] - share["taken"]
        medians = [measured(each, each[who]["median"]) for who in ("programs", "humans")]
        yield (
            f"{each['words'][0].upper()}{each['words'][1:]}: the program had "
            f"{'more' if more else 'less'} than the human in {count} of {share['out_of']} pairings "
            f"(medians {medians[0]} and {medians[1]})."
        )


def _separation_table(separations: Sequence[Json]) -> Json | None:
    rows = []
    for each in separations:
        share = each["program_has_more"]
        medians = (
            each[who]["median"] for who in ("programs", "humans", "programs_taken_for_human")
        )
        equal = f", {each['equal']} equal" * bool(each["equal"])
        rows.append(
            (
                each["words"],
                *(measured(each, median) for median in medians),
                f"{share['taken']} of {share['out_of']}{equal}",
                span(share["clopper_pearson"]),
            )
        )
    about = "Medians of the talks, and in how many pairings the program had more"
    columns = ("Measure", "Programs", "Humans", "Programs taken for the human", "Program had more",
               "95 %")  # fmt: skip
    return {"about": about, "columns": columns, "rows": rows} if rows else None


def measured(each: Json, value: float | None) -> str:
    """A value of a measure with its unit."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 or value == round(value) else 1
    return f"{value:.{digits}f} {each['unit']}".rstrip()


def percent(value: float | None) -> str:
    """A share, such as `53 %`; never `0 %` or `100 %` of what is not none or all."""
    if value is None:
        return "–"
    whole = math.floor(100 * value + 0.5)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def between(interval: Json) -> str:
    """An interval, such as `between 9 % and 53 %`."""
    return f"between {percent(interval['low'])} and {percent(interval['high'])}"


def in_contests(chance: float) -> str:
    """A chance, as in how many contests something happens."""
    if chance >= 1:
        return "in every such contest"
    if chance > 0.995:
        return "in more than 99 of 100 such contests"
    if chance >= 0.01:
        return f"in about {round(100 * chance)} of 100 such contests"
    if chance >= 0.001:
        return f"in about {round(1000 * chance)} of 1,000 such contests"
    return "in fewer than 1 of 1,000 such contests"


def span(interval: Json | None) -> str:
    """An interval for a table, such as `8.9 to 53.2 %`."""
    if interval is None:
        return "–"
    return f"{100 * interval['low']:.1f} to {100 * interval['high']:.1f} %"


# The report on a recording


def report_text(report: Json) -> str:
    """A report (see `contest.results.rhythm.report_of`) as lines ended by a line feed."""

    def told(value: float | None, form: str, unit: str = "") -> str:
        return "-" if value is None else f"{value:{form}}{unit}"

    gaps = [
        (who, *(told(found and found[name], ".0f", " ms") for name in ("low", "median", "high")))
        for who, found in report["gap_ms"].items()
    ]
    typing = [
        (
            f"{each['side']}, {each['who']}",
            str(each["keys"]),
            told(each["keys_a_minute"], ".0f"),
            str(each["pauses"]),
            told(each["backspace_share"], ".1%"),
            told(each["line_length"], "g"),
            told(each["overlap"], ".1%"),
            told(None if each["answer_ms"] is None else each["answer_ms"] / 1000, ".1f", " s"),
        )
        for each in report["typing"]
    ]
    quarters = ("gaps under 2 s", "quarter under", "median", "three quarters under")
    head = ("", "keys", "a minute", "pauses", "BackSpace", "line", "overlap", "answer")
    lines = [report["name"], *report["about"], "", *table_lines(quarters, gaps), ""]
    lines += [
        *(*table_lines(head, typing), ""),
        "Gaps of 2 s and more are pauses; a minute: keys while typing, without these. Overlap:",
        "characters typed less than a second from one of the other's. Answer: from the other's",
        "Return to the next key. Line (characters) and answer are medians.",
    ]
    if report["lost_lines"]:
        lines.append(f"{report['lost_lines']} lines of the file gave no key.")
    if report["times_running_back"]:
        lines.append(f"{report['times_running_back']} times run back; they give no gap.")
    return "".join(f"{plain(line)}\n" for line in lines)
