"""The running contest: conductor, hub, seats, the organizer's decisions, and the clock."""
