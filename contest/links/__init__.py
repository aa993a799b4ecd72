"""Links between the hub and entries' communications directories, on this machine and on others.

There is one stack: `link` is the server's end and `directory` the entry's, around `server_end` and
`entry_end`, which do the exchange without I/O. Between them go the frames of `linkwire`, by
`socket` and `client` or within a process. `process` runs the entry's end, and its `program`, beside
the entry; `checkpoint` is what that end remembers over its death.
"""
