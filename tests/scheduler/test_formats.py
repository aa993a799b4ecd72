"""Every form of schedule: read, written, read again; and what is wrong with a file, by place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import (
    BadInput,
    Matrix,
    Pairing,
    Refused,
    Schedule,
    bundled,
    make,
    read_schedule,
    schedule_2010,
    write_csv,
    write_json,
    write_rounds,
)
from scheduler.published import NAMES

LINES = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"
SMALL = Schedule.of(
    [
        Pairing(1, "J1", "E1", "C1"),
        Pairing(1, "J2", "E2", "C2"),
        Pairing(2, "J1", "E2", "C2"),
        Pairing(2, "J2", "E1", "C1"),
    ]
)

FORMS = {
    "lines": LINES,
    "lines with CRLF": LINES.replace("\n", "\r\n"),
    "lines with CR": LINES.replace("\n", "\r"),
    "lines with a byte order mark": "\ufeff" + LINES,
    "wrapped lines": "Round 1 J1E1C1\nJ2E2C2\n\nRound\n2 J1E2C2\nJ2E1C1",
    "lines with marks": "# by hand\n  round 1: J1E1C1, J2E2C2  # a remark\nROUND 2:J1E2C2;J2E1C1",
    "csv": "round,judge,entry,confederate\n1,J1,E1,C1\n1,J2,E2,C2\n2,J1,E2,C2\n2,J2,E1,C1\n",
    "csv of a spreadsheet": (
        '\ufeffConfederate;Entry;"Judge";Round;remark\r\n C1 ;E1;J1;1;\r\n\r\nC2;E2;J2; 1;"a;b"\r\n'
        ";;;;\r\nC2;E2;J1;2\r\nC1;E1;J2;2;\r\n"
    ),
    "csv with tabs": "round\tjudge\tentry\tconfederate\n1\tJ1\tE1\tC1\n1\tJ2\tE2\tC2\n"
    "2\tJ1\tE2\tC2\n2\tJ2\tE1\tC1\n",
    "json": json.dumps(
        {
            "rounds": [
                [
                    {"judge": "J1", "entry": "E1", "confederate": "C1"},
                    {"judge": "J2", "entry": "E2", "confederate": "C2"},
                ],
                [
                    {"judge": "J1", "entry": "E2", "confederate": "C2", "round": 2},
                    {"judge": " J2", "entry": "E1", "confederate": "C1", "desk": 2},
                ],
            ],
            "optimal": False,
            "pairs": {},
        }
    ),
    "json of texts": '{"rounds": ["J1E1C1 J2E2C2", ["J1E2C2", "J2E1C1"]]}',
    "bare json": '[["J1E1C1", "J2E2C2"], "J1E2C2 J2E1C1"]',
    "json of pairings": json.dumps(
        [
            {"round": 1, "judge": "J1", "entry": "E1", "confederate": "C1"},
            {"round": 1, "judge": "J2", "entry": "E2", "confederate": "C2"},
            {"round": 2, "judge": "J1", "entry": "E2", "confederate": "C2"},
            {"round": 2, "judge": "J2", "entry": "E1", "confederate": "C1"},
        ]
    ),
    "toml": '# by hand\nrounds = [["J1E1C1", "J2E2C2"], ["J1E2C2", "J2E1C1"]]\n',
    "toml of pairings": "".join(
        f'[[pairings]]\nround = {r}\njudge = "{j}"\nentry = "{e}"\nconfederate = "{c}"\n'
        for r, j, e, c in [
            (1, "J1", "E1", "C1"),
            (1, "J2", "E2", "C2"),
            (2, "J1", "E2", "C2"),
            (2, "J2", "E1", "C1"),
        ]
    ),
}

GRID = Matrix.of(["J1", "J2"], ["E1", "E2"], [["C1", "C2"], ["C2", None]])
MATRIX_FORMS = {
    "csv": ",E1,E2\nJ1,C1,C2\nJ2,C2,\n",
    "csv with a head": "judge, E1 ,E2\r\n\r\nJ1,C1 ,C2\r\nJ2,C2,\r\n",
    "json": '{"matrix": {"J1": {"E1": "C1", "E2": "C2"}, "J2": {"E1": "C2", "E2": null}}}',
    "toml": '[matrix.J1]\nE1 = "C1"\nE2 = "C2"\n[matrix.J2]\nE1 = "C2"\n',
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_schedule_reads_the_same(form: str) -> None:
    assert read_schedule(FORMS[form]) == SMALL


@pytest.mark.parametrize("form", MATRIX_FORMS)
def test_every_form_of_a_matrix_reads_the_same(form: str) -> None:
    assert read_schedule(MATRIX_FORMS[form]) == GRID


@pytest.mark.parametrize("write", [write_rounds, write_csv, write_json])
@pytest.mark.parametrize("schedule", [schedule_2010(), SMALL, make(11, 11, 11, seed=1).schedule])
def test_what_is_written_reads_back_equal(write: object, schedule: Schedule) -> None:
    assert callable(write)
    assert read_schedule(write(schedule)) == schedule


def test_the_document_of_make_reads_back_equal() -> None:
    made = make(4, 4, 4, 3)
    assert read_schedule(json.dumps(made.as_json())) == made.schedule


IDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    names = draw(st.lists(IDS, min_size=6, max_size=6, unique=True))
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(1, 5),
                st.sampled_from(names[:2]),
                st.sampled_from(names[2:4]),
                st.sampled_from(names[4:]),
            ),
            min_size=1,
            max_size=8,
        )
    )
    return Schedule.of(Pairing(*row) for row in rows)


@given(schedules())
def test_any_names_survive_csv_and_json(schedule: Schedule) -> None:
    assert read_schedule(write_csv(schedule)) == schedule
    assert read_schedule(write_json(schedule)) == schedule


@given(schedules())
def test_a_matrix_survives_csv_and_json(schedule: Schedule) -> None:
    roster = schedule.roster
    held = {(p.judge, p.entry): p.confederate for p in schedule.pairings}
    cells = [[held.get((j, e)) for e in roster.entries] for j in roster.judges]
    grid = Matrix.of(roster.judges, roster.entries, cells)
    assert read_schedule(write_csv(grid)) == grid
    assert read_schedule(write_json(grid)) == grid


def refusal_of(text: str, source: str) -> str:
    """The message with which a text is refused; empty if it is not."""
    try:
        read_schedule(text, source)
    except BadInput as error:
        return str(error)
    return ""


@given(st.text(max_size=60))
@settings(max_examples=300)
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for source in ("x", "x.json", "x.toml", "x.csv"):
        assert refusal_of(text, source).isprintable()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["rounds", "pairings", "matrix", "judges", "judge", "round", "J1"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_document_does_more_than_be_refused(document: object) -> None:
    assert refusal_of(json.dumps(document), "x.json").isprintable()


CSV = "round,judge,entry,confederate\n"
FAULTS = {
    "": "f: is empty",
    " \n\ufeff": "f: ",
    "# only a remark\n": "f: is empty",
    "Hello.": "f: 'Hello.' begins no known form of schedule; write lines such as",
    "J1E1C1": "f, line 1: 'J1E1C1' stands before any round; begin with Round 1",
    "Round 1": "f: holds no pairing",
    "Round 1 J1E1C1\nRound": "f, line 2: Round without a number at the end",
    "Round 1 J1E1C1\nRound x J2E2C2": "f, line 2, field round: 'x' is no round; rounds count from",
    "Round 0 J1E1C1": "f, line 1, field round: '0' is no round",
    "Round 1001 J1E1C1": "f, line 1, field round: '1001' is no round",
    "Round 1 J1E1C1\n\nRound 1 J2E2C2": "f, line 3: round 1 begins again (first in line 1)",
    "Round 1 J1E1C1 J2E2": "f, line 1: 'J2E2' is no pairing; write such as Round 1 J1E1C1",
    "Round 1 E1J1C1": "f, line 1: 'E1J1C1' is no pairing",
    "Round 1 J1E1C1\n* Thanks": "f, line 2: '*' is no pairing",
    "round,judge,entry\n": "f, line 1: the head lacks the column confederate; write round,judge",
    "round,judge,entry,confederates\n": "; did you mean confederates?",
    "round,judge,judge,entry,confederate\n": "f, line 1: the head has the column judge twice",
    CSV: "f: holds no pairing",
    CSV + "1,J1,,C1": "f, line 2, field entry: is empty; write an id such as E1",
    CSV + "one,J1,E1,C1": "f, line 2, field round: 'one' is no round",
    CSV + "1.0,J1,E1,C1": "f, line 2, field round: '1.0' is no round",
    CSV + "\n1,J1,E1,C1,x": "f, line 3: 'x' is one cell more than the head has",
    CSV + '1,J1,E1,"C1': "f, line 2: is no CSV (unexpected end of data)",
    CSV + "1,J1,E\a1,C1": r"f, line 2, field entry: 'E\x071' holds a character that does not print",
    CSV + f"1,J1,E1,{'C' * 101}": "f, line 2, field confederate: 'CCCCC",
    CSV + "1,J1,E1,C1\n1,E1,E2,C2": "'E1' is the id of two, judge and entry; give each its own",
    CSV + "1,J1,E1,C1\n1,J2,E2,E1": "'E1' is the id of two, entry and confederate",
    ",E1,E1\nJ1,C1,C2": "f, field entry: 'E1' stands twice",
    ",E1,\nJ1,C1,C2": "f, line 1, field entry: is empty",
    ",E1,E2\nJ1,C1\n": "f, line 2: has 1 cells for 2 entries; check the commas",
    ",E1,E2\nJ1,C1,C2\nJ1,C2,C1": "f, line 3, field judge: 'J1' stands twice",
    ",E1,E2\n,C1,C2\n": "f, line 2, field judge: is empty",
    ",E1,E2\nJ1,C1,\x01\n": r"f, line 2, field E2: '\x01' holds a character",
    ",E1\nJ1,\n": "f: the matrix holds no confederate",
    ",E1\nJ1,E1\n": "'E1' is the id of two, entry and confederate",
    '{"rounds": [}': "f, line 1: is no JSON (Expecting value, column 13)",
    '{"rounds": NaN}': "f: NaN is no number in JSON",
    '{"rounds": [], "rounds": []}': "f: the key 'rounds' stands twice in one object",
    '{"rounds": ' + "[" * 100_000: "f: is no usable JSON (nested too deeply)",
    '{"rounds": ' + "9" * 5000 + "}": "f: is no usable JSON (Exceeds the limit",
    '{"rounds": []}': "f: holds no pairing",
    '{"rounds": 1}': "f, field rounds: 1 is no list",
    '{"rounds": [1]}': "f, field rounds[0]: 1 is no list",
    '{"rounds": [[1]]}': "f, field rounds[0][0]: 1 is no object",
    '{"rounds": ["J1E1"]}': "f, field rounds[0]: 'J1E1' is no pairing",
    '{"rounds": [[{"judge": "J1", "entry": "E1"}]]}': (
        "f, field rounds[0][0].confederate: is missing"
    ),
    '{"rounds": [[{"judge": 1, "entry": "E1", "confederate": "C1"}]]}': (
        "f, field rounds[0][0].judge: 1 is no id; write a text such as E1"
    ),
    '{"rounds": [[{"round": 2, "judge": "J1", "entry": "E1", "confederate": "C1"}]]}': (
        "f, field rounds[0][0].round: 2 stands in the list of round 1"
    ),
    '{"rounds": ["J1E1C1"], "judge": ["J1"]}': "the key 'judge' is unknown; did you mean judges?",
    '{"rounds": ["J1E1C1"], "judges": "J1"}': "f, field judges: 'J1' is no list",
    '{"rounds": ["J1E1C1"], "judges": [""]}': "f, field judges[0]: is empty",
    '{"matrix": {}, "rounds": []}': "f: has rounds and matrix; write one of rounds, pairings",
    '{"judges": []}': "f: has no rounds; write one of rounds, pairings, matrix",
    '{"matrix": {"J1": {"E1": 2}}}': "f, field matrix.J1.E1: 2 is no id",
    '{"matrix": {"J1": {}}}': "f: the matrix holds no confederate",
    '[{"judge": "J1", "entry": "E1", "confederate": "C1"}]': (
        "f, field pairings[0].round: is missing"
    ),
    '[{"round": true}]': "f, field pairings[0].round: True is no round",
    "rounds = [": "f: is no TOML (",
    "[contest]\nname = 'x'": "f: the key 'contest' is unknown",
    '"C1"': """f: '"C1"' begins no known form""",
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: repr(text[:40]))
def test_a_fault_is_named_with_its_place(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_schedule(text, "f")
    message = str(caught.value)
    assert FAULTS[text] in message
    assert message.isprintable(), "one line, nothing that steers a terminal"
    assert len(message) < 300
    assert caught.value.exit_code == 2


def test_names_that_lines_cannot_hold_are_refused_not_mangled() -> None:
    with pytest.raises(Refused, match="'annE1C1' can't be read back"):
        write_rounds(Schedule.of([Pairing(1, "ann", "E1", "C1")]))


def test_a_schedule_needs_pairings_and_rounds_that_count_from_one() -> None:
    with pytest.raises(BadInput, match="no pairing"):
        Schedule.of([])
    with pytest.raises(BadInput, match="0 is no round"):
        Schedule.of([Pairing(0, "J1", "E1", "C1")])
    with pytest.raises(BadInput, match="a row a judge"):
        Matrix.of(["J1"], ["E1"], [["C1", "C2"]])
    with pytest.raises(BadInput, match="spaces around it"):
        Schedule.of([Pairing(1, "J1 ", "E1", "C1")])


def test_a_round_left_out_stays_empty() -> None:
    schedule = read_schedule("Round 1 J1E1C1\nRound 3 J2E2C2")
    assert isinstance(schedule, Schedule)
    assert [len(play) for play in schedule.rounds] == [1, 0, 1]
    assert read_schedule(write_json(schedule)) == schedule
    assert write_rounds(schedule) == "Round 1 J1E1C1\nRound 3 J2E2C2\n"


def test_what_comes_with_us_is_what_it_is_called() -> None:
    assert [type(bundled(name)) for name in NAMES] == [Schedule, Schedule, Matrix]
    assert bundled("2010") == schedule_2010()
    with pytest.raises(KeyError):
        bundled("2011")
