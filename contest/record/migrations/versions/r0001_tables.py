"""The tables of version 0.1.0, which wrote no revision into its records: events, what is sealed,
and in SQLite the triggers for UPDATE and DELETE. A new record gets today's tables at once."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """A record that is older than its revisions is taken for this one as it is."""
