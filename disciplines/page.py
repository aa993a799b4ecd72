"""The page of a discipline's results, and the CSV and JSON beside it.

A page stands alone: its style and pictures are in it, it has no script, and its policy would refuse
all else. What programs and people wrote is text, everywhere. Templates extend
`disciplines/results.html`; one of a discipline is named `DISCIPLINE/FILE.html` and is in its folder
`templates`.
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

#: What makes a spreadsheet take a text for a formula.
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
    """A page as text.

    Arguments:
        template: its name, such as `chatgpt4pcg/results.html`.
        context: what it is filled with: `title`; `program`, that made the result; `head`, of the
            record; `notices`, sentences at the top of the page; and what the template needs.
    """
    more = files("disciplines").joinpath("templates", "results.css").read_text("utf-8")
    style = pages.own_style("pages/static/style.css", more=more, pictures=True)
    return _environment().get_template(template).render(**style, **context)


def picture(png: bytes) -> Markup:
    """The address of a picture that is in the page itself."""
    return Markup("data:image/png;base64," + base64.b64encode(png).decode())


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV. A text that a spreadsheet would compute has a ' before it; numbers have
    not."""
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
    """A document as JSON, indented, in its order."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
