"""What a contest's server serves beside the seats: links, orders, and whatever is to be seen.

Each door is a module of its own; here stands which of them there are.
"""

from __future__ import annotations

from starlette.routing import BaseRoute

from contest.board import board_routes
from contest.control.house import House
from contest.control.web import control_route
from contest.links.socket import link_route
from contest.pages import static_route
from contest.spectators.doors import spectator_routes


def routes(house: House) -> list[BaseRoute]:
    """All routes but the seats' own, in the order in which they are tried."""
    found: list[BaseRoute] = [static_route()]
    if house.remote:
        speed = house.conductor.seats.speed
        found.append(link_route(house.remote, house.link_codes, house.porter, speed))
    if house.controls is not None:
        found.append(control_route(house.controls, house.organizers, house.porter))
        found.extend(board_routes(house, house.controls))
    conductor = house.conductor
    found += spectator_routes(
        *(house.settings, house.journal, house.record, conductor.seats.speed),
        *(house.overview.chronicle.events, conductor.hub.talks),
    )
    return found
