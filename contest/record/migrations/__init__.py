"""Alembic's folder: how a record of an older version becomes one of this version.

Each file in `versions` is a revision; `contest.record.database` names them all, in their order, and
runs them. They are written by hand, and never changed once they were published.
"""
