"""The record's database: addresses, tables, revisions of the schema, the one writer.

`contest.record.store` writes by it, `contest.record.reading` reads by it. SQLite and PostgreSQL are
known here and nowhere else; whatever else is known of the record knows neither.
"""
