"""Who is who in what was told: names given to people, animals and things, and whom he, she and it
mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bots.english import words_of
from bots.screening.clauses import DETERMINERS, Clause, naming, words
from bots.screening.wording import gender, singular

_APPOSITION = re.compile(
    r"\b(?:(?i:my|his|her|our|their|the)|[A-Z]\w*'s) (?P<noun>(?:[a-z-]+ )*?[a-z-]+),? "
    r"(?P<name>[A-Z][\w-]+)\b"
)
_GIVEN = re.compile(
    r"\b(?:named|call|called|calls) (?P<noun>(?:my|the|our|his|her) [a-z -]+?) "
    r"(?P<name>[A-Z][\w-]+)"
)
_NAME_IS = re.compile(r"^(?:the )?names? of (?P<x>.+)$|^(?P<y>.+?)(?:'s)? names?$", re.I)
_CALL_ME = re.compile(r"\b(?:call me|i am called|i am) (?P<name>[A-Z][\w-]+)$", re.I)
_SUBJECTS = {"he": "male", "she": "female", "it": "thing"}
_OBJECTS = {"him": "male", "her": "female"}
_OWNERS = {"his": "male", "her": "female", "its": "thing"}
# Tokens, spaces among them, before a pronoun that begins its sentence, or its second clause.
_FAR = 8
_TRAILING = frozenset(("and", "or", "to", "in", "on", "at", "with", "for", "yesterday", "today"))


class Names:
    """What was given which name, and who was spoken of last."""

    def __init__(self) -> None:
        self._named: list[tuple[frozenset[str], str]] = []
        self._last: dict[str, str] = {}

    def learn(self, text: str, clauses: Sequence[Clause]) -> None:
        """Learns the names in a statement, and whom it speaks of."""
        given = naming(text)
        if given is not None:
            self._name(given[0], given[1])
        for pattern in (_APPOSITION, _GIVEN):
            for match in pattern.finditer(text):
                self._name(match["noun"], match["name"])
        called = _CALL_ME.search(text)
        if called is not None:
            self._name("my", called["name"])
        for clause in clauses:
            self._learn_clause(clause)
            self._speak_of(clause)

    def _learn_clause(self, clause: Clause) -> None:
        if clause.verbs[0] != "be" or not clause.object:
            return
        name_is = _NAME_IS.match(clause.subject)
        if name_is is not None:
            self._name(name_is["x"] or name_is["y"], clause.object)
        elif clause.verbs[1:] in (("call",), ("name",)):
            self._name(clause.subject, clause.object)
        elif _is_name(clause.subject) and clause.object.split()[0].lower() in DETERMINERS:
            self._name(clause.object, clause.subject)
        elif _is_name(clause.object) and clause.subject.lower().startswith(("my ", "the ")):
            self._name(clause.subject, clause.object)

    def _name(self, noun: str, name: str) -> None:
        keys = frozenset(key_words(noun)) or frozenset({"my"} if noun.lower() == "my" else ())
        name = " ".join(_name_in(name))
        if keys and name:
            self._named.append((keys, name))
            self._mention(noun, name)

    def _speak_of(self, clause: Clause) -> None:
        # Whoever is the subject is meant rather than whoever else was mentioned.
        for _, noun in clause.phrases:
            self._mention(noun, noun)
        told = clause.object if clause.verbs[0] != "be" or clause.subject == "There" else ""
        for phrase in (told, clause.subject):
            if phrase and phrase.lower() not in ("i", "you", "we", "there", "they"):
                given = naming(phrase)
                self._mention(phrase, given[1] if given is not None else phrase)

    def _mention(self, noun: str, name: str) -> None:
        if "and" in noun.split():
            return
        heads = [word for word in words_of(f"{noun} {name}") if gender(word)]
        sort = gender(heads[-1]) if heads else None
        if sort is None:
            person = _is_name(name) or any(word in _PERSONS for word in words_of(noun))
            sort = "person" if person else "thing"
        if sort == "person" and self._is_pet(name):
            # A dog may be a he as well, where no person is.
            self._last["thing"] = name
            self._last.setdefault("male", name)
            self._last.setdefault("female", name)
            return
        self._last[sort] = name
        if sort == "person":
            self._last["male"] = self._last["female"] = name

    def _is_pet(self, name: str) -> bool:
        nouns = [keys for keys, given in self._named if given == name]
        return any(not any(word in _PERSONS or gender(word) for word in keys) for keys in nouns)

    def resolve(self, text: str) -> str:
        """Puts names for he, she, it and theirs, as far as it is known whom they mean."""
        tokens = re.findall(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]+|_|\s+", text)
        resolved: list[str] = []
        last = dict(self._last)
        for index, token in enumerate(tokens):
            low = token.lower()
            following = next((t.lower() for t in tokens[index + 1 :] if not t.isspace()), "")
            owns = low in _OWNERS and (following[:1].isalpha() and following not in _TRAILING)
            if owns and _OWNERS[low] in last:
                token = f"{last[_OWNERS[low]]}'s"
            elif low in _OBJECTS and not owns and _OBJECTS[low] in last:
                token = last[_OBJECTS[low]]
            elif low in _SUBJECTS and _SUBJECTS[low] in last:
                # Far into a sentence it means somebody of that sentence, or what it is about.
                known_here = last[_SUBJECTS[low]] != self._last.get(_SUBJECTS[low])
                if known_here or (index < _FAR and not _empty(low, following)):
                    token = last[_SUBJECTS[low]]
            elif (sort := gender(low)) is not None:
                # "Mary went out with her brother": who is named on the way is meant first.
                owner = [word for word in resolved[-2:] if word.lower() in DETERMINERS]
                if token[0].isupper() or owner:
                    last[sort] = " ".join([*owner, token])
            elif token[0].isupper() and "".join(resolved[-2:-1]).lower() in ("called", "named"):
                last.update(dict.fromkeys(("male", "female", "thing"), token))
            resolved.append(token)
        return "".join(resolved)

    def name_of(self, phrase: str) -> str | None:
        """The name that was given last to what a noun phrase means, or None."""
        wanted = key_words(phrase) or ({"my"} if phrase.lower() in _SELF else set())
        head = _head(phrase.lower()) or "my"
        fitting = [(keys, name) for keys, name in self._named if wanted and head in keys]
        closest = [name for keys, name in fitting if wanted <= keys or keys <= wanted]
        names = closest or [name for _, name in fitting]
        return names[-1] if names else None

    def widened(self, keys: Iterable[str]) -> frozenset[str]:
        """Words together with the names, and the nouns, of what they mean."""
        found = set(keys)
        for nouns, name in self._named:
            if nouns & found:
                found |= key_words(name)
            elif key_words(name) & found:
                found |= nouns
        return frozenset(found)

    def same(self, one: str, other: str) -> bool:
        """Whether two noun phrases can mean the same one."""
        first, second = one.lower().strip(), other.lower().strip()
        if " and " in second and " and " not in first:
            return any(self.same(one, part) for part in re.split(r" and ", other))
        if first in _SELF or second in _SELF:
            return (first in _SELF) == (second in _SELF)
        head, other_head = _head(first), _head(second)
        if not head or not other_head:
            return False
        if _is_name(one) and _is_name(other):
            return bool(set(first.split()) & set(second.split()))
        keys, other_keys = key_words(one), key_words(other)
        return head in self.widened(other_keys) or other_head in self.widened(keys)


def _name_in(text: str) -> list[str]:
    # The words of a name: those with capitals; if it was typed without any, the first.
    tokens = words(text)
    named: list[str] = []
    for token in tokens:
        if token.lower() in _TRAILING or not token[0].isupper():
            break
        named.append(token)
    return named or [token.capitalize() for token in tokens[:1]]


_SELF = frozenset(("i", "me", "my", "myself"))
_PERSONS = frozenset(("friend", "neighbor", "teacher", "cousin", "baby", "child", "doctor", "kid"))


def key_words(phrase: str) -> set[str]:
    """The words by which a noun phrase is known again: no determiners, singular, lower case."""
    return {
        singular(word.removesuffix("'s"))
        for word in words_of(phrase)
        if word not in DETERMINERS and word not in ("of", "named", "called")
    }


def _head(phrase: str) -> str:
    before_of = phrase.split(" of ")[0]
    found = [word for word in words_of(before_of) if word not in DETERMINERS]
    return singular(found[-1].removesuffix("'s")) if found else ""


def _is_name(phrase: str) -> bool:
    tokens = words(phrase)
    return bool(tokens) and all(token[0].isupper() for token in tokens) and tokens != ["I"]


def _empty(pronoun: str, following: str) -> bool:
    # "It is raining": nothing is meant.
    return pronoun == "it" and following in ("is", "was", "rained", "snowed", "rains")
