"""What Alembic runs to migrate: on the connection, and in the transaction, of whoever asked."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
