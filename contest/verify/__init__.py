"""Verification of a record: recomputes chains, seals, times, keys, schedule and outcome."""
