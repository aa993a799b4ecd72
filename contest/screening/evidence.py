"""`check-bot --json`'s document, taken over as evidence of whether an entry speaks LPP.

Only a whole check says so: one of some cases, or one whose verdict its own cases do not bear out,
is refused.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from contest.errors import YoursToFix
from contest.screening.bodies import Conformance
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import listed, shown

_OUTCOMES = tuple(outcome.value for outcome in Outcome)
_AGAIN = "make it anew with `loebner check-bot --json -- PROGRAM {dir}`"


class BadEvidence(YoursToFix):
    """A document that is no whole check."""


def read_conformance(text: str, source: str) -> Conformance:
    """What a document of check-bot says.

    Arguments:
        text: the document.
        source: its name, for errors.

    Raises:
        BadEvidence: if it is none, or not of a whole check.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise BadEvidence(f"{source}: this is no JSON ({exc}); {_AGAIN}") from None
    cases = _cases(document, source)
    missing = [case.id for case in choose(()) if case.id not in cases]
    if missing:
        raise BadEvidence(
            f"{source}: the case {missing[0]} is not in it: it checks a part; {_AGAIN}"
        )
    levels = {case.id: case.level for case in choose(())}
    failed = [id_ for id_, outcome in cases.items() if outcome == Outcome.FAIL.value]
    soft = [id_ for id_ in cases if levels.get(id_) is Level.MUST and cases[id_] == "non-strict"]
    if document["passed"] is bool(failed) or soft:
        raise BadEvidence(
            f"{source}: it says {'passed' if document['passed'] else 'failed'}, which its cases do "
            f"not bear out ({listed(failed or soft) if failed or soft else 'none fails'}); {_AGAIN}"
        )
    by_outcome = {
        outcome: [id_ for id_, found in cases.items() if found == outcome] for outcome in _OUTCOMES
    }
    return Conformance(
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        document["passed"],
        {outcome: found for outcome, found in by_outcome.items() if found},
    )


def _cases(document: Any, source: str) -> dict[str, str]:
    """Case to outcome."""
    listed_ = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(listed_, list) or not isinstance(document.get("passed"), bool):
        raise BadEvidence(f"{source}: this is no document of check-bot: cases and passed; {_AGAIN}")
    found: dict[str, str] = {}
    for each in listed_:
        id_, outcome = (
            (each.get("id"), each.get("outcome")) if isinstance(each, dict) else (None, None)
        )
        if not isinstance(id_, str) or outcome not in _OUTCOMES:
            raise BadEvidence(f"{source}: {shown(each)} is no case with its outcome; {_AGAIN}")
        if id_ in found:
            raise BadEvidence(f"{source}: the case {shown(id_)} is in it twice; {_AGAIN}")
        found[id_] = outcome
    return found
