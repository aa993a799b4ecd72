"""Setting a contest's server up, and opening it to others."""
