"""Takes statements apart: who does what to whom, where, when and why.

No grammar of English is attempted; what children's sentences need is enough: a subject, a chain of
verbs ("likes to play"), an object, phrases with a preposition, and clauses that hang on with who,
which, and, because. What can't be taken apart is still remembered whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bots.screening.wording import verb_base, word_lists

_LISTS = word_lists()["little"]
PREPOSITIONS = frozenset(_LISTS["prepositions"].split())
#: Prepositions that tell a place.
PLACES = frozenset(_LISTS["places"].split())
DETERMINERS = frozenset(_LISTS["determiners"].split())
_ADVERBS = frozenset(_LISTS["adverbs"].split())
_BE = frozenset(("am", "is", "are", "was", "were", "be", "been", "being"))
_HAVE = frozenset(("have", "has", "had"))
_DO = frozenset(("do", "does", "did"))
_MODALS = frozenset(("can", "could", "will", "would", "shall", "should", "may", "might", "must"))
AUXILIARIES = _BE | _HAVE | _DO | _MODALS

_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_WHEN = re.compile(
    rf"\b(?:(?:(?:early|late) )?(?:yesterday|today|tomorrow|tonight)"
    rf"(?: morning| afternoon| evening| night)?"
    rf"|(?:last|next|this|every|each) (?:{_DAY}|{_MONTH}|day|week|weekend|month|year|morning"
    rf"|afternoon|evening|night|summer|winter|spring|fall|autumn|time|christmas)"
    rf"|on (?:{_DAY}|weekends|my birthday|christmas|{_MONTH} \w+)(?: morning| afternoon| evening)?"
    rf"|in (?:{_MONTH}|\d{{4}}"
    rf"|the (?:morning|afternoon|evening|summer|winter|spring|fall|autumn))"
    rf"|at (?:noon|night|midnight|\d[\d:]*(?: o'clock| ?[ap]\.?m\.?)?|\w+ o'clock|lunchtime)"
    rf"|(?:\w+ )?(?:\w+ )?(?:days?|weeks?|months?|years?|hours?|minutes?) ago"
    rf"|(?:once|twice) a (?:day|week|month|year)"
    rf"|when (?:i|we|he|she|they|you) (?:was|were) (?:an? )?(?:very )?\w+)(?![\w'])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|\d[\d.,:]*")
_NAMING = re.compile(r"\b(?:named|called|whose name is|by the name of)\s+((?:[A-Z][\w'-]*\s?)+)")
_BECAUSE = re.compile(
    r"\s*,?\s+\b(?:because|(?:since|as)(?= (?:i|he|she|it|they|we)\b))\s+", re.IGNORECASE
)
# Adverbs that may end an object: "likes basketball better".
_MANNER = re.compile(r"\s*\b(?:better|best|very much|a lot|too|well|most|again|together)$", re.I)
_RELATIVE = re.compile(r",?\s+\b(?:who|which|that)\s+(?=(\w+))")
_JOINT = re.compile(
    r"\s*,\s+(?=(?:do|does|did|is|are|was|i|he|she|we|they) )"
    r"|\s*[,;]\s*(?:and|but|so|then)\s+|\s+(?:and|but|so)\s+(?:then\s+)?|;\s*"
)
_PREAMBLE = re.compile(
    r"^(?:(?:you know|by the way|listen|look|remember|please remember|let me tell you"
    r"|i (?:will tell|want to tell|would like to tell|told) you|here is a fact|i should mention"
    r"|did i tell you|note|know)(?: that)?[\s,:]+)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a statement, each part in the speaker's own words.

    Attributes:
        subject: who or what; "" if it was not found.
        verbs: base forms, outermost first: "likes to play" is ("like", "play").
        object: what stands after the verbs, before any preposition.
        phrases: (preposition, noun phrase) in their order.
        when: the time that it tells, or "".
        why: what stands after because, or "".
        predicate: all that stands after the subject.
        negated: whether it says not or never.
    """

    subject: str
    verbs: tuple[str, ...]
    object: str = ""
    phrases: tuple[tuple[str, str], ...] = ()
    when: str = ""
    why: str = ""
    predicate: str = ""
    negated: bool = False

    def phrase(self, *prepositions: str) -> str:
        """The first phrase with one of these prepositions, the preposition included, or ""."""
        for preposition, noun in self.phrases:
            if preposition in prepositions:
                return f"{preposition} {noun}"
        return ""

    @property
    def place(self) -> str:
        """Where: all phrases of place in their order, or ""."""
        told = [f"{p} {noun}" for p, noun in self.phrases if p in PLACES and not _is_time(noun)]
        return " ".join(told)


def words(text: str) -> list[str]:
    """The words of a text as they stand, hyphens and apostrophes within."""
    return _WORD.findall(text)


def find_verb(tokens: Sequence[str], start: int = 1) -> int | None:
    """Where the first verb of a clause stands, or None.

    Arguments:
        tokens: the words.
        start: where it can be at the earliest.
    """
    for index in range(start, len(tokens)):
        token = tokens[index].lower()
        before = tokens[index - 1].lower() if index else ""
        if token in AUXILIARIES:
            return index
        if verb_base(token) is None or before in DETERMINERS or before.endswith("'s"):
            continue
        after = tokens[index + 1].lower() if index + 1 < len(tokens) else ""
        # "my pet fish eats": of two verbs in a row the first one is a noun.
        if verb_base(token) == token and (after in AUXILIARIES or _is_finite(after)):
            continue
        if before in PREPOSITIONS and not token.endswith("ing"):
            continue
        return index
    return None


def read_statement(sentence: str) -> list[Clause]:
    """The clauses of a statement.

    Arguments:
        sentence: contractions written out, without its full stop.
    """
    text = _PREAMBLE.sub("", sentence.strip())
    text, _, why = _BECAUSE.sub("\n", text, count=1).partition("\n")
    clauses: list[Clause] = []
    for piece in _coordinated(text):
        main, relative, antecedent = _relative(piece)
        clause = read_clause(main)
        if clause is None:
            continue
        if clause.subject.lower() in ("", "it", "they", "he", "she") and clauses:
            before = clauses[-1]
            # "I saw a bear and it growled"
            seen = before.object if clause.subject and before.subject.lower() in ("i", "we") else ""
            clause = replace(clause, subject=seen or before.subject)
        clauses.append(clause)
        hanging = read_clause(f"{antecedent} {relative}") if relative else None
        if hanging is not None:
            clauses.append(hanging)
    if why and clauses:
        clauses[-1] = replace(clauses[-1], why=why)
    return clauses


def read_clause(text: str) -> Clause | None:
    """One clause, or None if there is no verb in it."""
    text, when = take_time(text)
    text = re.sub(r"\s+", " ", text.replace(" ,", " ")).strip(" ,")
    tokens = words(text)
    first = tokens[0].lower() if tokens else ""
    bare_predicate = first in AUXILIARIES or (_is_finite(first) and first not in DETERMINERS)
    at = 0 if bare_predicate else find_verb(tokens)
    if at is None:
        return None
    named = _without_adverbs(tokens[:at])
    subject = " ".join(named)
    verbs, rest, negated = read_verbs(tokens[at:])
    if not verbs:
        return None
    noun, phrases = split_phrases(rest)
    noun = _MANNER.sub("", noun)
    return Clause(
        subject=re.sub(r"^(?:that|then|so) (?=\w)", "", subject),
        verbs=verbs,
        object=noun,
        phrases=phrases,
        when=when,
        predicate=" ".join(tokens[len(named) :]),
        negated=negated or "never" in map(str.lower, tokens[len(named) : at]),
    )


def read_verbs(tokens: Sequence[str]) -> tuple[tuple[str, ...], list[str], bool]:
    """The chain of verbs at the head of a predicate, what follows it, and whether it is negated."""
    rest = list(tokens)
    negated = False
    chain: list[str] = []
    last_auxiliary = ""
    while rest:
        token = rest[0].lower()
        if token in _ADVERBS:
            negated = negated or token in ("not", "never")
        elif token in AUXILIARIES and not chain:
            last_auxiliary = token
        elif token == "to" and len(rest) > 1 and verb_base(rest[1]) == rest[1].lower():
            pass
        elif token == "going" and rest[1:2] == ["to"] and verb_base(" ".join(rest[2:3])):
            # "is going to visit" is the future of visit.
            last_auxiliary = "will"
        elif verb_base(token) is not None and _goes_on(token, chain, last_auxiliary):
            chain.append(verb_base(token) or token)
        else:
            break
        rest.pop(0)
    if not chain and last_auxiliary:
        base = verb_base(last_auxiliary)
        chain = [base] if base is not None else ["do"]
    elif chain and last_auxiliary in _BE and chain[0] in ("call", "name"):
        chain = ["be", *chain]
    return tuple(chain), rest, negated


def split_phrases(tokens: Sequence[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """An object, and the phrases with a preposition after it."""
    noun: list[str] = []
    phrases: list[tuple[str, list[str]]] = []
    for index, token in enumerate(tokens):
        low = token.lower()
        # "the name of the dog" and "a cup of tea" are one noun phrase; "next to" is one word.
        starts = low in PREPOSITIONS and low != "of" and index + 1 < len(tokens)
        if starts and low == "to" and phrases and not phrases[-1][1]:
            phrases[-1][1].append(low)
        elif starts:
            phrases.append((low, []))
        elif phrases:
            phrases[-1][1].append(token)
        else:
            noun.append(token)
    return " ".join(noun), tuple((p, " ".join(n)) for p, n in phrases if n)


def naming(text: str) -> tuple[str, str] | None:
    """A noun phrase and the name that a text gives to it: "a friend named Harry"."""
    match = _NAMING.search(text)
    if match is None:
        return None
    before = words(text[: match.start()])
    noun: list[str] = []
    for token in reversed(before):
        if token.lower() in AUXILIARIES or token.lower() in PREPOSITIONS - {"of"}:
            break
        noun.insert(0, token)
        if token.lower() in DETERMINERS or token.lower().endswith("'s"):
            break
    return (" ".join(noun), match[1].strip()) if noun else None


def _without_adverbs(tokens: Sequence[str]) -> list[str]:
    kept = list(tokens)
    while len(kept) > 1 and kept[-1].lower() in _ADVERBS:
        kept.pop()
    return kept


def _goes_on(token: str, chain: list[str], auxiliary: str) -> bool:
    if not chain:
        # "is red", "has books" and "was cold" are no verbs in a row, "is reading" is.
        if auxiliary in _BE:
            return verb_base(token) != token
        if auxiliary in _HAVE:
            return verb_base(token) != token and not token.endswith(("ing", "s"))
        return True
    return token.endswith("ing") or verb_base(token) == token


def _coordinated(text: str) -> list[str]:
    # "and" joins clauses where a verb follows within few words; else it joins nouns.
    pieces: list[str] = []
    for part in _JOINT.split(text):
        tokens = words(part)
        starts_clause = bool(tokens) and (
            _is_finite(tokens[0].lower()) or find_verb(tokens[:5]) is not None
        )
        if pieces and not (starts_clause and find_verb(words(pieces[-1])) is not None):
            pieces[-1] += f" and {part}"
        else:
            pieces.append(part)
    return [piece for piece in pieces if piece.strip()]


def _relative(piece: str) -> tuple[str, str, str]:
    # The main clause, what hangs on with who, which or that, and whom that is about.
    for match in _RELATIVE.finditer(piece):
        follows = match[1].lower()
        if follows not in AUXILIARIES | _ADVERBS and not _is_finite(follows):
            continue
        before, tokens = piece[: match.start()], words(piece[match.end() :])
        if find_verb(words(before)) is not None:
            return before, " ".join(tokens), _antecedent(before)
        # "My friend who lives in Rome has two cats": after the relative clause the main one.
        second = find_verb(tokens, 2)
        if second is not None:
            return f"{before} {' '.join(tokens[second:])}", " ".join(tokens[:second]), before
    return piece, "", ""


def _antecedent(main: str) -> str:
    named = naming(main)
    if named is not None:
        return named[1]
    clause = read_clause(main)
    if clause is None:
        return main
    if clause.phrases:
        return clause.phrases[-1][1]
    return clause.object or clause.subject


def find_participle(tokens: Sequence[str]) -> int | None:
    """Where a form such as "reading" or "lost" stands that goes with a form of be, or None."""
    for index, token in enumerate(tokens):
        base = verb_base(token)
        before = tokens[index - 1].lower() if index else "the"
        if base is None or before in DETERMINERS or before in PREPOSITIONS:
            continue
        if token.lower() != base and not token.lower().endswith("s"):
            return index
    return None


def _is_finite(token: str) -> bool:
    base = verb_base(token)
    return base is not None and token != base and not token.endswith("ing")


def _is_time(noun: str) -> bool:
    return _WHEN.search(f"in {noun}") is not None or _WHEN.search(f"at {noun}") is not None


def take_time(text: str) -> tuple[str, str]:
    """A text without the time that it tells, and that time, or ""."""
    match = _WHEN.search(text)
    if match is None:
        return text, ""
    rest = f"{text[: match.start()].rstrip(' ,')} {text[match.end() :].lstrip(' ,')}".strip()
    return rest, match[0]
