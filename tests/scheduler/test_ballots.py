"""Verdicts and rankings, read from CSV and JSON; each fault by line and field."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import BadInput, Ballot, Choice, Pairing, Verdict, read_rankings, read_verdicts
from scheduler.verdicts import exclude, has_rankings

VERDICTS = [
    Verdict(Pairing(1, "J1", "E1", "C1"), Choice.ENTRY),
    Verdict(Pairing(1, "J2", "E2", "C2"), Choice.CONFEDERATE),
    Verdict(Pairing(2, "J1", "E2", "C2"), None),
]
VERDICT_FORMS = {
    "csv": "round,judge,entry,confederate,verdict\n1,J1,E1,C1,entry\n1,J2,E2,C2,confederate\n"
    "2,J1,E2,C2,\n",
    "csv of a spreadsheet": "\ufeffVerdict;round;entry;confederate;judge;seen by\r\n"
    "entry;1;E1;C1;J1;x\r\n\r\n confederate ;1;E2;C2;J2;\r\n;2;E2;C2;J1\r\n",
    "json": json.dumps(
        [
            {"round": 1, "judge": "J1", "entry": "E1", "confederate": "C1", "verdict": "entry"},
            {
                "round": 1,
                "judge": "J2",
                "entry": "E2",
                "confederate": "C2",
                "verdict": "confederate",
            },
            {"round": 2, "judge": "J1", "entry": "E2", "confederate": "C2", "verdict": None},
        ]
    ),
}
VERDICT_FORMS["json under a key"] = f'{{"verdicts": {VERDICT_FORMS["json"]}, "rankings": []}}'

RANKINGS = [
    Ballot.of("J1", {"E1": 1, "E2": Fraction(5, 2), "C1": 2.5}),
    Ballot.of("J2", {"E1": 3}),
]
RANKING_FORMS = {
    "csv": "judge,participant,rank\nJ1,E1,1\nJ1,E2,2.5\nJ2,E1,3\nJ1,C1,2.50\n",
    "csv of a spreadsheet": "\ufeffrank;judge;participant\r\n 1 ;J1;E1\r\n2.5;J1;E2\r\n"
    "3.0;J2;E1\r\n;;\r\n2.5;J1;C1\r\n",
    "json": '[{"judge": "J1", "participant": "E1", "rank": 1}, '
    '{"judge": "J1", "participant": "E2", "rank": 2.5}, '
    '{"judge": "J2", "participant": "E1", "rank": "3"}, '
    '{"judge": "J1", "participant": "C1", "rank": 2.5}]',
    "json of ballots": '{"J1": {"E1": 1, "E2": 2.5, "C1": 2.5}, "J2": {"E1": 3}}',
    "json under a key": '{"rankings": {"J1": {"E1": 1, "E2": 2.5, "C1": 2.5}, "J2": {"E1": 3}}}',
}


@pytest.mark.parametrize("form", VERDICT_FORMS)
def test_every_form_of_verdicts_reads_the_same(form: str) -> None:
    assert read_verdicts(VERDICT_FORMS[form]) == VERDICTS


@pytest.mark.parametrize("form", RANKING_FORMS)
def test_every_form_of_rankings_reads_the_same(form: str) -> None:
    assert read_rankings(RANKING_FORMS[form]) == RANKINGS


def test_each_verdict_and_rank_knows_its_place() -> None:
    assert [v.where for v in read_verdicts(VERDICT_FORMS["csv"], "v.csv")] == [
        "v.csv, line 2",
        "v.csv, line 3",
        "v.csv, line 4",
    ]
    ballot = read_rankings(RANKING_FORMS["json"], "r.json")[0]
    assert [rank.where for rank in ballot.ranks][-1] == "r.json, field rankings[3]"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (VERDICT_FORMS["json"], False),
        (VERDICT_FORMS["csv"], False),
        (VERDICT_FORMS["json under a key"], True),
    ],
)
def test_one_document_may_hold_both(text: str, holds: bool) -> None:
    assert has_rankings(text) == holds


HEAD = "round,judge,entry,confederate,verdict\n"
VERDICT_FAULTS = {
    "": "f: is empty",
    "round,judge,entry,confederate\n": "f, line 1: the head lacks the column verdict; write round",
    "judge,entry\n": "the head lacks the columns round, confederate and verdict",
    HEAD + "1,J1,E1,C1,human": "f, line 2, field verdict: 'human' is no verdict; write entry or",
    HEAD + "1,J1,E1,C1,Entry": "f, line 2, field verdict: 'Entry' is no verdict",
    HEAD + "\n\n1,J1,,C1,entry": "f, line 4, field entry: is empty",
    HEAD + "0,J1,E1,C1,entry": "f, line 2, field round: '0' is no round",
    HEAD + ",J1,E1,C1,entry": "f, line 2, field round: '' is no round",
    HEAD + "1,J1,E1,C1,entry,no": "f, line 2: 'no' is one cell more than the head has",
    "[{}]": "f, field verdicts[0].round: is missing",
    '[{"verdict": "entry"}]': "f, field verdicts[0].round: is missing",
    '[{"verdict": "entry", "round": 1.0}]': "f, field verdicts[0].round: '1.0' is no round",
    '[{"verdict": 1, "round": 1, "judge": "J1", "entry": "E1", "confederate": "C1"}]': (
        "f, field verdicts[0].verdict: 1 is no verdict"
    ),
    '[{"verdict": null, "round": 1, "Judge": "J1"}]': (
        "f, field verdicts[0].judge: is missing; did you mean Judge?"
    ),
    "{}": "f, field verdicts: is missing",
    '{"verdict": []}': "f: the key 'verdict' is unknown; did you mean verdicts?",
    '{"verdicts": {}}': "f, field verdicts: {} is no list",
    "[1]": "f, field verdicts[0]: 1 is no object",
    "[": "f, line 1: is no JSON",
}

TOP = "judge,participant,rank\n"
RANKING_FAULTS = {
    "\ufeff\n": "f: is empty",
    "judge,participant\nJ1,E1": "f, line 1: the head lacks the column rank; write judge,",
    TOP + "J1,E1,": "f, line 2, field rank: '' is no rank; write a number such as 1 or 2.5",
    TOP + "J1,E1,best": "f, line 2, field rank: 'best' is no rank",
    TOP + "J1,E1,nan": "f, line 2, field rank: 'nan' is no rank",
    TOP + "J1,E1,inf": "f, line 2, field rank: 'inf' is no rank",
    TOP + "J1,E1,1e0": "f, line 2, field rank: '1e0' is no rank",
    TOP + "J1,E1,3/2": "f, line 2, field rank: '3/2' is no rank",
    TOP + 'J1,E1,"1,5"': "f, line 2, field rank: '1,5' is no rank",
    TOP + "J1,E1,٣": "f, line 2, field rank: '٣' is no rank",
    TOP + f"J1,E1,{'9' * 5000}": "f, line 2, field rank: '9999",
    TOP + "J1,,1": "f, line 2, field participant: is empty",
    TOP + ",E1,1": "f, line 2, field judge: is empty",
    '[{"judge": "J1", "participant": "E1"}]': "f, field rankings[0].rank: is missing",
    '[{"judge": "J1", "participant": "E1", "rank": true}]': (
        "f, field rankings[0].rank: True is no rank"
    ),
    '[{"judge": "J1", "participant": "E1", "rank": 1e999}]': "rankings[0].rank: '1e999' is no rank",
    '[{"judge": "J1", "participant": "E1", "rank": NaN}]': "f: NaN is no number in JSON",
    '[{"judge": "J1", "rank": 1}]': "f, field rankings[0].participant: is missing",
    '{"J1": 1}': "f, field rankings.J1: 1 is no object",
    '{"J1": {"E1": null}}': "f, field rankings.J1.E1: None is no rank",
    '{"J1": {"": 1}}': "f, field rankings.J1.: is empty",
    '{"J1": {"E1": 1, "E1": 2}}': "f: the key 'E1' stands twice in one object",
    '{"rankings": 3}': "f, field rankings: 3 is no list",
    '{"verdicts": []}': "f, field rankings: is missing",
}


@pytest.mark.parametrize("text", VERDICT_FAULTS, ids=lambda text: repr(text[-40:]))
def test_a_fault_in_verdicts_is_named_with_its_place(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_verdicts(text, "f")
    assert VERDICT_FAULTS[text] in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", RANKING_FAULTS, ids=lambda text: repr(text[-40:]))
def test_a_fault_in_rankings_is_named_with_its_place(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_rankings(text, "f")
    assert RANKING_FAULTS[text] in str(caught.value)
    assert str(caught.value).isprintable()


@given(st.text(max_size=40), st.sampled_from([HEAD, TOP, "", "[", "{"]))
def test_no_text_does_more_than_be_refused(text: str, start: str) -> None:
    for read in (read_verdicts, read_rankings):
        try:
            read(start + text)
        except BadInput as error:
            message = str(error)
        else:
            message = ""
        assert message.isprintable()


EXCLUDED_FORMS = {
    "csv": "judge,participant,rank,excluded\nJ1,E1,1,left early\nJ1,E2,2,\nJ2,E1,3,\n",
    "csv with the reason twice": "judge,participant,rank,excluded\nJ1,E1,1,left early\n"
    "J1,E2,2, left early \nJ2,E1,3,\n",
    "json": '[{"judge": "J1", "participant": "E1", "rank": 1},'
    '{"judge": "J1", "participant": "E2", "rank": 2, "excluded": "left early"},'
    '{"judge": "J2", "participant": "E1", "rank": 3, "excluded": null}]',
}


@pytest.mark.parametrize("form", EXCLUDED_FORMS)
def test_a_reason_in_any_line_excludes_the_whole_ballot(form: str) -> None:
    assert read_rankings(EXCLUDED_FORMS[form]) == [
        Ballot.of("J1", {"E1": 1, "E2": 2}, "left early"),
        Ballot.of("J2", {"E1": 3}),
    ]


def test_two_reasons_are_kept_both() -> None:
    text = "judge,participant,rank,excluded\nJ1,E1,1,left early\nJ1,E2,2,knew E2\n"
    assert read_rankings(text)[0].excluded == "left early; knew E2"


def test_a_reason_that_is_no_text_is_refused() -> None:
    text = '[{"judge": "J1", "participant": "E1", "rank": 1, "excluded": true}]'
    with pytest.raises(BadInput, match=r"True is no reason; say in words why"):
        read_rankings(text)


def test_ballots_are_excluded_by_name() -> None:
    ballots = [Ballot.of("J1", {"E1": 1}, "knew E1"), Ballot.of("J2", {"E1": 1})]
    assert [b.excluded for b in exclude(ballots, {"J2": " left early "})] == [
        *("knew E1", "left early")
    ]
    assert exclude(ballots, {}) == ballots
