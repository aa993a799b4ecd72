"""Tests reading all formats of schedules, verdicts and rankings; errors name the place of the
fault."""

import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import (
    BadInput,
    Ballot,
    Choice,
    Matrix,
    Pairing,
    Refused,
    Schedule,
    Verdict,
    bundled,
    make,
    read_rankings,
    read_schedule,
    read_verdicts,
    schedule_2010,
    write_csv,
    write_rounds,
)
from scheduler.files import decode, read_text
from scheduler.formats import NAMES

LINES = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"
ROWS = [(1, "J1", "E1", "C1"), (1, "J2", "E2", "C2"), (2, "J1", "E2", "C2"), (2, "J2", "E1", "C1")]
SMALL = Schedule.of(Pairing(*row) for row in ROWS)
CSV = "round,judge,entry,confederate\n"
TABLE = CSV + "".join(f"{r},{j},{e},{c}\n" for r, j, e, c in ROWS)
DOCUMENT = {
    "rounds": [
        [{"judge": j, "entry": e, "confederate": c} for r, j, e, c in ROWS if r == number]
        for number in (1, 2)
    ],
    "optimal": False,
    "pairs": {},
}
GRID = Matrix.of(
    [("J1", "E1", "C1"), ("J1", "E2", "C2"), ("J2", "E1", "C2")], ["J1", "J2"], ["E1", "E2"]
)
VERDICTS = [
    Verdict(Pairing(*row), choice)
    for row, choice in zip(ROWS, (Choice.ENTRY, Choice.CONFEDERATE, None), strict=False)
]
HEAD = "round,judge,entry,confederate,verdict\n"
SAID = [
    dict(zip(HEAD.strip().split(","), (*row, said), strict=True))
    for row, said in zip(ROWS, ("entry", "confederate", None), strict=False)
]
RANKINGS = [
    Ballot.of("J1", {"E1": 1, "E2": Fraction(5, 2), "C1": 2.5}),
    Ballot.of("J2", {"E1": 3}),
]
TOP = "judge,participant,rank\n"

FORMS: list[tuple[Callable[[str], object], object, str]] = [
    (read_schedule, SMALL, LINES),
    (read_schedule, SMALL, "\ufeff" + LINES.replace("\n", "\r\n")),
    (read_schedule, SMALL, "Round 1 J1E1C1\nJ2E2C2\n\nRound\n2 J1E2C2\nJ2E1C1"),
    (read_schedule, SMALL, "# by hand\n  round 1: J1E1C1, J2E2C2  # x\nROUND 2:J1E2C2;J2E1C1"),
    (read_schedule, SMALL, TABLE),
    (read_schedule, SMALL, TABLE.replace(",", "\t")),
    (
        read_schedule,
        SMALL,
        '\ufeffConfederate;Entry;"Judge";Round;remark\r\n C1 ;E1;J1;1;\r\n\r\nC2;E2;J2; 1;"a;b"\r\n'
        ";;;;\r\nC2;E2;J1;2\r\nC1;E1;J2;2;\r\n",
    ),
    (read_schedule, SMALL, json.dumps(DOCUMENT)),
    (read_schedule, SMALL, '{"rounds": ["J1E1C1 J2E2C2", ["J1E2C2", "J2E1C1"]]}'),
    (read_schedule, SMALL, 'rounds = [["J1E1C1", "J2E2C2"], ["J1E2C2", "J2E1C1"]]\n'),
    (read_schedule, GRID, ",E1,E2\nJ1,C1,C2\nJ2,C2,\n"),
    (read_schedule, GRID, "judge, E1 ,E2\r\n\r\nJ1,C1 ,C2\r\nJ2,C2,\r\n"),
    (read_verdicts, VERDICTS, HEAD + "1,J1,E1,C1,entry\n1,J2,E2,C2,confederate\n2,J1,E2,C2,\n"),
    (read_verdicts, VERDICTS, json.dumps(SAID)),
    (read_verdicts, VERDICTS, json.dumps({"verdicts": SAID, "rankings": []})),
    (read_rankings, RANKINGS, TOP + "J1,E1,1\nJ1,E2,2.5\nJ2,E1,3\nJ1,C1,2.50\n"),
    (read_rankings, RANKINGS, '{"J1": {"E1": 1, "E2": 2.5, "C1": 2.5}, "J2": {"E1": 3}}'),
    (
        read_rankings,
        [Ballot.of("J1", {"E1": 1, "E2": 2}, "left early"), Ballot.of("J2", {"E1": 3})],
        "judge,participant,rank,excluded\nJ1,E1,1,left early\nJ1,E2,2,\nJ2,E1,3,\n",
    ),
]


@pytest.mark.parametrize(("read", "value", "text"), FORMS)
def test_all_formats_give_the_same_schedule(
    read: Callable[[str], object], value: object, text: str
) -> None:
    assert read(text) == value


@pytest.mark.parametrize("write", [write_rounds, write_csv])
@pytest.mark.parametrize("schedule", [schedule_2010(), make(11, 11, 11, seed=1).schedule])
def test_a_written_schedule_is_read_back_equal(
    write: Callable[[Schedule], str], schedule: Schedule
) -> None:
    assert read_schedule(write(schedule)) == schedule


def test_the_json_of_make_is_read_back_equal() -> None:
    made = make(4, 4, 4, 3)
    assert read_schedule(json.dumps(made.as_json())) == made.schedule


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.sampled_from([CSV, HEAD, TOP, "Round 1 ", "", "[", "{", "a = "]))
def test_random_text_is_refused_without_a_crash(text: str, start: str) -> None:
    for read in (read_schedule, read_verdicts, read_rankings):
        message = ""
        try:
            read(start + text)
        except BadInput as error:
            message = str(error)
        assert message.isprintable()


FAULTS: list[tuple[Callable[[str, str], object], str, str]] = [
    (read_schedule, " \n\ufeff", "f: "),
    (read_schedule, "# only a remark\n", "f: is empty"),
    (read_schedule, "Hello.", "f: 'Hello.' is not the beginning of a schedule; write lines"),
    (read_schedule, "J1E1C1", "f, line 1: 'J1E1C1' comes before any round; begin with Round 1"),
    (read_schedule, "Round 1 J1E1C1\nRound", "f, line 2: the last Round has no number"),
    (read_schedule, "Round 1001 J1E1C1", "f, line 1, field round: '1001' is not a round"),
    (read_schedule, "Round 1 J1E1C1\n\nRound 1 J2E2C2", "f, line 3: round 1 begins again"),
    (read_schedule, "Round 1 J1E1C1 J2E2", "f, line 1: 'J2E2' is not a pairing; write it"),
    (read_schedule, "round,judge,entry\n", "f, line 1: the header lacks the column confederate"),
    (read_schedule, "round,judge,judge,entry,confederate\n", "header has the column judge twice"),
    (read_schedule, CSV, "f: has no pairings"),
    (read_schedule, CSV + "1,J1,,C1", "f, line 2, field entry: is empty; write an id such as E1"),
    (read_schedule, CSV + "1.0,J1,E1,C1", "f, line 2, field round: '1.0' is not a round"),
    (read_schedule, CSV + "\n1,J1,E1,C1,x", "f, line 3: 'x' is in a column without a header"),
    (read_schedule, CSV + '1,J1,E1,"C1', "f, line 2: is not CSV (unexpected end of data)"),
    (read_schedule, CSV + "1,J1,E\a1,C1", r"'E\x071' contains an unprintable character"),
    (read_schedule, CSV + "1,J1,E1,C1\n1,E1,E2,C2", "'E1' is the id of both judge and entry"),
    (read_schedule, ",E1,E2\nJ1,C1\n", "f, line 2: has 1 cells for 2 entries; check the commas"),
    (read_schedule, ",E1\nJ1,\n", "f: the matrix has no confederates"),
    (read_schedule, '{"rounds": [}', "f, line 1: is not JSON (Expecting value, column 13)"),
    (read_schedule, '{"rounds": [], "rounds": []}', "the key 'rounds' appears twice in an object"),
    (read_schedule, '{"rounds": ' + "[" * 100_000, "f: is not usable JSON (nested too deeply)"),
    (read_schedule, '{"rounds": [[1]]}', "f, field rounds[0][0]: 1 is not an object"),
    (read_schedule, '{"rounds": ["J1E1"]}', "f, field rounds[0]: 'J1E1' is not a pairing"),
    (read_schedule, '{"rounds": [[{"judge": "J1"}]]}', "f, field rounds[0][0].entry: is missing"),
    (read_schedule, '{"rounds": [], "judge": []}', "key 'judge' is unknown; did you mean judges?"),
    (read_schedule, '{"judges": []}', "f, field rounds: is missing"),
    (read_schedule, "rounds = [", "f: is not TOML ("),
    (read_verdicts, "judge,entry\n", "the header lacks the columns round, confederate and verdict"),
    (read_verdicts, HEAD + "1,J1,E1,C1,human", "field verdict: 'human' is not a verdict; write"),
    (read_verdicts, "[{}]", "f, field verdicts[0].round: is missing"),
    (read_verdicts, '{"verdict": []}', "the key 'verdict' is unknown; did you mean verdicts?"),
    (read_verdicts, '{"verdicts": {}}', "f, field verdicts: {} is not a list"),
    (read_rankings, TOP + "J1,E1,", "f, line 2, field rank: '' is not a rank; write a number"),
    (read_rankings, TOP + "J1,E1,nan", "f, line 2, field rank: 'nan' is not a rank"),
    (read_rankings, TOP + 'J1,E1,"1,5"', "f, line 2, field rank: '1,5' is not a rank"),
    (read_rankings, TOP + f"J1,E1,{'9' * 5000}", "f, line 2, field rank: '9999"),
    (read_rankings, '{"J1": {"E1": null}}', "f, field rankings.J1.E1: None is not a rank"),
    (read_rankings, '{"J1": {"E1": 1, "E1": 2}}', "f: the key 'E1' appears twice in an object"),
    (read_rankings, '{"verdicts": []}', "f, field rankings: is missing"),
    (
        read_rankings,
        '[{"judge": "J1", "participant": "E1", "rank": 1, "excluded": true}]',
        "True is not a reason; say in words why",
    ),
]


@pytest.mark.parametrize(("read", "text", "said"), FAULTS)
def test_errors_name_the_place_of_the_fault(
    read: Callable[[str, str], object], text: str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        read(text, "f")
    message = str(caught.value)
    assert said in message
    assert message.isprintable(), "one line without control characters"
    assert len(message) < 300
    assert caught.value.exit_code == 2


def test_ids_that_lines_cannot_express_are_refused() -> None:
    schedule = Schedule.of([Pairing(1, "ann", "E1", "C1")])
    assert read_schedule(write_csv(schedule)) == schedule
    with pytest.raises(Refused, match="'annE1C1' can't be written"):
        write_rounds(schedule)


def test_bundled_schedules_are_found_by_name() -> None:
    assert [type(bundled(name)) for name in NAMES] == [Schedule, Schedule, Matrix]
    assert bundled("2010") == schedule_2010()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"abc\nd\xff", "byte 6 of the file is not text in utf-8; save the file as UTF-8"),
        (b" \n", "is empty"),
    ],
)
def test_a_file_that_is_not_text_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(BadInput, match=said):
        read_text(tmp_path / "f")
    for path, problem in ((tmp_path, "is a directory"), (tmp_path / "no", "there is no such file")):
        with pytest.raises(BadInput, match=problem):
            read_text(path)
    assert read_text("-", io.BytesIO(b"\xef\xbb\xbfx")) == "x"
    assert decode("é".encode("utf-16"), "f") == "é"
