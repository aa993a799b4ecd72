"""Files for other programs and people, made of the record as it may be published."""
