"""Recovery after a failure: continuing a contest, and recovering a damaged record."""
