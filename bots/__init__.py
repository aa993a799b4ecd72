"""Entries, and what one needs to write an entry: see `bots.bot.Bot`. Part of loebner."""
