"""The organizer's tools: the orders, the status, and the board in a browser."""
