"""Alex, who answers screening questions by tables of patterns; the tables are the *.toml files."""
