"""General questions relating to things (rules 2010, section 4, set 2): what they are for, which
thing is for something, and what they are. Their features are in features.py.
"""

from __future__ import annotations

import re

from bots.english import as_sentence, joined, with_article, words_of
from bots.screening.knowledge import Knowledge
from bots.screening.rules import Match, Rules
from bots.screening.wording import bare, number, singular, verb_base

RULES: Rules[Knowledge] = Rules()

# The thing that is asked for, as little as the rest of the pattern leaves.
_X = r"(?P<x>[\w' -]+?)"

_WHO = r"(?:i|you|we|one|people|they|somebody|someone|a person|he|she|children|kids|men|women)"
_MAY = r"(?:would|do|does|can|could|should|might|will|did)"
_USING = (
    r"(?:use|need|want|have|wear|buy|own|carry|keep|take|ride|drive|eat|drink|go to|visit|put on"
    r"|play)"
)


# What a thing is for


@RULES.on(
    rf"\bwhat (?:{_MAY} {_WHO} )(?:usually |normally |ever )?use {_X} (?:for|to do)$",
    rf"\bfor what (?:purpose )?(?:{_MAY} {_WHO} )use {_X}$",
    rf"\bwhat (?:is|are) {_X} (?:used |good |useful |made |there |meant )?for$",
    rf"\bof what use (?:is|are|would) {_X}(?: be)?$",
    rf"\bwhat use (?:is|are|has|have) {_X}$",
    rf"\bwhat (?:is|are) the (?:main )?(?:use|uses|purpose|point|function|job) of {_X}$",
    rf"\bwhat {_MAY} {_WHO} do (?:with|in|at|on) {_X}$",
    rf"\bwhy {_MAY} {_WHO} (?:usually |ever )?{_USING} {_X}$",
    rf"\bwhen {_MAY} {_WHO} (?:usually |ever )?{_USING} {_X}$",
    rf"\bhow {_MAY} {_WHO} use {_X}$",
    rf"\bhow (?:is|are) {_X} used$",
    rf"\bwhat (?:do|does|can) {_X} (?:do|help (?:you|us|people) (?:to )?do)$",
    rf"\b(?:give|name|tell) (?:me )?(?:a|one|the) use (?:of|for) {_X}$",
    rf"\bwhat can {_X} be used for$",
)
def _use(match: Match, knowledge: Knowledge) -> str | None:
    phrase = re.sub(r" (?:besides|other than|except|apart from)\b.*", "", match["x"])
    thing = knowledge.find(phrase)
    if thing is None:
        return None
    # Of "a million dollars" one says what money is for.
    known = singular(bare(phrase)) in (thing.name, *thing.text("also").split("|"))
    named = knowledge.named(phrase if known or bare(phrase) == thing.name else thing.name)
    use, does = thing.text("use"), thing.text("does")
    does_first = " do" in match[0] and "do with" not in match[0]
    if does and (does_first or not use):
        return as_sentence(f"{named} {_third(does, knowledge.is_plural(match['x']))}")
    if use:
        if re.match(r"when\b", match[0]):
            return f"When you want to {use}."
        if knowledge.is_a(thing, "place"):
            return as_sentence(f"{named} is a place to {use}")
        if use.split(",")[0] in ("eat", "drink", "wear", "play with", "look at"):
            is_are = "are" if knowledge.is_plural(match["x"]) else "is"
            return as_sentence(f"{named} {is_are} there to {use}")
        return f"You use {named} to {use}."
    if thing.text("gives"):
        return f"You get {thing.text('gives')} from {named}."
    if knowledge.is_a(thing, "food"):
        return f"You eat {named}."
    return None


@RULES.on(rf"\b(?:can|could|would|do|should) (?:i|you|we|one|people) use {_X} to (?P<do>.+)$")
def _can_use(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None or not thing.text("use"):
        return None
    wanted = {verb_base(word) or singular(word) for word in words_of(match["do"])}
    used = {verb_base(word) or singular(word) for word in words_of(thing.text("use"))}
    named = knowledge.named(match["x"])
    if wanted & used - {"a", "the", "or", "and", "to", "in", "on"}:
        return f"Yes, you use {named} to {thing.text('use')}."
    return f"No, you use {named} to {thing.text('use')}."


# Which thing fits


@RULES.on(
    rf"\b(?:what|which) (?P<kind>[a-z ]+?)?\s?{_MAY} {_WHO} (?:use|need|take|want|wear)"
    r"(?: (?:to|for|if|when|on|in)\b)(?P<do>.+)$",
    r"\b(?:what|which) (?P<kind>[a-z ]+?)?\s?(?:is|are) (?:used|needed|good|made) "
    r"(?:to|for) (?P<do>.+)$",
    r"\bhow (?:can|could|do|would|should) (?:i|you|we|one|people) (?P<kind>)(?P<do>.+)$",
    r"\b(?:who|what person)(?P<kind>) (?P<do>(?!is\b|was\b|are\b|am\b|do\b|did\b|does\b).+)$",
    r"\bwhat do you call (?:a |an |the )?(?P<kind>[a-z ]+?)? ?"
    r"(?:that|who|which|for|to|with) (?P<do>.+)$",
    r"\b(?:what|which) (?P<kind>[a-z ]+?) (?P<do>(?:says|makes|gives|has|have|can|lives?|eats?"
    r"|flies|swims|hops|barks|is|are|tells?|goes|carries|keeps|grows)\b.+)$",
    r"\b(?:name|the name of) (?:an?|the|some|one)? ?(?P<kind>[a-z ]+?) "
    r"(?:that|which|who|with|you) (?P<do>.+)$",
    rf"\bif {_WHO} (?:want|wants|wanted|have|had|need|needed) to (?P<do>.+?),? what"
    rf"(?P<kind>(?: [a-z]+)?) {_MAY} {_WHO} (?:need|use|take|want)$",
    rf"\b(?P<where>where) {_MAY} {_WHO} (?:go|look|be|run) (?:to|if|when|for) (?P<do>.+)$",
    rf"\bwho(?P<kind>) {_MAY} {_WHO} (?:call|ask|see|need|go to)(?: for help)? "
    r"(?:if|when|to|for) (?P<do>.+)$",
    r"\bwhat is (?:something|a thing)(?P<kind>)(?: that| which)?(?: you| people| we| one)? "
    r"(?P<do>.+)$",
)
def _which(match: Match, knowledge: Knowledge) -> str | None:
    asked = (match.groupdict().get("kind") or "").strip()
    if re.match(r"(?:kind|sort|type|part)\b", asked):
        return None
    kind = knowledge.kind_of(asked) if asked else None
    if match[0].startswith("who"):
        kind = "person"
    elif match.groupdict().get("where"):
        kind = "place"
    elif re.search(r"\bwear\b", match[0]):
        kind = "clothing"
    elif asked and kind is None:
        return None
    found = knowledge.described(words_of(match["do"]), None if kind == "thing" else kind)
    if found is None:
        return None
    return as_sentence(knowledge.named(found.name))


# What a thing is


@RULES.on(
    rf"\b(?:is|are) {_X} (?:an? |kind of |kinds of |the )?(?P<one>[a-z]+),? or "
    r"(?:an? |the )?(?P<other>[a-z ]+)$"
)
def _either_kind(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None:
        return None
    plural = knowledge.is_plural(match["x"])
    for asked in (match["one"], match["other"]):
        kind = knowledge.kind_of(asked)
        if kind is not None and knowledge.is_a(thing, kind):
            named = bare(asked) if plural else knowledge.named(asked)
            return as_sentence(f"{knowledge.named(match['x'])} {'are' if plural else 'is'} {named}")
        if asked in words_of(thing.text("color")):
            return as_sentence(f"{knowledge.named(match['x'])} {'are' if plural else 'is'} {asked}")
    return None


@RULES.on(
    r"\b(?:is|are) (?P<x>(?:an? |the )?[\w' -]+?) (?:an?|a (?:kind|sort|type) of) "
    r"(?P<kind>[a-z ]+)$",
    rf"\bare {_X} (?P<kind>[a-z]+s|furniture|clothing|food|fish)$",
)
def _is_kind(match: Match, knowledge: Knowledge) -> str | None:
    thing, kind = knowledge.find(match["x"]), knowledge.kind_of(match["kind"])
    if thing is None or kind is None:
        return None
    yes = knowledge.is_a(thing, kind)
    named, is_are = knowledge.named(match["x"]), "are" if knowledge.is_plural(match["x"]) else "is"
    if yes:
        return f"Yes, {named} {is_are} {_a_kind(kind, is_are, knowledge)}."
    return f"No, {named} {is_are} {_a_kind(thing.kind, is_are, knowledge)}."


@RULES.on(
    r"\bwhat (?:kind|sort|type) of (?:a )?(?:thing|animal|food|person|object|living thing) "
    rf"(?:is|are) {_X}$",
    r"\bwhat (?:is|are) (?P<x>(?:an? )?[\w' -]+)$",
    rf"\b(?:define|describe|explain) {_X}$",
    rf"\bwhat does {_X} mean$",
)
def _what(match: Match, knowledge: Knowledge) -> str | None:
    if match["x"].startswith(("the ", "my ", "your ", "his ", "her ")) and "kind" not in match[0]:
        return None
    thing = knowledge.find(match["x"])
    if thing is None or len(bare(match["x"]).split()) > len(thing.name.split()) + 1:
        return None
    is_are = "are" if knowledge.is_plural(match["x"]) else "is"
    said = f"{knowledge.named(match['x'])} {is_are} {_a_kind(thing.kind, is_are, knowledge)}"
    if thing.text("use") and not any(
        knowledge.is_a(thing, kind) for kind in ("place", "food", "drink")
    ):
        return as_sentence(
            f"{said}; you use {'them' if is_are == 'are' else 'it'} to {thing.text('use')}"
        )
    if thing.text("use"):
        return as_sentence(f"{said} to {thing.text('use')}")
    if thing.text("does"):
        return as_sentence(f"{knowledge.named(match['x'])} {is_are} there to {thing.text('does')}")
    return as_sentence(said)


@RULES.on(
    r"^what (?P<do>(?:has|can|says|goes|gives|flies|barks|runs)\b.+)$",
    r"^what (?:is|are) (?!an? |the |my |your |.*\b(?:made|called)\b)(?P<do>.+ .+)$",
)
def _riddle(match: Match, knowledge: Knowledge) -> str | None:
    described = [word for word in words_of(match["do"]) if word not in ("what", "is", "are")]
    found = knowledge.described(described) if len(described) > 1 else None
    return as_sentence(knowledge.named(found.name)) if found is not None else None


@RULES.on(
    r"\b(?:name|give me|tell me|list|give|say) "
    r"(?P<count>an?|any|one|two|three|four|five|some|the names? of an?)"
    r"(?: (?:kinds?|names?|examples?|types?) of(?: an?)?)? (?P<kind>[a-z ]+)$",
    r"\b(?:give me )?an example of (?P<count>an?) (?P<kind>[a-z ]+)$",
    r"^the names? of (?P<count>an?|one|two|three|four|five|some) (?P<kind>[a-z ]+)$",
)
def _name_some(match: Match, knowledge: Knowledge) -> str | None:
    kind = knowledge.kind_of(match["kind"])
    if kind is None or kind == "thing":
        return None
    count = {"some": 3, "any": 1}.get(match["count"], number(match["count"]) or 1)
    names = [thing.name for thing in knowledge.of_kind(kind)]
    # Evenly out of the list, for its neighbours are much alike.
    chosen = [names[index * len(names) // count] for index in range(min(count, len(names)))]
    return as_sentence(joined([knowledge.named(name) for name in chosen]))


def _a_kind(kind: str, is_are: str, knowledge: Knowledge) -> str:
    name = knowledge.kind_name(kind)
    if is_are == "are":
        return f"{name}s" if not name.endswith(("s", "fish", "thing")) else name
    return with_article(name)


def _third(phrase: str, plural: bool) -> str:
    # "bake bread and sell it" becomes "bakes bread and sells it".
    words = phrase.split()
    if plural:
        return phrase
    first = [0] + [n + 1 for n, word in enumerate(words[:-1]) if word == "and"]
    for index in first:
        base = words[index]
        if verb_base(base) != base:
            continue
        ending = "es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
        if base.endswith("y") and base[-2:-1] not in "aeiou":
            base, ending = base[:-1], "ies"
        words[index] = base + ending
    return " ".join(words)
