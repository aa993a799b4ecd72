"""A contest's folder, settings and schedule."""
