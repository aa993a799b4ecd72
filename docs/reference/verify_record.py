"""Verifies a record as record.md says: python verify_record.py events.jsonl [--head HEX]"""

import hashlib
import json
import sys


def canonical(value):  # RFC 8785 where numbers are whole: names in UTF-16's order, no blanks
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def verify(lines, published):
    chains, ended, seq = {None: {"hash": "0" * 64, "events": 0}}, False, 0
    for seq, line in enumerate(lines, 1):
        event = json.loads(line)
        closes, heads = event["kind"] == "contest-closed", event["body"].get("heads", {})
        chain = chains.setdefault(event["talk"], {"hash": "0" * 64, "events": 0})
        is_canonical, digest = line == canonical(event).encode() + b"\n", event.pop("hash")
        checks = {
            "is not in canonical form": is_canonical,
            "has another number": event["seq"] == seq,
            "does not follow in its chain": event["prev"] == chain["hash"],
            "has a wrong hash": hashlib.sha256(canonical(event).encode()).hexdigest() == digest,
            "takes in another head": all(heads[talk] == chains.get(talk) for talk in heads),
            "does not take in every talk": not closes or {*heads, None} == {*chains},
            "stands after the end": not ended,
        }
        if not all(checks.values()):
            wrong = ", ".join(what for what, holds in checks.items() if not holds)
            return f"RED: event {seq} ({event['talk'] or 'contest'}, {event['kind']}) {wrong}"
        chain["hash"], chain["events"], ended = digest, chain["events"] + 1, closes
    if not seq or published not in (None, chains[None]["hash"]):
        return f"RED: the head after {seq} events is {chains[None]['hash']}, not {published}"
    return f"green: {seq} events{'' if ended else ', not finished'}, head {chains[None]['hash']}"


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as record:
            said = verify(record, sys.argv[3] if len(sys.argv) == 4 else None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        said = f"RED: this is no record ({fault!r})"
    print(said)
    sys.exit(said.startswith("RED"))
