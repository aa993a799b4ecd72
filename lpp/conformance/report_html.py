"""Reports as pages: one table for all bots and runs, a page a case.

Each run adds its JSON to `runs/` of the report's directory; pages are made anew from all of them.
The pages need nothing from elsewhere, and what a bot wrote is text on them, never markup.
"""

from __future__ import annotations

import datetime
import importlib
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from lpp.conformance.cases import CASES
from lpp.conformance.run import Result
from lpp.conformance.verdict import excerpt
from lpp.errors import YoursToFix

#: Lines of the wire log that a page shows of a case.
LINES = 200

#: What a report's own file of a run says of itself.
FORM = "lpp-conformance-run-1"

_SIGNS = {"pass": "✓", "fail": "✗", "non-strict": "!", "info": "i", "not-tested": "–"}


class BadReport(YoursToFix):
    """The report can't be written, or the directory holds something else."""


def require_jinja2() -> None:
    """Raises ModuleNotFoundError now, and not after the check, if Jinja2 is not installed."""
    importlib.import_module("jinja2")


def add_run(out: Path, result: Result, bot: str, now: datetime.datetime | None = None) -> Path:
    """Adds a run to a report, and makes its pages anew.

    Arguments:
        out: the report's directory; made if there is none.
        result: the run.
        bot: what was checked.
        now: when; the present moment if left out.

    Returns:
        The overview page.

    Raises:
        BadReport: if it can't be written.
        ModuleNotFoundError: if Jinja2 is not installed.
    """
    import jinja2

    moment = (now if now is not None else datetime.datetime.now(datetime.UTC)).replace(
        microsecond=0
    )
    try:
        runs_in = out / "runs"
        runs_in.mkdir(parents=True, exist_ok=True)
        slug = re.sub(r"[^A-Za-z0-9]+", "-", bot).strip("-").lower()[:60] or "bot"
        stamp = moment.strftime("%Y%m%dT%H%M%SZ")
        file = _free(runs_in, f"{slug}-{stamp}")
        text = json.dumps(_document(result, bot, moment), indent=1, ensure_ascii=True)
        file.write_text(text, encoding="utf-8")
        runs = _runs(runs_in)
        _write_pages(out, runs, jinja2)
    except OSError as exc:
        raise BadReport(
            f"the report can't be written to {out} ({exc.strerror or exc}); name another directory"
        ) from exc
    return out / "index.html"


def _free(directory: Path, name: str) -> Path:
    file = directory / f"{name}.json"
    count = 1
    while file.exists():
        count += 1
        file = directory / f"{name}-{count}.json"
    return file


def _document(result: Result, bot: str, moment: datetime.datetime) -> dict[str, Any]:
    return {
        "form": FORM,
        "bot": bot,
        "at": f"{moment:%Y-%m-%d %H:%M:%S} UTC",
        "seconds": round(result.seconds, 1),
        "trouble": result.trouble,
        "output": result.output,
        "passed": result.passed,
        "cases": [
            {
                **outcome.document(),
                "cause": outcome.cause,
                "log": excerpt(result.log, outcome, 12, 8)[:LINES],
            }
            for outcome in result.outcomes
        ],
    }


def _runs(directory: Path) -> list[dict[str, Any]]:
    runs = []
    for file in directory.glob("*.json"):
        try:
            run = json.loads(file.read_text("utf-8"))
        except ValueError:
            continue
        if isinstance(run, dict) and run.get("form") == FORM:
            run["by_id"] = {case["id"]: case for case in run["cases"]}
            runs.append(run)
    return sorted(runs, key=lambda run: (run["bot"], run["at"]))


def _write_pages(out: Path, runs: list[dict[str, Any]], jinja2: Any) -> None:
    pages = resources.files("lpp.conformance")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: pages.joinpath(name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared = {"runs": runs, "cases": CASES, "signs": _SIGNS, "page_of": page_of}
    overview = environment.get_template("report_overview.html").render(**shared)
    (out / "index.html").write_text(overview, encoding="utf-8")
    page = environment.get_template("report_case.html")
    for index, case in enumerate(CASES):
        text = page.render(
            case=case,
            before=CASES[index - 1] if index else None,
            after=CASES[index + 1] if index + 1 < len(CASES) else None,
            **shared,
        )
        (out / page_of(case.id)).write_text(text, encoding="utf-8")


def _clean(value: object) -> object:
    # A page carries no control characters and no lone surrogates, whatever a program wrote.
    if not isinstance(value, str):
        return value
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in value)


def page_of(case: str) -> str:
    """The file name of a case's page."""
    return f"case-{re.sub(r'[^A-Za-z0-9]+', '-', case)}.html"
