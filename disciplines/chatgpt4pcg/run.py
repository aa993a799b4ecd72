"""The pipeline of a contest: qualify, plan, collect, extract, measure, score, rank, report.

Each stage's values for a team or a trial go on record (`disciplines.run`). The official folder tree
in `trials/` and the results in `result/` are made from the record. A trial's id is the name of its
files, `TEAM_LETTER_NUMBER`, with `MODEL/` before it if there are several models.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from time import monotonic
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from contest.errors import BadSettings
from contest.setup.filenames import safe_name
from contest.verify.findings import Check, Fault, quoted
from disciplines import page
from disciplines.chatgpt4pcg import files, report, similarity
from disciplines.chatgpt4pcg.editions import EDITIONS, Edition
from disciplines.chatgpt4pcg.extraction import extract
from disciplines.chatgpt4pcg.level import BrokenProgram, Level, build, to_xml
from disciplines.chatgpt4pcg.physics import ENGINES, NoEngine, Stability, stability
from disciplines.chatgpt4pcg.picture import as_png, before_and_after, silhouette
from disciplines.chatgpt4pcg.prompts import fill, qualify
from disciplines.chatgpt4pcg.report import Item, Plan
from disciplines.chatgpt4pcg.scoring import Trial
from disciplines.providers import ProviderTable, provider
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
from disciplines.standing import Status
from scheduler.errors import BadInput
from scheduler.texts import counted

NAME = "chatgpt4pcg"
#: The stages in order, each with its version. If the version changes, its values are recomputed.
STAGES = dict.fromkeys(
    ("qualify", "plan", "collect", "extract", "measure", "score", "rank", "report"), "1"
)
#: The official folder tree, in the contest's folder.
TREE = "trials"

# Settings


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class ContestTable(_Table, frozen=True):
    """`[contest]`: its name, edition, and folder of prompts; its letters and the number of trials
    for each, by default the edition's."""

    name: str
    edition: Literal["2023", "2024", "2025"]
    prompts: str = "prompts"
    letters: str = ""
    trials: Annotated[int, Meta(ge=0, le=1000)] = 0

    def __post_init__(self) -> None:
        if set(self.letters) - set(ascii_uppercase) or len(set(self.letters)) < len(self.letters):
            raise ValueError("letters must be capital letters, each once, such as AEIOU")


class EntryTable(_Table, frozen=True):
    """`[[entry]]`: the status of a prompt that isn't an ordinary entry."""

    name: str
    status: Status
    reason: str = ""


class AnswersTable(ProviderTable, frozen=True):
    """`[[answers]]`: a language model, or a substitute for one."""

    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name and safe_name(self.name) != self.name:
            raise ValueError("the name can't be used as a folder's name; choose another")


class MeasureTable(_Table, frozen=True):
    """`[measure]`: the physics engine (by default the first one that is installed), the classifier,
    stored values to use instead, and a model's directory."""

    physics: Literal["", "box2d", "pymunk", "stored"] = ""
    similarity: Literal["built-in", "model", "stored"] = "built-in"
    stored: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        for way in ("stored", "model"):
            if (way in (self.physics, self.similarity)) != bool(getattr(self, way)):
                raise ValueError(
                    f'{way} is needed if physics or similarity is "{way}", and only then'
                )


class LimitsTable(_Table, frozen=True):
    """`[limits]`: the limits for a trial, in seconds and tokens; by default the edition's, 0 for
    none."""

    seconds: Annotated[int, Meta(ge=0)] | None = None
    tokens: Annotated[int, Meta(ge=0)] | None = None


class Settings(_Table, frozen=True):
    """A whole contest.toml of this discipline."""

    contest: ContestTable
    answers: list[AnswersTable]
    measure: MeasureTable = MeasureTable()
    limits: LimitsTable = LimitsTable()
    entry: list[EntryTable] = []

    def __post_init__(self) -> None:
        names = [each.name for each in self.answers]
        if not names or len(set(names)) < len(names) or ("" in names and len(names) > 1):
            raise ValueError("give [[answers]] once, or several times with different names")
        entries = [each.name for each in self.entry]
        if len(set(entries)) < len(entries):
            raise ValueError("give [[entry]] once for each name")

    @property
    def edition(self) -> Edition:
        """The edition's rules, with this contest's letters, trials, models and limits."""
        rules, own, limits = EDITIONS[self.contest.edition], self.contest, self.limits
        return dataclasses.replace(
            rules,
            letters=own.letters or rules.letters,
            trials=own.trials or rules.trials,
            models=tuple(each.name for each in self.answers),
            seconds=rules.seconds if limits.seconds is None else limits.seconds or None,
            tokens=rules.tokens if limits.tokens is None else limits.tokens or None,
        )


# The pipeline


class Outcome(NamedTuple):
    """The outcome of a finished run: the result as a document, and the record's head."""

    document: dict[str, Any]
    head: str


def play(
    folder: Path,
    again: str = "",
    progress: Progress = lambda stage, done, of: None,
    failed: bool = False,
) -> Outcome:
    """Runs a contest to its end, from where an earlier run stopped.

    Arguments:
        folder: the contest's folder.
        again: the first stage to repeat, with all stages after it; empty to continue.
        progress: called after each team or trial.
        failed: whether to repeat only what failed, from stage `again` on.

    Raises:
        BadSettings, BadInput: if the settings or the prompts can't be used.
        Surroundings: if the provider of answers or the disk can't be reached; call it again to
            continue.
    """
    settings = load(folder, NAME, Settings)
    with Run(folder, NAME, plain(settings), STAGES, again, progress, failed) as run:
        contest = Contest(run, settings)
        contest.qualify()
        contest.collect()
        contest.extract()
        contest.measure()
        document, made = report.results(run.state, lambda item: picture_of(folder, item))
        run.finish(report.recorded(document), made)
        return Outcome(document, run.head)


class Contest:
    """The stages of a contest that need files, a model or an engine."""

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run, self._settings, self._edition = run, settings, settings.edition
        self._folder = run.folder
        self._plan = Plan((), "", 0, ())

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
                f"the prompt {changed[0]} has changed since it was qualified; put it back, or "
                "start over with --from qualify"
            )
        made = report.planned(run.state, self._settings.entry, self._edition)
        run.each("plan", ["plan"], lambda _: made)
        if run.state.values["plan"]["plan"] != made:
            raise BadSettings(
                f"{folder}: the prompts are not those of the plan; put those back, or make a new "
                "plan with --from plan"
            )
        self._plan = report.plan_of(run.state)

    def _qualified(self, team: str, path: Path) -> dict[str, Any]:
        try:
            files.trial_file(Path(), team, "raw", "A", 1)
            text = files.read_answer(path)
        except BadInput as exc:
            raise ItemFailed(str(exc)) from exc
        return qualified(text, path.suffix == ".py" and bool(self._edition.package), self._edition)

    def collect(self) -> None:
        """Asks for the answers, in a new dialogue for each trial."""
        prompts = self._run.state.values["qualify"]
        for table in self._settings.answers:
            items = {each.id: each for each in self._plan.items if each.model == table.name}
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
                meter = Meter(dialogue, self._edition)
                return meter.ask(fill(prompts[trial.team]["text"], trial.letter), trial.file)

            self._run.collect(
                items, provider(by_the_rules(table, self._edition), self._folder), ask
            )
        for item in self._plan.items:
            answer = self._run.state.answers.get(item.id)
            self._write(item, "raw", None if answer is None else answer.answer)

    def extract(self) -> None:
        """Extracts the program from each answer."""
        answers = self._run.state.answers
        held = [each.id for each in self._plan.items if each.id in answers]
        self._run.each("extract", held, lambda item: extracted(answers[item].answer, self._edition))
        programs = self._run.state.values.get("extract", {})
        for item in self._plan.items:
            self._write(item, "intermediate", programs.get(item.id, {"code": None})["code"])

    def measure(self) -> None:
        """Builds each level, and measures its stability, similarity and diversity."""
        programs, stored = self._run.state.values.get("extract", {}), self._stored()
        table = self._settings.measure
        # If both values are stored, the program isn't needed.
        known = stored if table.physics == table.similarity else {}
        items = self._plan.items
        held = {x.id: x for x in items if x.id in programs or report.key_of(x) in known}
        if self._run.pending("measure", held):
            measuring = Measuring(self._settings, self._folder, stored)

            def one(id_: str) -> dict[str, Any]:
                code = programs.get(id_, {"code": ""})["code"]
                return measuring.trial(held[id_], code, lambda *each: self._write(held[id_], *each))

            self._run.each("measure", held, one)
            for path, document in report.measurements(self._run.state, self._edition):
                write_file(self._folder / TREE / path, page.json_text(document).encode())
        measured = self._run.state.values.get("measure", {})
        for item in items:
            if item.id not in measured:
                # Of an answer that doesn't count any more.
                for stage, ending in (("levels", ""), ("images", ""), ("images", "_raw.png")):
                    self._write(item, stage, None, ending)

    def _stored(self) -> dict[tuple[str, str, str, int], Trial]:
        source = self._settings.measure.stored
        if not source:
            return {}
        path = self._folder / source
        read = files.read_tree if path.is_dir() else files.read_trials
        found = read(path, self._edition, self._edition.letters, self._edition.trials)
        if isinstance(found, files.Tree):
            problems = [problem._asdict() for problem in found.problems]
            self._run.each("measure", [report.PROBLEMS], lambda _: problems)
            found = found.trials
        return {report.key_of(trial): trial for trial in found}

    def _write(self, item: Item, stage: str, data: str | bytes | None, ending: str = "") -> None:
        """Writes a trial's file of a stage, or removes an outdated one."""
        path = _path(self._folder, item, stage, ending)
        if data is None:
            path.unlink(missing_ok=True)
            return
        as_bytes = data if isinstance(data, bytes) else data.encode()
        if not path.is_file() or path.read_bytes() != as_bytes:
            write_file(path, as_bytes)


def picture_of(folder: Path, item: Item) -> bytes | None:
    """The picture of a trial for the classifier; None if there is none."""
    path = _path(folder, item, "images")
    return path.read_bytes() if path.is_file() else None


def _path(folder: Path, item: Item, stage: str, ending: str = "") -> Path:
    root = folder / TREE / item.model
    return files.trial_file(root, item.team, stage, item.letter, item.number, ending)


def by_the_rules(table: AnswersTable, edition: Edition) -> AnswersTable:
    """A model's settings, with the edition's temperature and seed as defaults."""
    rules, master = EDITIONS[edition.name], table.master_seed
    options: dict[str, Any] = {"temperature": rules.temperature}
    if len(rules.models) > 1 and master is None:
        master = rules.seed
    elif master is None:
        options["seed"] = rules.seed
    options = {name: value for name, value in options.items() if value is not None}
    return msgspec.structs.replace(table, options=options | table.options, master_seed=master)


# The values of a stage for a team or a trial


def qualified(text: str, is_program: bool, edition: Edition) -> dict[str, Any]:
    """An entry's status, the reason for it, its number of words, and its text."""
    # From 2024 on an entry is a program. A text file is a prompt, and sent unchanged.
    rules = edition if is_program else dataclasses.replace(edition, package="")
    status, reason, words = qualify(text, rules)
    return {"text": text, "program": is_program, "status": status, "reason": reason, "words": words}


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

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        stored: Mapping[tuple[str, str, str, int], Trial],
    ) -> None:
        self._table, self._edition, self._stored = settings.measure, settings.edition, stored
        self._classifier: similarity.Classifier = similarity.Templates()
        if self._table.similarity == "model":
            self._classifier = similarity.Model(folder / self._table.model)

    def trial(
        self, item: Item, code: str, write: Callable[..., None] = lambda *_: None
    ) -> dict[str, Any]:
        """Measures a trial, and returns the values for the record; raises ItemFailed if its program
        builds no level, or it has no stored value.

        Arguments:
            item: the trial.
            code: its program; empty if it has none.
            write: writes a file, given a stage of the folder tree, the content, and optionally the
                ending.
        """
        table = self._table
        found = self._stored.get(report.key_of(item))
        if "stored" in (table.physics, table.similarity) and found is None:
            raise ItemFailed("there are no stored values of this trial")
        value: dict[str, Any] = {}
        if found is not None:
            value["diversity"] = str(found.diversity)
        if found is not None and table.physics == table.similarity:
            return value | {"stability": str(found.stability), "similarity": str(found.similarity)}
        try:
            level = build(code, self._edition)
        except BrokenProgram as exc:
            raise ItemFailed(str(exc)) from exc
        write("levels", to_xml(level))
        measured = stability(
            level.blocks, None if table.physics in ("", "stored") else table.physics
        )
        picture = silhouette(measured.after)
        write("images", as_png(picture))
        write("images", as_png(before_and_after(measured)), "_raw.png")
        value |= _of_physics(level, measured)
        if found is not None and table.physics == "stored":
            value["stability"] = str(found.stability)
        if found is not None and table.similarity == "stored":
            return value | {"similarity": str(found.similarity)}
        seen = self._classifier.see(picture, item.letter)
        vector = seen.softmax
        if self._edition.diversity == "cls" and seen.embedding:
            vector = seen.embedding
        value |= {"similarity": str(seen.similarity), "softmax": " ".join(map(repr, seen.softmax))}
        if vector is not seen.softmax:
            value["embedding"] = " ".join(map(repr, vector))
        value.pop("diversity", None)
        return value


def _of_physics(level: Level, measured: Stability) -> dict[str, Any]:
    return {
        "stability": repr(measured.score),
        "engine": measured.engine,
        "starting": measured.starting,
        "moving": measured.moving,
        "distances": [f"{distance:.4f}" for distance in measured.distances],
    }


class Meter:
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

    def ask(self, text: str, item: str) -> Answer:
        """The answer, with the tokens of all requests so far; raises ItemFailed if a limit is
        exceeded."""
        seconds, tokens = self._edition.seconds, self._edition.tokens
        if seconds is not None and self._clock() - self._began > seconds:
            raise ItemFailed(f"the trial's {seconds} seconds were over before its next request")
        answer = self._dialogue.ask(text, item)
        if answer.tokens is None:
            return answer
        self._tokens += answer.tokens
        if tokens is not None and self._tokens > tokens:
            raise ItemFailed(f"the trial took {self._tokens:,} tokens; the limit is {tokens:,}")
        return answer._replace(tokens=self._tokens)


# Verification


def checks(state: State, folder: Path) -> list[Check]:
    """Recomputes qualification, programs, measurements and result from the prompts and answers on
    record.

    Arguments:
        state: the run's state.
        folder: the contest's folder, with stored values and pictures.
    """
    names = ("qualify", "extract", "measure", "result")
    found = {name: Check(name, "run") for name in names}
    try:
        settings = msgspec.convert(state.settings, Settings, strict=False)
    except msgspec.ValidationError as exc:
        found["qualify"].tell(f"the settings on record can't be used: {quoted(str(exc))}")
        return list(found.values())
    edition = settings.edition
    for team, value in state.values.get("qualify", {}).items():
        if qualified(value["text"], value["program"], edition) != value:
            found["qualify"].tell(f"{quoted(team)}: has another status or number of words")
    made = state.values.get("qualify", {})
    found["qualify"].summary = f"{counted(len(made), 'prompt')}, the same when recomputed"
    for id_, answer in state.answers.items():
        _compare(found["extract"], state, id_, partial(extracted, answer.answer, edition))
    count = len(state.answers)
    found["extract"].summary = f"programs from {counted(count, 'answer')}, the same when recomputed"
    if state.values.get("plan"):
        _measure_again(found["measure"], state, settings, folder)
        if state.result is not None:
            _result_again(found["result"], state, folder)
        found["result"].summary = found["result"].summary or "none yet"
    return list(found.values())


def _compare(check: Check, state: State, id_: str, compute: Callable[[], dict[str, Any]]) -> None:
    """Compares a stage's recomputed value for an item with the one on record."""
    held = state.values.get(check.name, {}).get(id_), state.failures.get(check.name, {}).get(id_)
    if held == (None, None):
        return
    try:
        again: tuple[Any, Any] = compute(), None
    except ItemFailed as exc:
        again = None, str(exc)
    if again != held:
        check.tell(f"{quoted(id_)}: the recomputed value is different")


#: The values that depend on physics alone.
_OF_PHYSICS = ("starting", "moving", "distances")


def _measure_again(check: Check, state: State, settings: Settings, folder: Path) -> None:
    table, programs = settings.measure, state.values.get("extract", {})
    measured = state.values.get("measure", {})
    held = [x for x in report.plan_of(state).items if "engine" in measured.get(x.id, {})]
    engines = {measured[item.id]["engine"] for item in held}
    check.summary = f"{counted(len(held), 'trial')}, the same when measured again"
    # Stored values and models aren't on record.
    whole = table.physics != "stored" and table.similarity == "built-in"
    for engine in sorted(engines & ENGINES.keys()):
        again = msgspec.structs.replace(settings, measure=MeasureTable(physics=engine))
        measuring = Measuring(again, folder, {})
        for item in held:
            code, value = programs.get(item.id, {"code": ""})["code"], measured[item.id]
            try:
                found = measuring.trial(item, code) if value["engine"] == engine else value
            except NoEngine as exc:
                check.notes.append(Fault(f"{exc}: its trials aren't measured again"))
                break
            except ItemFailed as exc:
                found = {"failed": str(exc)}
            names = found.keys() | value.keys() if whole else _OF_PHYSICS
            if any(found.get(name) != value.get(name) for name in names):
                check.tell(f"{quoted(item.id)}: the values are different when measured again")


def _result_again(check: Check, state: State, folder: Path) -> None:
    result = state.result
    assert result is not None
    document, made = report.results(state, lambda item: picture_of(folder, item))
    if report.recorded(document) != result.value:
        check.tell("the recomputed scores or ranks are different")
    for name, data in made.items():
        if name == report.PAGE:
            continue
        if hashlib.sha256(data).hexdigest() != result.files.get(name):
            check.tell(f"{name} is different when made again")
    check.summary = f"{counted(len(document['ranking']), 'place')}, the same when recomputed"
