"""The form for a talk without a server: which directories, for how long, and where the record goes.

It has no I/O: whether something is a directory is asked of what is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from judge_console.model.joining import Complaint
from lpp.wire import Role

#: Minutes of a talk at most; enough for anybody's patience.
LONGEST_TALK = 999.0

Sides: TypeAlias = Literal["as-given", "random"]
Which: TypeAlias = Literal["left", "right"]
#: What a complaint is about.
DeskField: TypeAlias = Literal["left", "right", "record"]


@dataclass(frozen=True, slots=True)
class DeskPlan:
    """A talk without a server.

    Attributes:
        role: who sits here.
        left, right: the judge's communications directories, `right` is empty for practice with
            one partner; for a confederate `left` is the only one.
        minutes: how long the talk lasts; 0 is without a limit.
        sides: whether the two sit as given, or where chance puts them.
        human: which of the two given directories is the human's, for the record.
        record: the directory to put the record into; empty for none.
    """

    role: Role = "judge"
    left: str = ""
    right: str = ""
    minutes: float = 25.0
    sides: Sides = "as-given"
    human: Which = "right"
    record: str = ""


def desk_trouble(
    plan: DeskPlan, usable: Callable[[str], bool], same: Callable[[str, str], bool]
) -> tuple[DeskField, Complaint] | None:
    """What is wrong with a plan, if anything.

    Arguments:
        plan: as filled in.
        usable: whether a path is a directory that can be read and written.
        same: whether two paths are the same directory.

    Returns:
        The field that is to be changed, and what to say; None if all is right.
    """

    def no_directory(path: str) -> Complaint:
        return Complaint("all", "errors.not_a_directory", {"path": path})

    if not plan.left:
        return "left", Complaint("all", "errors.directory_missing")
    if not usable(plan.left):
        return "left", no_directory(plan.left)
    if plan.role == "judge" and plan.right:
        if not usable(plan.right):
            return "right", no_directory(plan.right)
        if same(plan.left, plan.right):
            return "right", Complaint("all", "errors.same_directory")
    return None
