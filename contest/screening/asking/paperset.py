"""The paper of a season, and its times: put on record once, and the same for all subjects."""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from contest.errors import BadOrder, WrongMoment
from contest.record.events import Event
from contest.screening import papers
from contest.screening.asking.bodies import PaperSet
from contest.screening.asking.timing import Timing
from contest.screening.bodies import AnyBody
from contest.screening.papers import Paper
from contest.screening.season import Season, bodies


@dataclass(frozen=True, slots=True)
class Asked:
    """What all subjects are asked, and how.

    Attributes:
        paper: the questions.
        timing: the times.
        typing_seed: what the typing's gaps and corrections come from.
    """

    paper: Paper
    timing: Timing
    typing_seed: int


def asked_of(events: Iterable[tuple[Event, AnyBody]]) -> Asked | None:
    """What a season's subjects are asked; None if nothing is set yet.

    Raises:
        BadOrder: if the record holds a paper that can't be read any more.
    """
    for _, body in events:
        if isinstance(body, PaperSet):
            return Asked(_read(body.paper), Timing.of(body.timing), body.typing_seed)
    return None


def needed(events: Iterable[tuple[Event, AnyBody]]) -> Asked:
    """As `asked_of`.

    Raises:
        WrongMoment: if nothing is set yet.
    """
    asked = asked_of(events)
    if asked is None:
        raise WrongMoment(
            "nobody was asked anything yet: `loebner screen ask` puts a paper to each entry"
        )
    return asked


def set_paper(
    season: Season, paper: Paper | None, times: Mapping[str, int], typing_seed: int | None = None
) -> Asked:
    """What is asked from here on: what was set before, or what is given, set now.

    Arguments:
        season: where.
        paper: the questions; None for those that were set.
        times: those that differ from `Timing`, in milliseconds.
        typing_seed: what gaps and corrections of the typing come from; drawn if left out.

    Raises:
        BadOrder: if none is given and none is set.
        WrongMoment: if others are set: what one entry was asked, all are asked.
    """
    before = asked_of(bodies(season.events(kind=PaperSet.kind)))
    if before is not None:
        _must_agree(before, paper, times)
        return before
    if paper is None:
        raise BadOrder("say what is to be asked: --paper FILE, or --seed N for one of templates")
    timing = Timing.of(times)
    text = papers.write(paper)
    seed = secrets.randbits(32) if typing_seed is None else typing_seed
    season.write("organizer", PaperSet(text, seed, timing.as_json()))
    return Asked(_read(text), timing, seed)


def digest(paper: Paper) -> str:
    """By what papers are told apart: the SHA-256 of the paper as it is written."""
    return hashlib.sha256(papers.write(paper).encode()).hexdigest()


def _must_agree(before: Asked, paper: Paper | None, times: Mapping[str, int]) -> None:
    if paper is not None and digest(paper) != digest(before.paper):
        raise WrongMoment(
            "another paper was set when asking began, and all entries get the same; leave "
            "--paper and --seed out to go on with it"
        )
    for name, value in times.items():
        held = getattr(before.timing, name)
        if value != held:
            raise WrongMoment(
                f"the time {name} was set to {held / 1000:g} s when asking began, and holds for "
                "all entries; leave it out"
            )


def _read(text: str) -> Paper:
    with tempfile.TemporaryDirectory(prefix="loebner-paper-") as scratch:
        file = Path(scratch) / "paper.toml"
        file.touch(mode=0o600)
        file.write_bytes(text.encode())
        return papers.read(file)
