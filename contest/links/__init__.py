"""Links between the hub and entries' communications directories, on this machine and on others.

There is one stack: `link` is the server's side and `directory` the entry's, around the two `ends`,
which do the exchange without I/O. Between them go the frames of `linkwire`, by a WebSocket
(`client`) or within a process. `process` runs the entry's side and its `program`.
"""
