"""Links between the hub and the entries' communications directories, on this and other machines.

All links use the same code: `link` is the server's side and `directory` the entry's. They wrap the
two `ends`, which run the exchange without I/O. The frames of `linkwire` travel between them over a
WebSocket (`client`) or within a process. `process` runs the entry's side and its `program`.
"""
