"""Where connections come in: sockets, codes, limits, certificates."""
