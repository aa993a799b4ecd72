"""What the organizer has in hand: the orders, the status, and the board in a browser."""
