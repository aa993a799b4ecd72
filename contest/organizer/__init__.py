"""The organizer's board: the contest in a browser, live, with all orders, log, result, codes and
downloads; see docs/reference/board.md."""

from contest.organizer.routes import board_routes

__all__ = ["board_routes"]
