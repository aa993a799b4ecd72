"""Bots that can enter a contest, and tools to write your own (`bots.bot.Bot`). Part of loebner."""
