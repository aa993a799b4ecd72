"""Alex, who answers screening questions by tables of patterns; the tables are the *.toml files."""

from bots.screening.bot import ScreeningBot

__all__ = ["ScreeningBot"]
