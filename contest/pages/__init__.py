"""The shared frame of all pages that a running contest serves: answers, templates, style, scripts.

A package of pages (`contest.organizer`, `contest.audience`) has its templates in `templates/` and
its style sheets, scripts and pictures in `static/`; a template is named by its package,
`board/rows.html`, and extends `pages/base.html`. Nothing on a page comes from elsewhere, no script
and no style stands in a page itself, and what people and programs typed is text, everywhere: the
headers of every answer say so to the browser, too.
"""

from contest.pages.headers import HEADERS, redirect, secure
from contest.pages.rendering import compile_templates, environment, render, respond, static, stream
from contest.pages.statics import static_route

__all__ = [
    "HEADERS",
    "compile_templates",
    "environment",
    "redirect",
    "render",
    "respond",
    "secure",
    "static",
    "static_route",
    "stream",
]
