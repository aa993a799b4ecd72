"""The revisions of the record's schema, one a file."""
