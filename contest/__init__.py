"""The contest's server: settings, record, clock, hub, links to entries, seats, results."""
