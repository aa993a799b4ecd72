"""Network access to the server: sockets, codes, log-in, limits, certificates, announcement."""
