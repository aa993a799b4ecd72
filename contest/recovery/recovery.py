"""Recovery: a new contest folder from what is left of a contest's record and its second copy.

The new record is the longest run of events, from the first one on, that can be had without a gap,
each of them checked by its hash and its place in its chain. Events behind the first gap are kept
beside it, in `salvaged.jsonl`, for whoever wants to read them: no record can hold them any more.
Nothing is changed where it was found.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from contest.errors import BadSettings, ContestError, NotAContest, RecordTrouble, Surroundings
from contest.net import codes
from contest.record import bodies
from contest.record.addresses import address, name_of
from contest.record.events import Chains, Event, canonical
from contest.record.store import FILE_NAME, Record, record_url, sqlite_url
from contest.recovery.recovered import Part, Recovered
from contest.recovery.resettling import Resettled, of_record, resettled
from contest.recovery.salvage import Source, source_of
from contest.setup import folder
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.setup.settings import Settings, parse
from contest.verify.findings import several
from contest.verify.verify import HEAD_FILE
from lpp.private import open_private

#: Events that can be read but not be put back into the record, one a line.
SALVAGED = "salvaged.jsonl"
#: The name under which the text of contest.toml is sealed.
SEALED_SETTINGS = SETTINGS_FILE

_AT_ONCE = 10_000


def recover(place: Path, out: Path, copy: Path | None = None) -> Recovered:
    """Makes a new contest folder from what is left of a contest.

    Arguments:
        place: the contest's folder; or the file of a record or of its copy alone.
        out: the new folder: an empty one, or one that is made.
        copy: the second copy; left out, that of the settings.

    Raises:
        YoursToFix: if there is nothing to recover from, or `out` is not empty.
        Surroundings: if nothing could be read, or `out` can't be written.
    """
    folder.refuse_unless_empty(out)
    found = Recovered(out)
    home, text, settings = _home(place, found)
    main = sqlite_url(place)
    if home is not None:
        main = record_url(home, settings.record.database if settings else "")
    sources = list(_sources(main, home, settings, copy, found))
    run = _run(sources, found)
    salvaged = _salvaged(sources, run)
    if not run and not salvaged:
        troubles = "; ".join(trouble for trouble in found.troubles.values() if trouble)
        raise RecordTrouble(f"{place}: no event can be read any more ({troubles or 'it is empty'})")
    sealed = _sealed(sources, run, found)
    _say_what_is_missing(sources, run, salvaged, found)
    own = name_of(address(main))
    if not found.finished and (home is None or any(part.place != own for part in found.parts)):
        found.notes.append("a copy trails its record by a moment: the last keys may not be in it")
    head_fits = _fits(home, found)
    chosen = _settings(home, text, sealed, run, found)
    _write(out, run, salvaged, sealed, chosen)
    with _writing(out):
        _take_along(home, out, chosen.settings if chosen else None, run, head_fits)
    return found


def _home(place: Path, found: Recovered) -> tuple[Path | None, str, Settings | None]:
    """The contest's folder, the text of its contest.toml and what that says, as far as they are."""
    if place.is_file():
        return None, "", None
    if not place.is_dir():
        raise NotAContest(f"{place}: no such folder or file; name a contest's folder, or a copy")
    file = place / SETTINGS_FILE
    try:
        text = file.read_text(encoding="utf-8-sig")
        return place, text, parse(text, str(file))
    except FileNotFoundError:
        found.notes.append(f"{place} holds no {SETTINGS_FILE}")
    except (OSError, UnicodeDecodeError) as exc:
        found.notes.append(f"{file} can't be read ({exc})")
    except BadSettings as exc:
        found.notes.append(f"{exc}: not used")
    return place, "", None


def _sources(
    main: str, home: Path | None, settings: Settings | None, copy: Path | None, found: Recovered
) -> Iterator[Source]:
    urls = [main]
    if copy is None and home is not None and settings is not None and settings.record.copy_to:
        copy = home / settings.record.copy_to
    if copy is not None:
        urls.append(sqlite_url(copy))
    for url in urls:
        try:
            source = source_of(url)
        except ContestError as exc:
            if len(urls) == 1:
                raise
            found.notes.append(str(exc))
        else:
            found.troubles[source.name] = source.trouble
            yield source
    if not found.troubles:
        raise NotAContest(f"there is nothing to recover from: {'; '.join(found.notes)}")


def _run(sources: list[Source], found: Recovered) -> list[Event]:
    """The longest run without a gap, from the first event on."""
    run: list[Event] = []
    chains = Chains()
    while True:
        seq = len(run) + 1
        fitting = [
            (source, event)
            for source in sources
            for event in source.at(seq)
            if event.prev == chains.head(event.talk)
        ]
        if not fitting:
            return run
        source, event = fitting[0]
        if not found.missing and any(other != event for _, other in fitting):
            found.missing.append(
                f"from event {seq} on {' and '.join(s.name for s, _ in fitting)} say different "
                f"things, each of them whole: those of {source.name} were taken, the others are in "
                f"{SALVAGED}"
            )
        chains.follow(event)
        run.append(event)
        if found.parts and found.parts[-1].place == source.name:
            found.parts[-1] = found.parts[-1]._replace(last=seq)
        else:
            found.parts.append(Part(source.name, seq, seq))


def _salvaged(sources: list[Source], run: list[Event]) -> list[Event]:
    """Events that are whole and not in the run, each once, in the order of their numbers."""
    kept = {event.hash for event in run}
    others = {
        event.hash: event
        for source in sources
        for events in source.events.values()
        for event in events
        if event.hash not in kept
    }
    return sorted(others.values(), key=lambda event: (event.seq, event.hash))


def _sealed(sources: list[Source], run: list[Event], found: Recovered) -> dict[str, Any]:
    """What is sealed, by name. Of where the human sat the record holds a seal to check it by."""
    seals: dict[str, str] = {}
    for event in run:
        if event.kind == bodies.SideSealed.kind:
            b = event.body.get
            seals[f"side/{b('round')}.{b('attempt')}.{b('judge')}"] = str(b("seal"))
    sealed: dict[str, Any] = {}
    for source in sources:
        for name, values in source.sealed.items():
            for value in map(json.loads, values):
                if name not in sealed and (name not in seals or _seal_of(value) == seals[name]):
                    sealed[name] = value
    lost = sorted(seals.keys() - sealed.keys())
    if lost and not any(event.kind == bodies.SidesRevealed.kind for event in run):
        which = ", ".join(name.removeprefix("side/") for name in lost)
        found.missing.append(f"where the human sat is lost of {which} (round.attempt.judge)")
    found.sealed = len(sealed)
    return sealed


def _seal_of(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    return hashlib.sha256(f"{value.get('human')}:{value.get('nonce')}".encode()).hexdigest()


def _say_what_is_missing(
    sources: list[Source], run: list[Event], salvaged: list[Event], found: Recovered
) -> None:
    last = len(run)
    found.events, found.salvaged = last, len(salvaged)
    found.finished = bool(run) and run[-1].kind == bodies.ContestClosed.kind
    found.head = next((event.hash for event in reversed(run) if event.talk is None), "")
    there = sorted({event.seq for event in salvaged if event.seq > last})
    known = max([source.last or 0 for source in sources] + there)
    gaps = _gaps(last, there, known)
    if gaps:
        number = sum(end - first + 1 for first, end in gaps)
        found.missing.append(f"{several(number, 'event')} can't be had: {_in_words(gaps)}")
    if there:
        found.missing.append(
            f"{several(len(there), 'event')} behind that can be read, and are in {SALVAGED}"
        )
    main = sources[0]
    if main.last is None and not found.finished and not gaps:
        found.missing.append(
            f"whether anything followed event {last} can't be told: {main.name} can't say what its "
            "last event was"
        )


def _fits(home: Path | None, found: Recovered) -> bool:
    """Whether the head that was published is that of what was recovered, as far as there is one."""
    if home is None:
        return False
    with contextlib.suppress(OSError, UnicodeDecodeError):
        published = (home / HEAD_FILE).read_text(encoding="ascii").strip().lower()
        if published == found.head:
            return True
        found.missing.append(
            f"{HEAD_FILE} has another head than what was recovered: {published[:64]}"
        )
    return False


def _settings(
    home: Path | None,
    text: str,
    sealed: Mapping[str, Any],
    run: list[Event],
    found: Recovered,
) -> Resettled | None:
    kept = sealed.get(SEALED_SETTINGS)
    for given, where in (
        (text, f"the folder {home}"),
        (kept if isinstance(kept, str) else "", "what is sealed in the record"),
        (next(filter(None, map(of_record, run)), ""), "the first event of the record"),
    ):
        if not given:
            continue
        try:
            chosen = resettled(given)
        except BadSettings as exc:
            found.notes.append(f"{SETTINGS_FILE} of {where} can't be used: {exc}")
            continue
        found.settings = where
        found.notes.extend(chosen.notes)
        return chosen
    found.missing.append(f"{SETTINGS_FILE} is nowhere to be had; put one into {found.out}")
    return None


def _write(
    out: Path,
    run: list[Event],
    salvaged: list[Event],
    sealed: Mapping[str, Any],
    chosen: Resettled | None,
) -> None:
    with _writing(out):
        if chosen is not None:
            folder.make(out, chosen.text)
        else:
            out.mkdir(parents=True, exist_ok=True)
        if salvaged:
            with os.fdopen(open_private(out / SALVAGED, os.O_EXCL), "wb") as lines:
                lines.writelines(canonical(event.as_json()) + b"\n" for event in salvaged)
    if run:
        with Record(sqlite_url(out / FILE_NAME), create=True) as record:
            for at in range(0, len(run), _AT_ONCE):
                record.take_over(run[at : at + _AT_ONCE])
            for name, value in sealed.items():
                record.seal(name, value)


def _take_along(
    home: Path | None, out: Path, settings: Settings | None, run: list[Event], head_fits: bool
) -> None:
    """The files beside the record that a server needs: codes, the schedule; and the head."""
    schedule = settings.rules.schedule if settings else ""
    if not (out / schedule).resolve().is_relative_to(out.resolve()):
        schedule = ""  # elsewhere, where it stays
    for name in filter(None, (HEAD_FILE if head_fits else "", codes.FILE_NAME, schedule)):
        if home is not None and (home / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(home / name, out / name)
    if schedule and run and not (out / schedule).exists():
        (out / schedule).parent.mkdir(parents=True, exist_ok=True)
        planned = json.dumps(run[0].body.get("schedule"), indent=1)
        (out / schedule).write_text(planned, encoding="utf-8")


@contextlib.contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise Surroundings(f"{out}: can't be written ({exc.strerror or exc})") from exc


def _gaps(last: int, there: list[int], known: int) -> list[tuple[int, int]]:
    """The numbers behind `last`, up to `known`, that are not there: first and last of each gap."""
    gaps = []
    for number in [*there, known + 1]:
        if number > last + 1:
            gaps.append((last + 1, number - 1))
        last = number
    return gaps


def _in_words(gaps: list[tuple[int, int]]) -> str:
    shown = [str(first) if first == last else f"{first} to {last}" for first, last in gaps[:5]]
    return ", ".join(shown) + (f", and {len(gaps) - 5:,} further gaps" if len(gaps) > 5 else "")
