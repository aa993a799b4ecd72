"""The pipeline of a contest: qualify, plan, collect, extract, measure, score, rank, report.

Each stage's values for a team or a trial go on record (`disciplines.run`). The official folder tree
in `trials/` and the results in `result/` are made from the record. A trial's id is the name of its
files, `TEAM_LETTER_NUMBER`, with `MODEL/` before it if there are several models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from contest.errors import BadSettings
from contest.verify.findings import Check, Fault, quoted
from disciplines import page
from disciplines.chatgpt4pcg import files, report, similarity
from disciplines.chatgpt4pcg.editions import Edition
from disciplines.chatgpt4pcg.extraction import extract
from disciplines.chatgpt4pcg.level import BrokenProgram, build, to_xml
from disciplines.chatgpt4pcg.physics import ENGINES, NoEngine, stability
from disciplines.chatgpt4pcg.picture import as_png, before_and_after, silhouette
from disciplines.chatgpt4pcg.prompts import fill, qualify
from disciplines.chatgpt4pcg.scoring import Item, Trial
from disciplines.chatgpt4pcg.settings import MeasureTable, Settings
from disciplines.providers import provider
from disciplines.run import (
    Answer,
    Dialogue,
    ItemFailed,
    Progress,
    Run,
    State,
    load,
    plain,
    write_file,
)
from disciplines.verify import Step, compare
from scheduler.errors import BadInput
from scheduler.texts import counted

NAME = "chatgpt4pcg"
#: The stages in order, each with its version. If the version changes, its values are recomputed.
STAGES = dict.fromkeys(
    ("qualify", "plan", "collect", "extract", "measure", "score", "rank", "report"), "1"
)
#: The official folder tree, in the contest's folder.
TREE = "trials"

# The pipeline


class Outcome(NamedTuple):
    """The outcome of a finished run: the result as a document, and the record's head."""

    document: dict[str, Any]
    head: str


def play(
    folder: Path,
    repeat_from: str = "",
    progress: Progress = lambda stage, done, of: None,
    failed: bool = False,
) -> Outcome:
    """Runs a contest to its end, from where an earlier run stopped.

    Arguments:
        folder: the contest's folder.
        repeat_from: the first stage to repeat, with all stages after it; empty to continue.
        progress: called after each team or trial.
        failed: whether to repeat only what failed, from stage `repeat_from` on.

    Raises:
        BadSettings, BadInput: if the settings or the prompts can't be used.
        EnvironmentProblem: if the provider of answers or the disk can't be reached; call it again
            to continue.
    """
    settings = load(folder, NAME, Settings)
    with Run(folder, NAME, plain(settings), STAGES, repeat_from, progress, failed) as run:
        contest = Contest(run, settings)
        contest.qualify()
        contest.collect()
        contest.extract()
        contest.measure()
        document, made = report.results(run.state, settings, partial(picture_of, folder))
        run.finish(report.recorded(document), made)
        return Outcome(document, run.head)


class Contest:
    """The stages of a contest that need files, a model or an engine."""

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run, self._settings, self._edition = run, settings, settings.edition
        self._folder = run.folder
        self._items: list[Item] = []

    def qualify(self) -> None:
        """Checks the prompts, and plans the trials of those that qualify."""
        run, folder = self._run, self._folder / self._settings.contest.prompts
        if not folder.is_dir():
            raise BadSettings(f"{folder}: no such folder; put the prompts there, one file for each")
        found = files.entries(folder)
        texts: dict[str, Path] = dict(found)
        if len(texts) < len(found):
            raise BadInput(
                "has two prompts with the same name and different extensions", source=str(folder)
            )
        run.each("qualify", texts, lambda team: self._qualified(team, texts[team]))
        values = run.state.values.get("qualify", {})
        unknown = [each.name for each in self._settings.entry if each.name not in texts]
        if unknown:
            raise BadSettings(f"[[entry]] {unknown[0]}: there is no such prompt in {folder}")
        changed = [
            team
            for team in {**values, **run.state.failures.get("qualify", {})}
            if team not in texts
            or (team in values and files.read_answer(texts[team]) != values[team]["text"])
        ]
        if changed:
            raise BadSettings(
                f"the prompt {changed[0]} has changed since it was qualified; restore it, or "
                "start over with --from qualify"
            )
        made = report.planned(run.state, self._settings)
        run.each("plan", ["plan"], lambda _: made)
        if run.state.values["plan"]["plan"] != made:
            raise BadSettings(
                f"{folder}: the prompts have changed since they were planned; restore them, or "
                "make a new plan with --from plan"
            )
        self._items = report.items_of(run.state, self._edition)

    def _qualified(self, team: str, path: Path) -> dict[str, Any]:
        try:
            files.trial_file(Path(), Item(team, "A", 1), "raw")
            text = files.read_answer(path)
        except BadInput as exc:
            raise ItemFailed(str(exc)) from exc
        # From 2024 on an entry is a program. A text file is a prompt, which is sent unchanged.
        is_program = path.suffix == ".py" and bool(self._edition.package)
        return qualified(text, is_program, self._edition)

    def collect(self) -> None:
        """Asks for the answers, in a new dialogue for each trial."""
        if self._run.pending("collect", [each.id for each in self._items]):
            # Report a model that can't be loaded before answers are paid for.
            Measuring(self._settings, self._folder, {})
        prompts = self._run.state.values["qualify"]
        for table in self._settings.answers:
            items = {each.id: each for each in self._items if each.model == table.name}
            pending = [items[each] for each in self._run.pending("collect", items)]
            # If nothing is left to ask, the provider need not be available.
            if not pending:
                continue
            programs = [each.team for each in pending if prompts[each.team]["program"]]
            if programs and not table.folder:
                raise BadSettings(
                    f"the entry {programs[0]} is a program: run it with the package "
                    f"{self._edition.package}, and give its output folder as [[answers]] folder"
                )

            def ask(item: str, dialogue: Dialogue, items: Mapping[str, Item] = items) -> Answer:
                trial = items[item]
                meter = LimitedDialogue(dialogue, self._edition)
                return meter.ask(fill(prompts[trial.team]["text"], trial.letter), trial.file)

            asked = provider(table.with_defaults(self._edition), self._folder)
            self._run.collect(items, asked, ask)
        for item in self._items:
            answer = self._run.state.answers.get(item.id)
            self._write(item, {"raw": None if answer is None else answer.answer})

    def extract(self) -> None:
        """Extracts the program from each answer."""
        answers = self._run.state.answers
        held = [each.id for each in self._items if each.id in answers]
        self._run.each("extract", held, lambda item: extracted(answers[item].answer, self._edition))
        programs = self._run.state.values.get("extract", {})
        for item in self._items:
            self._write(item, {"intermediate": programs.get(item.id, {"code": None})["code"]})

    def measure(self) -> None:
        """Builds each level, and measures its stability, similarity and diversity."""
        programs, stored = self._run.state.values.get("extract", {}), self._stored()
        table = self._settings.measure
        # If both values are stored, the program isn't needed.
        known = stored if table.physics == table.similarity else {}
        held = {x.id: x for x in self._items if x.id in programs or x in known}
        if self._run.pending("measure", held):
            measuring = Measuring(self._settings, self._folder, stored)

            def one(id_: str) -> dict[str, Any]:
                code = programs.get(id_, {"code": ""})["code"]
                value, make_files = measuring.trial(held[id_], code)
                self._write(held[id_], make_files())
                return value

            self._run.each("measure", held, one)
            for path, document in report.measurements(self._run.state, self._settings):
                write_file(self._folder / TREE / path, page.json_text(document).encode())
        measured = self._run.state.values.get("measure", {})
        for item in self._items:
            if item.id not in measured:
                # Remove files of an answer that no longer counts.
                self._write(item, dict.fromkeys(("levels", "images", "drawings")))

    def _stored(self) -> dict[Item, Trial]:
        if not self._settings.measure.stored:
            return {}
        found = files.read(self._folder / self._settings.measure.stored, self._edition)
        if found.problems:
            problems = [problem._asdict() for problem in found.problems]
            self._run.each("measure", [report.PROBLEMS], lambda _: problems)
        return {trial.item: trial for trial in found.trials}

    def _write(self, item: Item, made: Mapping[str, str | bytes | None]) -> None:
        """Writes files of a trial, by their names in `files.FILES`; removes those that are None."""
        for kind, content in made.items():
            path = files.trial_file(self._folder / TREE, item, kind)
            if content is None:
                path.unlink(missing_ok=True)
                continue
            data = content if isinstance(content, bytes) else content.encode()
            if not path.is_file() or path.read_bytes() != data:
                write_file(path, data)


def picture_of(folder: Path, item: Item) -> bytes | None:
    """The picture of a trial for the classifier; None if there is none."""
    path = files.trial_file(folder / TREE, item, "images")
    return path.read_bytes() if path.is_file() else None


# The values of a stage for a team or a trial


def qualified(text: str, is_program: bool, edition: Edition) -> dict[str, Any]:
    """An entry's status, the reason for it, its number of words, and its text."""
    checked = qualify(text, edition, is_program)
    return {"text": text, "program": is_program, **checked._asdict()}


def extracted(answer: str, edition: Edition) -> dict[str, str]:
    """The program in an answer; raises ItemFailed."""
    code, reason = extract(answer, edition)
    if code is None:
        raise ItemFailed(reason)
    return {"code": code}


class Measuring:
    """Measures trials, with the engine and the classifier of the settings.

    Arguments:
        settings: the contest's settings.
        folder: its folder, to which paths are relative.
        stored: the stored values.
    """

    def __init__(self, settings: Settings, folder: Path, stored: Mapping[Item, Trial]) -> None:
        self._table, self._edition, self._stored = settings.measure, settings.edition, stored
        self._classifier: similarity.Classifier = similarity.Templates()
        if self._table.similarity == "model":
            self._classifier = similarity.Model(folder / self._table.model)

    def trial(
        self, item: Item, code: str
    ) -> tuple[dict[str, Any], Callable[[], dict[str, str | bytes]]]:
        """Measures a trial; raises ItemFailed if its program builds no level, or it has no stored
        value.

        Arguments:
            item: the trial.
            code: its program; empty if it has none.

        Returns:
            The values for the record; and a function that makes the trial's files, by their names
                in `files.FILES`.
        """
        ways = self._table
        value: dict[str, Any] = {}
        if ways.stored:
            found = self._stored.get(item)
            if found is None:
                raise ItemFailed("there are no stored values for this trial")
            if ways.physics == "stored":
                value["stability"] = str(found.stability)
            if ways.similarity == "stored":
                value |= {"similarity": str(found.similarity), "diversity": str(found.diversity)}
            if ways.physics == ways.similarity:
                return value, dict
        try:
            level = build(code, self._edition)
        except BrokenProgram as exc:
            raise ItemFailed(str(exc)) from exc
        engine = ways.physics if ways.physics in ENGINES else None
        measured = stability(level.blocks, engine)
        picture = silhouette(measured.after)
        by_physics = {
            "stability": repr(measured.score),
            "engine": measured.engine,
            "starting": measured.starting,
            "moving": measured.moving,
            "distances": [f"{distance:.4f}" for distance in measured.distances],
        }
        value = by_physics | value
        if ways.similarity != "stored":
            seen = self._classifier.classify(picture)
            value["similarity"] = repr(seen.softmax[ascii_uppercase.index(item.letter)])
            value["softmax"] = " ".join(map(repr, seen.softmax))
            if self._edition.diversity == "cls" and seen.embedding:
                value["embedding"] = " ".join(map(repr, seen.embedding))
        return value, lambda: {
            "levels": to_xml(level),
            "images": as_png(picture),
            "drawings": as_png(before_and_after(measured)),
        }


class LimitedDialogue:
    """A dialogue with the limits of a trial, checked as in the entrants' package: the time before
    each request, the tokens after it. If a request exceeds the limit, the trial is lost.

    Arguments:
        dialogue: the trial's dialogue.
        edition: the edition with the limits.
        clock: returns monotonic seconds.
    """

    def __init__(
        self, dialogue: Dialogue, edition: Edition, clock: Callable[[], float] = monotonic
    ) -> None:
        self._dialogue, self._edition, self._clock = dialogue, edition, clock
        self._began, self._tokens = clock(), 0

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        """The answer, with the tokens of all requests so far; raises ItemFailed if a limit is
        exceeded."""
        limit, tokens = self._edition.seconds, self._edition.tokens
        if limit is not None and self._clock() - self._began > limit:
            raise ItemFailed(f"the trial's {limit} seconds had run out before its next request")
        answer = self._dialogue.ask(text, item, seconds)
        if answer.tokens is None:
            return answer
        self._tokens += answer.tokens
        if tokens is not None and self._tokens > tokens:
            raise ItemFailed(f"the trial took {self._tokens:,} tokens; the limit is {tokens:,}")
        return answer._replace(tokens=self._tokens)


# Verification


def _settings(state: State) -> Settings:
    """The settings on record; raises ValueError if they can't be used."""
    return msgspec.convert(state.settings, Settings, strict=False)


def _qualify_again(check: Check, state: State, _folder: Path) -> str:
    edition, made = _settings(state).edition, state.values.get("qualify", {})
    for team, value in made.items():
        if qualified(value["text"], value["program"], edition) != value:
            check.tell(f"{quoted(team)}: the recomputed status or number of words is different")
    return f"{counted(len(made), 'prompt')}, recomputed without differences"


def _plan_again(check: Check, state: State, _folder: Path) -> str:
    if not state.values.get("plan"):
        return "none yet"
    if state.values["plan"]["plan"] != report.planned(state, _settings(state)):
        check.tell("the recomputed plan is different")
    return "recomputed without differences"


def _extract_again(check: Check, state: State, _folder: Path) -> str:
    edition = _settings(state).edition
    for id_, answer in state.answers.items():
        held = [each.get("extract", {}).get(id_) for each in (state.values, state.failures)]
        try:
            recomputed: list[Any] = [extracted(answer.answer, edition), None]
        except ItemFailed as exc:
            recomputed = [None, str(exc)]
        if held not in ([None, None], recomputed):
            check.tell(f"{quoted(id_)}: the recomputed value is different")
    count = counted(len(state.answers), "answer")
    return f"programs from {count}, recomputed without differences"


def _result_again(check: Check, state: State, _folder: Path) -> str:
    if state.result is None or not state.values.get("plan"):
        return "none yet"
    # The page isn't compared, so it needs no pictures.
    document, made = report.results(state, _settings(state), lambda item: None)
    compare(check, state, report.recorded(document), made, {page.PAGE})
    return f"{counted(len(document['ranking']), 'place')}, recomputed without differences"


#: The values that depend on physics alone.
_OF_PHYSICS = ("starting", "moving", "distances")


def _measure_again(check: Check, state: State, folder: Path) -> str:
    if not state.values.get("plan"):
        return "nothing yet"
    settings = _settings(state)
    table, programs = settings.measure, state.values.get("extract", {})
    measured, items = state.values.get("measure", {}), report.items_of(state, settings.edition)
    held = [each for each in items if "engine" in measured.get(each.id, {})]
    # Stored values and the similarities of a model can't be computed from the record.
    whole = table.physics != "stored" and table.similarity == "built-in"
    engines = {measured[each.id]["engine"] for each in held}
    for engine in sorted(engines & ENGINES.keys()):
        recomputed = msgspec.structs.replace(settings, measure=MeasureTable(physics=engine))
        measuring = Measuring(recomputed, folder, {})
        for item in (each for each in held if measured[each.id]["engine"] == engine):
            value = measured[item.id]
            try:
                found, _ = measuring.trial(item, programs.get(item.id, {"code": ""})["code"])
            except NoEngine as exc:
                check.notes.append(Fault(f"{exc}, so its trials aren't measured again"))
                break
            except ItemFailed as exc:
                found = {"failed": str(exc)}
            names = found.keys() | value.keys() if whole else _OF_PHYSICS
            if any(found.get(name) != value.get(name) for name in names):
                check.tell(f"{quoted(item.id)}: the values are different when measured again")
    return f"{counted(len(held), 'trial')}, the same when measured again"


#: The checks of `loebner verify`, in order.
CHECKS: dict[str, Step] = {
    "qualify": _qualify_again,
    "plan": _plan_again,
    "extract": _extract_again,
    "measure": _measure_again,
    "result": _result_again,
}
