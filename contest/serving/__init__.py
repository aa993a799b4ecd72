"""A contest's server, and the function that sets it up."""
