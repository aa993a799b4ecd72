"""The contest's course, and the organizer's hand on it."""
