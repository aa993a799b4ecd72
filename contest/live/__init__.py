"""The talks while they are on: the hub, the seats, what is decided there, and how long keys
take."""
