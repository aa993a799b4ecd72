"""The page of a discipline's results, and the CSV and JSON files beside it.

A page is self-contained: it includes its style and pictures, has no scripts, and its policy blocks
everything else. Anything that programs and people wrote is shown as plain text. Templates extend
`disciplines/results.html`; a discipline's own templates are named `DISCIPLINE/FILE.html` and are in
its folder `templates`.
"""

from __future__ import annotations

import base64
import csv
import functools
import io
import json
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

import disciplines
from contest import pages

#: In a contest's folder: the folder of the results, their page, and their document.
RESULT = "result"
PAGE, DOCUMENT = f"{RESULT}/results.html", f"{RESULT}/results.json"
#: The first characters that make a spreadsheet treat a text as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@functools.cache
def _environment() -> jinja2.Environment:
    ours = {
        each.name: jinja2.PackageLoader(f"disciplines.{each.name}")
        for each in pkgutil.iter_modules(disciplines.__path__)
        if each.ispkg and files(f"disciplines.{each.name}").joinpath("templates").is_dir()
    }
    ours["disciplines"] = jinja2.PackageLoader("disciplines")
    loaders = [jinja2.PrefixLoader(ours), pages.environment().loader]
    return pages.environment().overlay(
        loader=jinja2.ChoiceLoader([each for each in loaders if each is not None])
    )


def render(template: str, context: Mapping[str, Any]) -> str:
    """Renders a page.

    Arguments:
        template: its name, such as `chatgpt4pcg/results.html`.
        context: its values: `title`; `program`, which made the result; `notices`, sentences at the
            top of the page; and whatever else the template needs.
    """
    more = files("disciplines").joinpath("templates", "results.css").read_text("utf-8")
    style = pages.own_style("pages/static/style.css", more=more, pictures=True)
    return _environment().get_template(template).render(**style, **context)


def picture(png: bytes) -> Markup:
    """A picture as a data URL, to include it in the page."""
    return Markup("data:image/png;base64," + base64.b64encode(png).decode())


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV. Text that a spreadsheet would treat as a formula gets a ' before it; numbers
    don't."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return out.getvalue()


def _harmless(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def json_text(document: Any) -> str:
    """A document as indented JSON, with its keys in their order."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
