"""Tests the texts: all languages have the same keys and fields, each key is used, and each used key
exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judge_console
from contest.organizer.board import MARKS
from contest.organizer.downloads import EXPORTS
from contest.organizer.orders import GROUPS, ORDERS
from contest.organizer.status import ROLES, STATES
from contest.record.bodies import Author
from contest.screening.register import (
    COMPLIES,
    FAILS,
    ITEMS,
    OPEN,
    OUTCOMES,
    SCREENED,
    UNTESTED,
    WAITS,
    WITHDRAWN,
)
from contest.state import phases
from judge_console.look.theme import CHOICES
from judge_console.model.decision import CONFIDENCES
from judge_console.model.seat import Human, What
from judge_console.window import KEYS
from lpp.wire import Phase, Place, Role
from scheduler.checking import KINDS
from texts import LANGUAGES, Texts, load

PACKAGE = Path(judge_console.__file__).parent
CONTEST = PACKAGE.parent / "contest"
#: The packages whose pages and scripts use these texts.
PAGES = tuple(CONTEST / name for name in ("seat_page", "audience", "organizer", "screening"))
#: The only template of the results that exists in all languages.
OUTCOME = CONTEST / "results" / "templates" / "outcome.html"
#: The packages of the contest whose Python code uses them; so do the commands of the windows.
BESIDE = ("live", "net", "record", "results", "state")
SOURCES = (PACKAGE, PACKAGE.parent / "loebner", *(CONTEST / name for name in BESIDE), *PAGES)


def keys_under(section: str) -> list[str]:
    """The keys of a section whose keys are made by functions, without the section."""
    return [key.removeprefix(f"{section}.") for key in load() if key.startswith(f"{section}.")]


SIDES = get_args(Human)
PLACES = get_args(Place)
#: The server's refusals that a person may meet.
REFUSED = (
    *("not_now", "not_yours", "bad_verdict", "bad_ranking", "bad_consent", "no_talk"),
    *("no_browser", "keyboard"),
)
#: Keys that are composed at run time: the f-string, and the values of {}.
DYNAMIC: dict[str, tuple[Sequence[str], ...]] = {
    "phase.{}.heading": (get_args(Phase),),
    "phase.{}.{}": (get_args(Phase), get_args(Role)),
    "phase.closed_last.{}": (get_args(Role),),
    "window.{}": (get_args(Role),),
    "talk.who_{}": (get_args(Role),),
    "settings.theme_{}": ([choice.replace("-", "_") for choice in CHOICES],),
    "settings.language_{}": (["system", *LANGUAGES],),
    "desk.human_{}": (SIDES,),
    "rater.{}": (["next", "later", "back"],),
    "rater.item_{}": (["left", "rated"],),
    "replay.{}": (["program", "human", "entity"],),
    "talk.{}": (PLACES,),
    "talk.{}_pane": (PLACES,),
    "talk.{}_line": (PLACES,),
    "talk.said_{}": (["you", *PLACES],),
    "keys.{}": (KEYS,),
    "keys.called.{}": (KEYS,),
    "join.{}_hint": (["code", "server"],),
    "ranking.{}": (["up", "down", "share", "read"],),
    "verdict.{}": (SIDES,),
    "verdict.saved_{}": (SIDES,),
    "verdict.you_say_{}": (SIDES,),
    "verdict.sure_{}": (["none", *(str(step) for step in CONFIDENCES if step is not None)],),
    "ranking.side_{}": (SIDES,),
    "ranking.moved{}": (["", "_shared"],),
    "ranking.{}{}": (["row", "item"], ["", "_shared"]),
    **{f"{{}}.{name}": (get_args(What),) for name in ("refused", "correcting")},
    "refused.{}": (REFUSED,),
    "{}.{}": (get_args(What), ["confirm", "correct", "keep"]),
    "{}.choose_first": (["verdict", "consent"],),
    "{}.closed{}": (["verdict", "ranking"], ["", "_unsaved"]),
    "{}.saving{}": (get_args(What), ["", "_offline"]),
    "audience.now.{}": ([*(phase.value for phase in phases.Phase), "result", "ended"],),
    "season.column.{}": (
        ["place", "entry", "outcome", "program", "entrant", "posted", "received"],
    ),
    "season.is.{}": (
        [
            *(each.replace(" ", "_") for each in (COMPLIES, FAILS, OPEN)),
            *(each.replace(" ", "_") for each in (SCREENED, WAITS, UNTESTED, WITHDRAWN)),
            *(each.replace("-", "_") for each in OUTCOMES),
            *("registered", "restored"),
        ],
    ),
    "season.item.{}": ([*ITEMS],),
    "season.fault.{}": (keys_under("season.fault"),),
    "season.suggestion.{}": (keys_under("season.suggestion"),),
    "season.beside.{}": (["unasked", "nothing"],),
    "season.remark.{}_changed": (["date", "venue"],),
    "season.form.{}": (["new", "change", "withdraw", "restore", "test", "reason_needed"],),
    "season.form.{}_give": (["new", "change", "withdraw", "restore", "test"],),
    "season.done.{}": (["registered", "corrected", "withdrawn", "restored", "tested"],),
    "board.roles.{}": ([*ROLES, "link", "organizer", "witness"],),
    "board.frame.{}": (["contest", "log", "result", "schedule", "codes", "files"],),
    "board.login.wrong_{}": (["organizer", "other"],),
    "board.marks.{}": ([*MARKS],),
    "board.state.{}": ([*MARKS, "provisional", "final"],),
    "board.now.{}": (["coming_round", "coming_attempt"],),
    "board.actions.{}": (["pause", "extend", "end", "close", "close_ranking"],),
    "board.missing.{}": (["away", "no_link", "ended"],),
    "board.missing.{}_remedy": (["away", "no_link", "ended"],),
    "board.proposals.{}": (["confirm", "drop"],),
    "board.checks.{}": (
        [
            *("red", "yellow", "green", "seat", "entry", "here", "away", "no_link"),
            *("no_link_remote", "ended", "ready", "runs", "ready_old", "runs_old"),
        ],
    ),
    # tests/contest/state/test_incidents.py has an event for each.
    "events.{}{}": (keys_under("events"), [""]),
    "events.delays_differ_{}": (get_args(Author),),
    "board.not_now.{}": (
        [
            *("start", "pause", "resume", "extend", "end", "close", "again", "stop", "replace"),
            *("plan", "no_result"),
        ],
    ),
    "board.refused.plan_{}": (ROLES,),
    "board.refused.code_of_{}": (["organizer", "witness"],),
    "board.refused.order_{}": (["dropped", "confirmed", "unknown"],),
    "trouble.when_{}": (["lost", "full", "held", "damaged", "other"],),
    "result.{}": (["final", "final_open", "provisional", "complete"],),
    "result.{}_open": (["provisional", "complete"],),
    "board.steps.{}": (["names", "table", "place", "prizes"],),
    "board.desks.{}": ([*STATES, *SIDES],),
    "board.entries.{}": (["running", "ended"],),
    "board.orders.{}": ([*GROUPS, "attempt", "attempts"],),
    "board.orders.talk_{}": (SIDES,),
    "board.files.{}": (EXPORTS,),
    "board.log.{}": (["number", "time", "who", "kind", "what"],),
    "board.schedule.{}": ([*KINDS, "changed", "new"],),
    "board.schedule.gone_{}": (["judges", "confederates", "entries"],),
}
#: The functions that are called with a key.
SPEAKERS = {"texts", "_texts", "say", "_say", "Sentence"}

ENGLISH = load("en")
SECTIONS = {key.partition(".")[0] for key in ENGLISH}
KEY = re.compile(rf"(?:{'|'.join(sorted(SECTIONS))})(?:\.[a-z0-9_{{}}]+)+")
LIKE_A_KEY = re.compile(r"[a-z0-9_{}]+(?:\.[a-z0-9_{}]+)+")
#: A key that is written in full in a page or its script. Keys that are composed there are also
#: written in the windows or in the Python code of the same package; JOINED finds those that are
#: not.
IN_PAGES = re.compile(rf"""["']({KEY.pattern})["']""")
JOINED = re.compile(
    r"""["']((?:board|season)(?:\.[a-z_]+)*[._])["'] ~ [\w.]+(?: ~ ["'](\w+)["'])?"""
)
#: Parsing takes long, so sources without this, which have no key, are not parsed.
MAY_HAVE_KEYS = re.compile(
    rf"""["'](?:{"|".join(sorted(SECTIONS))})\.|\b(?:{"|".join(sorted(SPEAKERS))})\("""
)
A_FILE = re.compile(r".*\.(?:jsonl?|toml|txt|log|db|lock|html|csv)")
others = pytest.mark.parametrize("language", LANGUAGES[1:])
each = pytest.mark.parametrize("language", LANGUAGES)


@cache
def literals() -> dict[str, str]:
    """All literals in the sources that have the form of a key, or are passed to a function for
    texts, with their places; {} stands for the fields of an f-string."""
    found: dict[str, str] = {}
    for path in sorted(path for folder in SOURCES for path in folder.rglob("*.py")):
        source = path.read_text("utf-8")
        if not MAY_HAVE_KEYS.search(source):
            continue
        name = path.relative_to(PACKAGE.parent)
        parts_of_f_strings = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.JoinedStr):
                parts_of_f_strings |= {id(part) for part in node.values}
            if id(node) in parts_of_f_strings:
                continue
            asked = isinstance(node, ast.Call) and name_called(node) in SPEAKERS and node.args
            key = literal(node.args[0] if isinstance(node, ast.Call) and asked else node)
            if (LIKE_A_KEY if asked else KEY).fullmatch(key) and not A_FILE.fullmatch(key):
                found.setdefault(key, f"{name}:{getattr(node, 'lineno', 0)}")
    for path in sorted([*(path for folder in PAGES for path in folder.rglob("*.*")), OUTCOME]):
        if path.suffix in (".js", ".html"):
            text = path.read_text("utf-8")
            joined = [f"{before}{{}}{behind}" for before, behind in JOINED.findall(text)]
            whole = [key for key in IN_PAGES.findall(text) if key[-1] != "_"]
            for key in whole + joined:
                found.setdefault(key, path.name)
    return found


def name_called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def literal(node: ast.AST) -> str:
    """A literal text, with {} for the fields of an f-string; empty if the node is not a text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts
            )
    return ""


def keys_of(key: str) -> list[str]:
    """The keys that a literal stands for: itself, or all keys of an f-string."""
    return [key.format(*values) if values else key for values in product(*DYNAMIC.get(key, ()))]


def fields_of(texts: Texts, key: str) -> list[str]:
    """The names of a text's fields."""
    forms = texts.forms(key).values()
    return sorted({name for form in forms for name in re.findall(r"\{(\w+)\}", form)})


# The files


@others
def test_languages_have_the_same_keys(language: str) -> None:
    texts = load(language)
    assert set(texts) - set(ENGLISH) == set(), f"in {language}.toml, not in en.toml"
    assert set(ENGLISH) - set(texts) == set(), f"in en.toml, not in {language}.toml"


@others
def test_texts_have_the_same_fields_and_forms(language: str) -> None:
    texts = load(language)
    wrong = {
        key: (fields_of(ENGLISH, key), fields_of(texts, key))
        for key in ENGLISH
        if fields_of(ENGLISH, key) != fields_of(texts, key)
        or ENGLISH.forms(key).keys() != texts.forms(key).keys()
    }
    assert wrong == {}


@each
def test_texts_are_clean(language: str) -> None:
    texts = load(language)
    for key in texts:
        for form in texts.forms(key).values():
            assert form.strip() == form != "", key
            assert "\n" not in form, f"{key}: line breaks are the window's task"
            assert "..." not in form, f"{key}: … is one character"
            assert "<" not in form, f"{key}: no markup"
            mnemonics = re.findall(r"&(.?)", form.replace("&&", ""))
            assert len(mnemonics) <= 1, key
            assert all(letter.isalpha() for letter in mnemonics), key


def test_german_keyboards_have_german_keys() -> None:
    """Qt's menus also say Strg."""
    german = load("de")
    english = re.compile(r"\b(Ctrl|Shift|Page (Up|Down)|Home|End|Return|BackSpace|Space)\b")
    found = {key: form for key in german for form in german.forms(key).values()}
    assert {key: form for key, form in found.items() if english.search(form)} == {}


@each
def test_every_text_can_be_formatted(language: str) -> None:
    texts = load(language)
    for key in texts:
        for number in (0, 1, 2):
            given_: dict[str, object] = {n: f"«{n}»" for n in fields_of(texts, key)}
            given_["n"] = number
            said = texts(key, **given_)
            assert "{" not in said
            for name in given_.keys() - {"n"}:
                assert f"«{name}»" in said


def test_all_words_of_the_boards_orders_have_german_translations() -> None:
    names = ("title", "button", "does", "done", "warning", "page")
    for order in (order for order in ORDERS.values() if order.group):
        for name in names:
            english = name == "done" or any(getattr(order, name) or ())
            assert (name in order.de) == english, (order.action, name)
        for field in order.fields:
            assert {"label", "hint"} & {*field.de} == {
                name for name in ("label", "hint") if getattr(field, name)
            }, (order.action, field.name)


# Use of the texts


def test_every_key_used_in_the_code_exists() -> None:
    undeclared = {
        key: place for key, place in literals().items() if "{}" in key and key not in DYNAMIC
    }
    assert undeclared == {}, "f-strings that are missing in DYNAMIC, with the values of {}"
    missing = {
        key: place
        for made, place in literals().items()
        for key in keys_of(made)
        if key not in ENGLISH
    }
    assert missing == {}, "keys without a text"


def test_every_text_is_used() -> None:
    used = {key for made in literals() for key in keys_of(made)}
    unused = [f"en.toml: {key}" for key in ENGLISH if key not in used]
    assert unused == [], "unused texts"


# The loader


@given(st.text())
def test_field_values_are_never_markup_or_fields(words: str) -> None:
    said = ENGLISH("talk.said_left", text=words)
    assert said.replace("\u2068", "").replace("\u2069", "") == "Left: " + words.replace(
        "\u2068", ""
    ).replace("\u2069", "")


@pytest.mark.parametrize(
    ("preferred", "language"),
    [
        (["de-AT", "en"], "de"),
        (["fr_FR.UTF-8", "de_DE.UTF-8", "en"], "de"),
        (["fr", "ja"], "en"),
        (["EN-gb"], "en"),
        (["C.UTF-8"], "en"),
        ([""], "en"),
        (["dev"], "en"),
    ],
)
def test_the_persons_language_is_found(preferred: list[str], language: str) -> None:
    assert load("system", preferred).language == language
