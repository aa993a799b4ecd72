"""What people decide at their seats: verdicts, the final ranking, and consent.

Each is checked, written to the record, and only when it is durable said to be saved, with what it
says. A later one is a new version.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeAlias

from contest.history.pseudonyms import BadPseudonym, accepted
from contest.record.bodies import ConsentGiven, PersonReplaced, RankingGiven, VerdictGiven
from contest.record.events import Event
from contest.record.journal import Journal
from contest.setup.agreement import Terms
from contest.state.phases import Phase
from contest.talks.seat import NotTaken, Seat, Status
from lpp import wire

Decision: TypeAlias = VerdictGiven | RankingGiven | ConsentGiven | PersonReplaced

#: Characters of a verdict's reason that are kept.
REASON_LIMIT = 4000


class Decisions:
    """Takes what people decide.

    Arguments:
        seats: all seats by their ids.
        terms: the contest's.
        journal: the record.
        status: what the contest is doing now.
        changed: set whenever a decision is durable.
    """

    def __init__(
        self,
        seats: Mapping[str, Seat],
        terms: Terms,
        journal: Journal,
        status: Callable[[], Status],
        changed: asyncio.Event,
    ) -> None:
        self._seats = seats
        self._terms = terms
        self._journal = journal
        self._status = status
        self._changed = changed

    def verdict(self, seat: Seat, frame: wire.Verdict) -> None:
        """A judge says where the human sat.

        Raises:
            NotTaken: if no verdict of this seat on this round is asked for now.
        """
        status = self._status()
        round_ = (frame.round, frame.attempt)
        if seat.role != "judge":
            raise NotTaken("not-yours", "only judges give verdicts")
        if status.phase is not Phase.SCORING or round_ != (status.round, status.attempt):
            raise NotTaken("not-now", "verdicts are taken while the round is scored")
        if not seat.talks:
            raise NotTaken("not-yours", "this judge has no talks in this round")
        if frame.confidence is not None and not 0 <= frame.confidence <= 100:
            raise NotTaken("bad-verdict", "the confidence is 0 to 100")
        version = seat.verdicts.get(round_, 0) + 1
        seat.verdicts[round_] = version
        body = VerdictGiven(
            *round_, seat.id, frame.human, version, frame.confidence, frame.reason[:REASON_LIMIT]
        )

        def durable(event: Event) -> None:
            self._say(seat, saved_verdict(seat, event, body))

        self._journal.write(None, seat.id, body, durable)

    def ranking(self, seat: Seat, frame: wire.Ranks) -> None:
        """A judge ranks all whom he met.

        Raises:
            NotTaken: if no ranking of this seat is asked for now, or it is none.
        """
        if not seat.labels or self._status().phase is not Phase.RANKING:
            raise NotTaken("not-now", "no ranking is asked for at this seat now")
        wrong = _wrong_ranks(frame.ranks, seat.labels, self._terms.ties)
        if wrong is not None:
            raise NotTaken("bad-ranking", wrong)
        seat.rankings += 1
        version = seat.rankings
        talks = {label: [talk.id for talk in talks] for label, talks in seat.labels.items()}
        body = RankingGiven(seat.id, version, dict(frame.ranks), talks)

        def durable(event: Event) -> None:
            self._say(seat, saved_ranking(seat, event, body))

        self._journal.write(None, seat.id, body, durable)

    def consent(self, seat: Seat, frame: wire.Consent) -> None:
        """A person says whether what he types may be published, and under which name.

        Raises:
            NotTaken: if the contest is closed, or the pseudonym can't be had.
        """
        if self._journal.finished:
            raise NotTaken("not-now", "the contest is closed; what was agreed to holds")
        others = {each.id: each.pseudonym for each in self._seats.values()}
        try:
            names = {each.id: each.name for each in self._seats.values() if each.name}
            names = {**self._terms.names, **names}
            pseudonym = accepted(frame.pseudonym, seat.id, names, others)
        except BadPseudonym as exc:
            raise NotTaken("bad-consent", str(exc)) from exc
        seat.consents += 1
        seat.pseudonym = pseudonym
        body = ConsentGiven(seat.id, frame.publish, seat.consents, pseudonym)

        def durable(event: Event) -> None:
            self._say(seat, saved_consent(seat, event, body))

        self._journal.write(None, seat.id, body, durable)

    def _say(self, seat: Seat, saved: wire.Saved) -> None:
        seat.tell(saved)
        self._changed.set()


def saved_verdict(seat: Seat, event: Event, body: VerdictGiven) -> wire.Saved:
    """A verdict is in the record: what its seat is told, now and whenever it comes back."""
    saved = wire.Saved(
        "verdict",
        body.version,
        event.at,
        body.round,
        body.attempt,
        human=body.human,
        confidence=body.confidence,
        reason=body.reason,
    )
    seat.saved_verdicts[body.round, body.attempt] = saved
    return saved


def saved_ranking(seat: Seat, event: Event, body: RankingGiven) -> wire.Saved:
    """The same of a ranking."""
    seat.ranked_ns = event.mono_ns
    seat.saved_ranking = wire.Saved("ranking", body.version, event.at, ranks=body.ranks)
    return seat.saved_ranking


def saved_consent(seat: Seat, event: Event, body: ConsentGiven) -> wire.Saved:
    """The same of a consent."""
    seat.saved_consent = wire.Saved(
        "consent", body.version, event.at, publish=body.publish, pseudonym=body.pseudonym
    )
    return seat.saved_consent


def restore(seats: Mapping[str, Seat], event: Event, body: Decision) -> None:
    """Has a seat know again what was decided there, from the record of a contest that is taken up.

    Arguments:
        seats: all seats by their ids; a decision of one that is no more is left out.
        event: the decision's.
        body: what was decided.
    """
    seat = seats.get(body.seat if isinstance(body, ConsentGiven | PersonReplaced) else body.judge)
    match body:
        case _ if seat is None:
            pass
        case VerdictGiven():
            seat.verdicts[body.round, body.attempt] = body.version
            saved_verdict(seat, event, body)
        case RankingGiven():
            seat.rankings = body.version
            saved_ranking(seat, event, body)
        case PersonReplaced():
            seat.replaced(body.name)
        case ConsentGiven():
            seat.consents, seat.pseudonym = body.version, body.pseudonym
            saved_consent(seat, event, body)


def _wrong_ranks(ranks: Mapping[str, int], labels: Mapping[str, object], ties: bool) -> str | None:
    missing = sorted(labels.keys() - ranks.keys())
    strange = sorted(ranks.keys() - labels.keys())
    if missing:
        return f"no rank for {', '.join(missing)}"
    if strange:
        return f"nobody is called {', '.join(strange)[:200]}"
    if not all(2 <= rank <= 2 * len(labels) for rank in ranks.values()):
        return f"ranks go from 1 to {len(labels)}, in half steps"
    if not ties and sorted(ranks.values()) != list(range(2, 2 * len(labels) + 1, 2)):
        return f"each of the ranks 1 to {len(labels)} is given once: no two share one here"
    return None
