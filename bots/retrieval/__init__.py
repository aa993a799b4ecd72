"""Sam from the bicycle shop, who says what fits best."""
