"""The record: events and their bodies, the database that holds them, group commits, the second
copy."""
