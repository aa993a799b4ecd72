"""Links between the hub and entries' communications directories: on this machine, and on others.

`link` says what the conductor may expect of any of them. Of a link to another machine, `server_end`
and `entry_end` are the two ends without I/O; around them stand `remote` and `socket` at the server,
`beside`, `client` and `program` in the process that runs beside the entry.
"""
