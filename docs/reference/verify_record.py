"""Verifies a record as record.md says: python verify_record.py events.jsonl [--head HEX]"""

import json
import sys
from hashlib import sha256


def canonical(value):  # RFC 8785 where numbers are whole: names in UTF-16's order, no blanks
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    text = json.dumps(value, ensure_ascii=False)
    return "[" + ",".join(map(canonical, value)) + "]" if isinstance(value, list) else text


def verify(lines, published):  # n counts redacted events; events of these kinds can't be redacted
    whole = "talk-opened talk-closed side-sealed sides-revealed ranking result contest-closed"
    chains, ended, seq, n = {None: {"hash": "0" * 64, "events": 0}}, False, 0, 0
    for seq, (line, event) in enumerate(((line, json.loads(line)) for line in lines), 1):
        closes, heads = event["kind"] == "contest-closed", event["body"].get("heads", {})
        redacted = event.get("redacted") is True and not heads and event["kind"] not in whole
        chain = chains.setdefault(event["talk"], {"hash": "0" * 64, "events": 0})
        is_canonical, digest = line == canonical(event).encode() + b"\n", event.pop("hash")
        checks = {
            "is not in canonical form": is_canonical,
            "has another number": event["seq"] == seq,
            "does not follow in its chain": event["prev"] == chain["hash"],
            "has a wrong hash": redacted or sha256(canonical(event).encode()).hexdigest() == digest,
            "has a wrong head of a talk": all(heads[talk] == chains.get(talk) for talk in heads),
            "lacks the head of a talk": not closes or {*heads, None} == {*chains},
            "comes after the end": not ended,
        }
        if wrong := ", ".join(what for what, holds in checks.items() if not holds):
            return f"RED: event {seq} ({event['talk'] or 'contest'}, {event['kind']}) {wrong}"
        chain["hash"], chain["events"], ended, n = digest, chain["events"] + 1, closes, n + redacted
    head, some = chains[None]["hash"], f", {n} redacted" * bool(n)
    if not seq or published not in (None, head):
        return f"RED: the head after {seq} events is {head}, not {published}"
    return f"green: {seq} events{some}{'' if ended else ', not finished'}, head {head}"


if __name__ == "__main__":
    try:
        with open(sys.argv[1] if sys.argv[1:] else sys.exit(__doc__), "rb") as record:
            said = verify(record, sys.argv[3] if sys.argv[2:] else None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        said = f"RED: this is not a record ({type(fault).__name__}: {fault})"
    print(said)
    sys.exit(said.startswith("RED"))
