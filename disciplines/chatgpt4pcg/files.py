"""Reads and writes the official folder tree and result files.

`<root>/<team>/<stage>/<LETTER>/<team>_<LETTER>_<number>.<ending>` is a trial's file,
`<root>/<team>/<stage>/<LETTER>.json` holds the measurements for a team and a letter, and
`<root>/result` the results. With several language models, one folder has such a root for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from contest.setup.filenames import safe_name
from disciplines.chatgpt4pcg.editions import Edition
from disciplines.chatgpt4pcg.level import decimal_text
from disciplines.chatgpt4pcg.physics import single
from disciplines.chatgpt4pcg.scoring import Item, Scores, Trial
from disciplines.standing import Place
from scheduler.documents import read_table
from scheduler.errors import BadInput
from scheduler.files import read_bytes, read_text
from scheduler.texts import shown

#: Each kind of file of a trial: the stage that it belongs to, and its ending.
FILES = {
    "raw": ("raw", ".txt"),
    "intermediate": ("intermediate", ".txt"),
    "levels": ("levels", ".xml"),
    "images": ("images", ".png"),
    "drawings": ("images", "_raw.png"),
}
#: The stages with a file for each letter: the key of the list of trials in it, and in each trial
#: the keys of its name and of the value.
MEASURED = {
    "stability": ("raws", "tag", "score"),
    "similarity": ("trials", "id", "similarity"),
}
#: Folders that are not teams. Folders whose names begin with a dot aren't teams either.
NOT_TEAMS = {"logs", "result", "qualified"}
#: The largest prompt or response that is read, in bytes.
TEXT_LIMIT = 64 * 2**20


class Problem(NamedTuple):
    """A fault in a team's files, in words; the letter is empty if it concerns all of them."""

    team: str
    character: str
    what: str


def read_answer(path: Path) -> str:
    """The text of a prompt, a response or a program, as the official programs read it: UTF-8, with
    U+FFFD for each invalid byte. Raises BadInput as
    :func:`~scheduler.files.read_bytes` does."""
    return read_bytes(path, TEXT_LIMIT).decode("utf-8", "replace")


def entries(path: Path) -> list[tuple[str, Path]]:
    """The entries in a folder, or the one in a file, in the order of their names.

    Returns:
        For each entry, its team (the file's name without its extension) and the file.

    Raises:
        BadInput: if there are none.
    """
    if not path.is_dir():
        return [(path.stem, path)]
    files = [each for each in path.iterdir() if each.is_file() and not each.name.startswith(".")]
    if not files:
        raise BadInput("has no files", source=str(path))
    return [(file.stem, file) for file in sorted(files)]


def trial_file(root: Path, item: Item, kind: str) -> Path:
    """The path of a trial's file.

    Arguments:
        root: the root of the tree; with several models, the folder of their trees.
        item: the trial.
        kind: a key of FILES.

    Raises:
        BadInput: if the team's name can't be used as a folder's name.
    """
    if safe_name(item.team) != item.team or item.team in NOT_TEAMS:
        raise BadInput(f"{shown(item.team)} can't be a folder's name; rename the team")
    stage, ending = FILES[kind]
    return root / item.model / item.team / stage / item.letter / f"{item.file}{ending}"


def trial_number(name: str) -> int | None:
    """A trial's number: the digits after the last underscore in a file's name; None if there are
    none."""
    found = re.match(r"[0-9]{1,6}(?![0-9])", name.rpartition("_")[2])
    return int(found[0]) if found else None


def teams(root: Path) -> list[str]:
    """The names of all teams with a folder in the tree, in order.

    Raises:
        BadInput: if the root can't be read.
    """
    if not root.is_dir():
        raise BadInput("is not a folder", source=str(root))
    folders = [each.name for each in root.iterdir() if each.is_dir()]
    return sorted(name for name in folders if name[0] != "." and name not in NOT_TEAMS)


def trial_files(root: Path, stage: str) -> Iterator[tuple[str, str, int, Path]]:
    """The files of all trials in a stage, in order: team, letter, number and path. Other files are
    skipped.

    Raises:
        BadInput: if the root can't be read.
    """
    for team in teams(root):
        found = []
        for path in (root / team / stage).glob(f"*/*{FILES[stage][1]}"):
            number = trial_number(path.name)
            if number is not None:
                found.append((path.parent.name, number, path))
        yield from ((team, *each) for each in sorted(found))


def stability_document(rows: Mapping[str, tuple[float, int, int]]) -> dict[str, Any]:
    """The official evaluator's document for a team and a letter.

    Arguments:
        rows: the path of each level, and its score, number of blocks, and number of moved blocks.
    """
    total = 0.0
    for score, _, _ in rows.values():
        total = single(total + score)
    names = ("tag", "score", "startingObjects", "movingObjects")
    return {
        "dataCount": len(rows),
        "rate": single(total / len(rows)) if rows else 0.0,
        "raws": [
            dict(zip(names, (tag.replace("/", "\\"), *measured), strict=True))
            for tag, measured in rows.items()
        ],
    }


def similarity_document(character: str, rows: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The official classifier script's document for a team and a letter.

    Arguments:
        character: the target letter.
        rows: the name of each picture, and the probabilities of A to Z.
    """
    values = [row[ascii_uppercase.index(character)] for row in rows.values()]
    return {
        "count": len(rows),
        "similarityRate": sum(values) / len(values) if values else 0,
        "trials": [
            {"id": name, "label": character, "similarity": value}
            for name, value in zip(rows, values, strict=True)
        ],
        "similarities": [
            {
                "id": name,
                "raws": [
                    {"id": name, "label": label, "softmax_prob": value}
                    for label, value in zip(ascii_uppercase, row, strict=True)
                ],
            }
            for name, row in rows.items()
        ],
    }


class Measurements(NamedTuple):
    """The measurements in a table or a folder tree: all teams, including those without trials; the
    trials; and the problems with the files."""

    teams: list[str]
    trials: list[Trial]
    problems: list[Problem]


def read(path: Path, edition: Edition) -> Measurements:
    """Reads the stability, similarity and diversity of all trials, paired by the trials' numbers.

    A table is a CSV file with the columns teamName, character, trial, stabilityScore and
    similarityScore, from 2024 on diversityScore, and with several models model. Other columns are
    ignored. In a folder tree, a file or row that can't be used is reported as a problem of its
    team, and counts as missing.

    Arguments:
        path: the table, or the root of the tree; with several models, a folder of such roots, named
            after the models.
        edition: the edition, with the letters and the number of trials for each.

    Raises:
        BadInput: if a table can't be used, with line and column; or if a root can't be read or has
            no team.
    """
    if path.is_dir():
        return _read_tree(path, edition)
    trials = _read_table(path, edition)
    return Measurements(list(dict.fromkeys(trial.team for trial in trials)), trials, [])


def _read_table(path: Path, edition: Edition) -> list[Trial]:
    source = str(path)
    columns = ["teamname", "character", "trial", "stabilityscore", "similarityscore"]
    columns += ["diversityscore"] if edition.diversity else []
    trials: dict[tuple[str, str, str, int], Trial] = {}
    diversities: dict[tuple[str, str, str], Decimal] = {}
    for line, row in read_table(read_text(path), columns, source, ["model"]):
        refusal = partial(BadInput, source=source, line=line)
        model = row["model"] if len(edition.models) > 1 else ""
        team, character, number = row["teamname"], row["character"], row["trial"]
        if not team:
            raise refusal("is empty", field="teamName")
        if len(character) != 1 or character not in edition.letters:
            problem = f"{shown(character)} is not one of the letters {edition.letters}"
            raise refusal(problem, field="character")
        if not re.fullmatch(r"[0-9]{1,6}", number) or not 1 <= int(number) <= edition.trials:
            problem = f"{shown(number)} is not a trial from 1 to {edition.trials}"
            raise refusal(problem, field="trial")
        values = [_value(row[name]) for name in columns[3:]]
        if None in values:
            name = columns[3 + values.index(None)]
            raise refusal(f"{shown(row[name])} is not a number from 0 to 1", field=name)
        stability, similarity, diversity = (value or Decimal(0) for value in (*values, None)[:3])
        key = (model, team, character)
        if (*key, int(number)) in trials:
            raise refusal(f"trial {number} of {shown(team)} for {character} occurs twice")
        if diversities.setdefault(key, diversity) != diversity:
            problem = f"{shown(team)} has two different diversities for {character}"
            raise refusal(problem, field="diversityScore")
        trial = Trial(team, character, int(number), stability, similarity, diversity, model)
        trials[(*key, trial.number)] = trial
    if not trials:
        raise BadInput("has no trials", source=source)
    return list(trials.values())


def _value(text: str) -> Decimal | None:
    """A number from 0 to 1, in the form in which JavaScript writes it, also with an exponent; None
    for any other text."""
    if not re.fullmatch(r"[0-9]{0,2}\.?[0-9]{0,1000}(e[+-]?[0-9]{1,3})?", text, re.IGNORECASE):
        return None
    try:
        value = Decimal(text)
    except ArithmeticError:
        return None
    return value if 0 <= value <= 1 else None


def _read_tree(root: Path, edition: Edition) -> Measurements:
    models = {"": root}
    several = [name for name in teams(root) if not _is_team(root / name)]
    if len(edition.models) > 1 and several and len(several) == len(teams(root)):
        models = {name: root / name for name in several}
    names: dict[str, None] = {}
    trials: list[Trial] = []
    problems: list[Problem] = []
    for model, folder in models.items():
        for team in teams(folder):
            names[team] = None
            reader = _Team(folder, team, problems)
            trials += (trial._replace(model=model) for trial in reader.trials(edition))
    if not names:
        raise BadInput("has no team's folder", source=str(root))
    return Measurements(list(names), trials, problems)


def _is_team(folder: Path) -> bool:
    return any((folder / stage).is_dir() for stage in (*FILES, *MEASURED, "diversity"))


class _Team:
    """Reads a team's measurements, and collects the problems with its files."""

    def __init__(self, root: Path, team: str, problems: list[Problem]) -> None:
        self.folder = root / team
        self.team = team
        self.problems = problems

    def trials(self, edition: Edition) -> Iterator[Trial]:
        stages = [*MEASURED, *(["diversity"] if edition.diversity else [])]
        numbers = {
            stage: sum(path.is_file() for path in (self.folder / stage).glob("*.json"))
            for stage in stages
        }
        if len(set(numbers.values())) > 1:
            has = ", ".join(f"{stage} {number}" for stage, number in numbers.items())
            self.report("", f"its stages have different numbers of files: {has}")
        for letter in edition.letters:
            measured = [self.values(stage, letter, edition.trials) for stage in MEASURED]
            diversity = Decimal(0)
            if edition.diversity:
                rate = self.load("diversity", letter).get("diversityRate", 0)
                diversity = self.number(rate, letter, "diversityRate") or diversity
            for number in range(1, edition.trials + 1):
                stability, similarity = (values.get(number) for values in measured)
                if stability is None and similarity is None:
                    continue
                for stage, value in zip(MEASURED, (stability, similarity), strict=True):
                    if value is None:
                        self.report(letter, f"trial {number} has no {stage}; it scores 0")
                yield Trial(
                    *(self.team, letter, number),
                    *(stability or Decimal(0), similarity or Decimal(0), diversity),
                )

    def values(self, stage: str, letter: str, count: int) -> dict[int, Decimal]:
        """Trial number to value."""
        rows_key, name_key, value_key = MEASURED[stage]
        rows = self.load(stage, letter).get(rows_key, [])
        found: dict[int, Decimal] = {}
        for row in rows if isinstance(rows, list) else []:
            name = str(row.get(name_key, "")) if isinstance(row, dict) else ""
            number = trial_number(name)
            if number is None or not 1 <= number <= count:
                self.report(letter, f"{stage}: {shown(name)} is not a trial from 1 to {count}")
            elif number in found:
                self.report(letter, f"{stage}: trial {number} occurs twice; the first one counts")
            else:
                value = self.number(row.get(value_key), letter, f"{stage}, trial {number}")
                if value is not None:
                    found[number] = value
        return found

    def load(self, stage: str, letter: str) -> dict[str, Any]:
        path = self.folder / stage / f"{letter}.json"
        if not path.is_file():
            return {}
        try:
            document = json.loads(read_text(path))
        except (BadInput, ValueError, RecursionError) as exc:
            self.report(letter, f"{stage}: {path.name} can't be used: {exc}")
            return {}
        return document if isinstance(document, dict) else {}

    def number(self, value: object, letter: str, what: str) -> Decimal | None:
        # The shortest text of the 64-bit float, as JavaScript's numbers become decimals.
        found = _value(repr(value) if isinstance(value, (int, float)) else "")
        if found is None:
            self.report(
                letter, f"{what}: {shown(value)} is not a number from 0 to 1; it counts as 0"
            )
        return found

    def report(self, letter: str, what: str) -> None:
        self.problems.append(Problem(self.team, letter, what))


def result_texts(
    scores: Scores, ranking: Sequence[Place], edition: Edition, notice: str = ""
) -> dict[str, str]:
    """The contents of constants.json, trial_scores.csv, character_scores.csv and
    prompt_scores_ranks.csv.

    As in the published files, a baseline has the rank -1, and a disqualified team the rank -2 and
    the score -1.

    Arguments:
        scores: the scores of all teams.
        ranking: their places, in the order for the table of ranks.
        edition: the edition; diversity is written from 2024 on.
        notice: why the result is unofficial; empty if it is official. Each file has the notice in
            an additional column or key, which the official programs ignore.
    """
    several = len({weight.model for weight in scores.weights}) > 1
    none = Decimal(-1)

    def kept(*row: object) -> list[object]:
        """A row without its last cells, diversity and model, unless they are needed."""
        return [*row[:-2], *(row[-2:-1] if edition.diversity else ()), *(row[-1:] * several)]

    def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
        if notice:
            return _csv([*head, "unofficial"], *([*row, notice] for row in rows))
        return _csv(head, *rows)

    names = ("weightStability", "weightSimilarity", "weightDiversity")
    if not edition.diversity:
        names = ("stabilityWeight", "similarityWeight", "")
    head = kept("character", "weight", *names, "model")
    constants = {
        "competitionScore": decimal_text(scores.competition),
        "weights": [dict(zip(head, map(_cell, kept(*row)), strict=True)) for row in scores.weights],
        **({"unofficial": notice} if notice else {}),
    }
    measured = ("stabilityScore", "similarityScore", "diversityScore", "model")
    means = [f"nonWeightedAverage{name[0].upper()}{name[1:]}" for name in measured[:2]]
    return {
        "constants.json": json.dumps(constants, separators=(",", ":"), ensure_ascii=False),
        "trial_scores.csv": table(
            kept("teamName", "character", "trial", "trial_score", *measured),
            (kept(*trial[:3], value, *trial[3:]) for trial, value in scores.trials),
        ),
        "character_scores.csv": table(
            kept("teamName", "character", "characterScore", *means, *measured[2:]),
            (kept(*row) for row in scores.characters),
        ),
        "prompt_scores_ranks.csv": table(
            ["team", "normalizedPromptScore", "promptScore", "rank"],
            (
                [
                    place.name,
                    scores.norms.get(place.name, none),
                    scores.prompts.get(place.name, none),
                    -2 if place.score is None else place.rank or -1,
                ]
                for place in ranking
            ),
        ),
    }


def place_document(place: Place, scores: Scores) -> dict[str, Any]:
    """A place as JSON, with its scores as text, or None."""
    scored = place.score is not None
    return place._asdict() | {
        "score": decimal_text(scores.norms[place.name]) if scored else None,
        "prompt_score": decimal_text(scores.prompts[place.name]) if scored else None,
    }


def _cell(value: object) -> object:
    return decimal_text(value) if isinstance(value, Decimal) else value


def _csv(*rows: Sequence[object]) -> str:
    """CSV as written by json2csv: text in quotes, integers without, no newline at the end."""
    return "\n".join(
        ",".join(
            str(cell) if isinstance(cell, int) else '"' + str(cell).replace('"', '""') + '"'
            for cell in map(_cell, row)
        )
        for row in rows
    )
