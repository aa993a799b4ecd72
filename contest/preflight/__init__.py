"""The pre-flight of a contest: checks whether everything is ready, and names remedies.

`checks.CHECKS` is the table of checks; docs/reference/check-setup.md explains each.
"""
