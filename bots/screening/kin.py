"""Questions on kin: what one's mother's brother is called."""

from __future__ import annotations

from bots.screening.rules import Match, Rules

#: Whose, who: what one calls them.
_KIN = {
    ("parent", "mother"): "grandmother",
    ("parent", "father"): "grandfather",
    ("parent", "brother"): "uncle",
    ("parent", "sister"): "aunt",
    ("parent", "son"): "brother",
    ("parent", "daughter"): "sister",
    ("parent", "child"): "brother or sister",
    ("sibling", "mother"): "mother",
    ("sibling", "father"): "father",
    ("sibling", "son"): "nephew",
    ("sibling", "daughter"): "niece",
    ("child", "son"): "grandson",
    ("child", "daughter"): "granddaughter",
    ("elder", "son"): "cousin",
    ("elder", "daughter"): "cousin",
    ("spouse", "mother"): "mother-in-law",
    ("spouse", "father"): "father-in-law",
}
_WHOSE = {
    "mother": "parent",
    "father": "parent",
    "brother": "sibling",
    "sister": "sibling",
    "son": "child",
    "daughter": "child",
    "aunt": "elder",
    "uncle": "elder",
    "husband": "spouse",
    "wife": "spouse",
}

RULES: Rules[None] = Rules()


@RULES.on(
    r"^what (?:do|would|should) (?:i|you|we|one|people) call (?P<my>my|your|one's|the) "
    r"(?P<one>[a-z]+)'s (?P<other>[a-z]+)$",
    r"^(?:who|what) is (?P<my>my|your|one's) (?P<one>[a-z]+)'s (?P<other>[a-z]+)"
    r"(?: to (?:me|you))?$",
)
def _called(match: Match, given: None) -> str | None:
    whose = _WHOSE.get(match["one"])
    name = _KIN.get((whose, match["other"])) if whose is not None else None
    if name is None:
        return None
    # The judge's own kin are the listener's "your".
    return f"{'Your' if match['my'] == 'my' else 'My'} {name}."
