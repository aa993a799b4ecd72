"""The record: events and their bodies, the database they are written to, group commits, the second
copy."""
