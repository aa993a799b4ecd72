"""A therapist after the manner of 1966."""
