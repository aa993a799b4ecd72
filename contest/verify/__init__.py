"""Verification of a record: chains, seals, times, keys, schedule and outcome, each computed
again."""
