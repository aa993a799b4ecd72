"""Stability of a level: the share of its blocks that stay where they are for ten seconds.

The official program is a game in Unity, whose physics engine is Box2D. With Unity's constants,
Box2D gives 149 of 150 official values exactly. If Box2D is not installed, pymunk is used, which
gives 148. Lengths are in Unity's units, times in seconds, angles in radians.
"""

from __future__ import annotations

import contextlib
import math
import struct
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from disciplines.chatgpt4pcg.level import FAR, GROUND, Block

#: Width and height of the colliders: smaller than the cells, so that a structure settles a little.
COLLIDERS = {"RectSmall": (0.70, 0.22), "SquareTiny": (0.22, 0.21)}
#: A block has moved if its centre ends at least this far from where it was.
MOVED = 0.1
#: Gravity (half of the Earth's), the length of a step in seconds, the number of steps in ten
#: seconds.
GRAVITY, STEP, STEPS = (0.0, -9.81 * 0.5), 0.02, 502
#: Resolution of contacts per step; damping of speed and rotation per second.
ITERATIONS, LINEAR_DAMPING, ANGULAR_DAMPING = 100, 1.0, 0.05
#: Friction between wood and wood, and between wood and ground.
WOOD, GROUND_FRICTION = 4.0, 0.4


class NoEngine(RuntimeError):
    """No physics engine is installed."""

    exit_code = 2
    extra = "pcg"


class Pose(NamedTuple):
    """A block's position: its type, its centre, and its angle, counter-clockwise."""

    kind: str
    x: float
    y: float
    angle: float


class Stability(NamedTuple):
    """A level's stability.

    Attributes:
        score: the share of blocks that didn't move, from 0 to 1, as the 32-bit float that the
            official program writes; 0 without blocks.
        starting, moving: the number of blocks, and how many of them moved.
        before, after: each block's pose at the start and at the end.
        distances: how far each block's centre moved.
        engine: "box2d" or "pymunk".
    """

    score: float
    starting: int
    moving: int
    before: tuple[Pose, ...]
    after: tuple[Pose, ...]
    distances: tuple[float, ...]
    engine: str


def stability(blocks: Sequence[Block], engine: str | None = None) -> Stability:
    """Simulates a level for ten seconds.

    Arguments:
        blocks: the level's blocks, in the order in which they are created.
        engine: "box2d" or "pymunk"; by default the first one that is installed.

    Raises:
        NoEngine: if the engine is not installed.
    """
    before = tuple(
        Pose(block.kind, float(block.x), float(block.y), math.radians(block.rotation))
        for block in blocks
    )
    for name in [engine] if engine else ENGINES:
        with contextlib.suppress(ImportError):
            ends = ENGINES[name](before)
            break
    else:
        raise NoEngine(f"the physics engine {engine or 'Box2D'} is not installed")
    after = tuple(Pose(pose.kind, *end) for pose, end in zip(before, ends, strict=True))
    distances = tuple(math.hypot(b.x - a.x, b.y - a.y) for a, b in zip(before, after, strict=True))
    moving = sum(distance >= MOVED for distance in distances)
    score = single(1 - moving / len(blocks)) if blocks else 0.0
    return Stability(score, len(blocks), moving, before, after, distances, name)


def single(value: float) -> float:
    """The nearest 32-bit float."""
    (nearest,) = struct.unpack("f", struct.pack("f", value))
    assert isinstance(nearest, float)
    return nearest


@cache
def _b2_world() -> Any:
    with warnings.catch_warnings():
        # SWIG's types lack an attribute that Python 3.11 and later warn about. If warnings are
        # errors, the import would crash.
        warnings.simplefilter("ignore", DeprecationWarning)
        from Box2D import b2World
    return b2World


def _box2d(poses: Sequence[Pose]) -> list[tuple[float, float, float]]:
    world = _b2_world()(gravity=GRAVITY, doSleep=True)
    ground = world.CreateStaticBody(position=(0, float(GROUND) - 2))
    ground.CreatePolygonFixture(box=(2 * FAR, 2), friction=GROUND_FRICTION)
    bodies = []
    for kind, x, y, angle in poses:
        width, height = COLLIDERS[kind]
        body = world.CreateDynamicBody(
            position=(x, y),
            angle=angle,
            linearDamping=LINEAR_DAMPING,
            angularDamping=ANGULAR_DAMPING,
        )
        body.CreatePolygonFixture(box=(width / 2, height / 2), density=1, friction=WOOD)
        bodies.append(body)
    for _ in range(STEPS):
        world.Step(STEP, ITERATIONS, ITERATIONS)
    return [(body.position.x, body.position.y, body.angle) for body in bodies]


def _pymunk(poses: Sequence[Pose]) -> list[tuple[float, float, float]]:
    import pymunk

    # Unlike Box2D, pymunk multiplies two frictions instead of taking the root of their product, has
    # one damping for speed and rotation, and has no skin around shapes.
    skin = 0.0075
    slower = 1 / (1 + STEP * LINEAR_DAMPING), 1 / (1 + STEP * ANGULAR_DAMPING)

    def damped(body: Any, gravity: Any, _damping: float, dt: float) -> None:
        pymunk.Body.update_velocity(body, gravity, 1.0, dt)
        body.velocity *= slower[0]
        body.angular_velocity *= slower[1]

    space = pymunk.Space()
    space.gravity = GRAVITY
    space.iterations = ITERATIONS
    space.collision_slop = 0.0005
    floor = pymunk.Poly.create_box(space.static_body, (4 * FAR, 4))
    space.static_body.position = (0, float(GROUND) - 2)
    floor.friction = math.sqrt(GROUND_FRICTION)
    space.add(floor)
    bodies = []
    for kind, x, y, angle in poses:
        width, height = COLLIDERS[kind]
        mass = width * height
        body = pymunk.Body(mass, pymunk.moment_for_box(mass, (width, height)))
        body.position, body.angle = (x, y), angle
        body.velocity_func = damped
        shape = pymunk.Poly.create_box(body, (width, height), skin)
        shape.friction = math.sqrt(WOOD)
        space.add(body, shape)
        bodies.append(body)
    for _ in range(STEPS):
        space.step(STEP)
    return [(body.position.x, body.position.y, body.angle) for body in bodies]


#: Engines, the best first: functions from the poses at the start to x, y and angle at the end.
ENGINES: dict[str, Callable[[Sequence[Pose]], list[tuple[float, float, float]]]] = {
    "box2d": _box2d,
    "pymunk": _pymunk,
}
