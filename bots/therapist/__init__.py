"""A therapist in the style of 1966."""
