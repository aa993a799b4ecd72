"""A therapist in the style of ELIZA (Weizenbaum, 1966)."""
