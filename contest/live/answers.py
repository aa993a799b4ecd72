"""What people decide at their seats: verdicts, the final ranking, and consent.

Each function says from the state what is to go on record, or refuses the frame. Only what is
durable is said to be saved. A later decision is a new version.
"""

from __future__ import annotations

from collections.abc import Mapping

from contest.history.pseudonyms import BadPseudonym, accepted
from contest.record.bodies import ConsentGiven, RankingGiven, VerdictGiven, talk_id
from contest.setup.agreement import Terms
from contest.state.model import State, desk
from contest.state.phases import Phase, Status, labels
from lpp import wire

#: Characters of a verdict's reason that are kept.
REASON_LIMIT = 4000


class NotTaken(Exception):
    """A frame of a seated console that is not accepted; `code` is the wire's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def verdict(
    state: State, status: Status, seat: str, role: wire.Role, frame: wire.Verdict
) -> VerdictGiven:
    """A judge says where the human sat.

    Raises:
        NotTaken: if no verdict of this seat on this round is asked for now.
    """
    round_ = (frame.round, frame.attempt)
    if role != "judge":
        raise NotTaken("not-yours", "only judges give verdicts")
    if status.phase is not Phase.SCORING or round_ != (status.round, status.attempt):
        raise NotTaken("not-now", "verdicts are taken while the round is scored")
    if not any(talk_id(*round_, seat, side) in state.talks for side in ("left", "right")):
        raise NotTaken("not-yours", "this judge has no talks in this round")
    if frame.confidence is not None and not 0 <= frame.confidence <= 100:
        raise NotTaken("bad-verdict", "the confidence is 0 to 100")
    before = state.verdicts.get(desk(*round_, seat))
    version = 1 if before is None else before.body.version + 1
    reason = frame.reason[:REASON_LIMIT]
    return VerdictGiven(*round_, seat, frame.human, version, frame.confidence, reason)


def ranking(
    state: State, status: Status, seat: str, frame: wire.Ranks, *, ties: bool
) -> RankingGiven:
    """A judge ranks all whom he met.

    Arguments:
        state, status, seat, frame: as they are.
        ties: whether ranks may be shared.

    Raises:
        NotTaken: if no ranking of this seat is asked for now, or it is none.
    """
    if status.phase is not Phase.RANKING or seat not in state.asked:
        raise NotTaken("not-now", "no ranking is asked for at this seat now")
    met = labels(state, seat)
    wrong = _wrong_ranks(frame.ranks, met, ties)
    if wrong is not None:
        raise NotTaken("bad-ranking", wrong)
    before = state.rankings.get(seat)
    version = 1 if before is None else before.body.version + 1
    talks = {label: [talk.id for talk in talks] for label, talks in met.items()}
    return RankingGiven(seat, version, dict(frame.ranks), talks)


def consent(state: State, seat: str, frame: wire.Consent, terms: Terms) -> ConsentGiven:
    """A person says whether what he types may be published, and under which name.

    Raises:
        NotTaken: if the contest is closed, or the pseudonym can't be had.
    """
    if state.closed:
        raise NotTaken("not-now", "the contest is closed; what was agreed to holds")
    sitting = {id_: sitters[-1] for id_, sitters in state.persons.items()}
    names = {**terms.names, **{id_: each.name for id_, each in sitting.items() if each.name}}
    others = {id_: each.consent.pseudonym for id_, each in sitting.items() if each.consent}
    try:
        pseudonym = accepted(frame.pseudonym, seat, names, others)
    except BadPseudonym as exc:
        raise NotTaken("bad-consent", str(exc)) from exc
    # Counted over all who sat there: the console knows of the seat only.
    before = (each.consent.version for each in state.persons.get(seat, ()) if each.consent)
    return ConsentGiven(seat, frame.publish, max(before, default=0) + 1, pseudonym)


def saved(at: str, body: VerdictGiven | RankingGiven | ConsentGiven) -> wire.Saved:
    """What a person is told whose decision is durable.

    Arguments:
        at: the real time of its event.
        body: what was decided.
    """
    match body:
        case VerdictGiven():
            return wire.Saved(
                *("verdict", body.version, at, body.round, body.attempt),
                human=body.human,
                confidence=body.confidence,
                reason=body.reason,
            )
        case RankingGiven():
            return wire.Saved("ranking", body.version, at, ranks=body.ranks)
        case ConsentGiven():
            return wire.Saved(
                "consent", body.version, at, publish=body.publish, pseudonym=body.pseudonym
            )


def _wrong_ranks(ranks: Mapping[str, int], met: Mapping[str, object], ties: bool) -> str | None:
    missing = sorted(met.keys() - ranks.keys())
    strange = sorted(ranks.keys() - met.keys())
    if missing:
        return f"no rank for {', '.join(missing)}"
    if strange:
        return f"nobody is called {', '.join(strange)[:200]}"
    if not all(2 <= rank <= 2 * len(met) for rank in ranks.values()):
        return f"ranks go from 1 to {len(met)}, in half steps"
    if not ties and sorted(ranks.values()) != list(range(2, 2 * len(met) + 1, 2)):
        return f"each of the ranks 1 to {len(met)} is given once: no two share one here"
    return None
