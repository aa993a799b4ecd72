"""Programs that know no LPP, as entries; see `bots.adapters.table`."""
