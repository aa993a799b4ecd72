"""Adapters: run programs that don't speak LPP as entries; see `bots.adapters.table`."""
