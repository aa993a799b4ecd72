"""What the events of a record tell: rounds, talks and keys as values, and what may be published of
them. Nothing here writes."""
