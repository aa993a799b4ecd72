"""Alex, who answers screening questions using tables of patterns, the *.toml files."""
