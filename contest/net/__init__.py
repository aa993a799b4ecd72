"""Network access to the server: sockets, codes, limits, certificates."""
