"""Sam from the bicycle shop, who says the line that fits best."""
