"""Tests that everything the scheduler says on pages can be said in other languages: each template
has a translation with the same fields."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import scheduler
from scheduler.planning.plan import QUANTITIES
from scheduler.prizes import PRIZES_2010
from scheduler.rules import SILVER, STEPS
from scheduler.texts import Phrase, counted, joined, listed, number
from texts import load, said

PACKAGE = Path(scheduler.__file__).parent
FIELD = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")
GERMAN = load("de")
#: A translation may use these fields, too: the number of a place beside its name.
MORE = {"place"}
#: What is counted on pages.
COUNTED = ("judge", "entry", "confederate", "round", "desk", "mark")


def phrases(text: str) -> Iterator[Phrase]:
    """A phrase and all phrases in its fields."""
    if isinstance(text, Phrase):
        yield text
        for field in text.fields.values():
            if isinstance(field, str):
                yield from phrases(field)


def made_by_name() -> set[str]:
    """The templates that names of steps, people and so on complete."""
    found = {template for kind in COUNTED for n in (1, 2) for template in of(counted(n, kind))}
    for step in STEPS.values():
        one, two = Fraction(1), Fraction(2)
        told = [step.amount(one), step.amount(two), step.compared([one, two]), step.equal(one)]
        told += [step.lacks(), step.lacks(["E1"])]
        found |= {template for text in told for template in of(text)}
        found |= {step.rule, step.source}
        if step.name not in ("column-sum", "mean-rank"):
            found.add(step.heading.capitalize())
    found |= {rule.words for rule in SILVER.values()}
    found |= {"{whole}.{digits}", "{high},{low}"}
    found |= {"missing pairs", *QUANTITIES[1:], "absence", "conflict"}
    medals = (PRIZES_2010.first_medal, PRIZES_2010.silver_medal, PRIZES_2010.gold_medal)
    found |= {*medals, "Silver medal"}
    roles = ("judge", "entry", "confederate")
    found |= {f"no {role} is left, so nothing can be played" for role in roles}
    for one_, other in (roles[:2], roles[1:], roles[::2]):
        found.add(f"{{id}} is the id of both {one_} and {other}; give each its own")
    return found


def of(text: str) -> set[str]:
    """The templates in a text that have words."""
    return {each.template for each in phrases(text) if re.search("[a-z]", FIELD.sub("", each))}


def written() -> dict[str, str]:
    """The templates in the sources, with their files: texts with fields, and phrases without."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        in_f_strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        parts = {id(part) for node in in_f_strings for part in ast.walk(node)}
        docs = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        phrases_ = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Phrase"
            for part in ast.walk(node.args[0])
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            asked = id(node) in phrases_ or FIELD.search(node.value)
            words = re.search("[a-z]", FIELD.sub("", node.value))
            if asked and words and id(node) not in parts | docs:
                found[node.value] = file.name
    return found


def test_each_template_is_translated() -> None:
    templates = {*written(), *made_by_name()}
    missing = {text: written().get(text, "by name") for text in templates - {*GERMAN.templates}}
    assert missing == {}
    assert {*GERMAN.templates} - templates == set(), "translations of missing texts"


def test_translations_have_the_same_fields() -> None:
    for english, german in GERMAN.templates.items():
        wanted, has = set(FIELD.findall(english)), set(FIELD.findall(german))
        assert has - wanted <= MORE, english
        assert wanted - has <= {"nth"}, english
        assert english != german, english


@pytest.mark.parametrize(
    ("text", "german"),
    [
        (listed(["E1"]), "E1"),
        (listed(["E{1}", "E2", "E3"]), "E{1}, E2 und E3"),
        (listed([counted(1, "judge"), counted(2, "entry")]), "1 Jurymitglied und 2 Programme"),
        (joined([counted(1, "round"), "a", "b"]), "1 Runde; a; b"),
        (joined([]), ""),
        (number(Fraction(9, 4)), "2,25"),
        (number(Fraction(-7, 3)), "-2,33 (-7/3)"),
        (number(Fraction(3)), "3"),
        (PRIZES_2010.amount(Fraction(3_166_666, 2)), "US$ 1.583.333"),
        (PRIZES_2010.amount(Fraction(4750, 3)), "US$ 1.583,33"),
        ("plain text", "plain text"),
    ],
)
def test_a_phrase_is_said_with_its_fields_in_another_language(text: str, german: str) -> None:
    assert said(text, GERMAN) == german
    assert said(text, load("en")) == text
    assert said(pickle.loads(pickle.dumps(text)), GERMAN) == german
