"""The contest's server: settings, record, clock, hub, links to entries, seats, results.

Part of loebner. Its packages, each of which imports from its own line and those above
(`tests/test_arrows.py` holds the order):

- `pages`, `scripted`: what all pages share; scripted judges and confederates
- `apart`, `setup`: work in another process; a contest's folder, settings and schedule
- `record`: events in hash chains in SQLite or PostgreSQL, group commits, the second copy
- `state`: what has happened, as a fold of the record, and what may be published; pure
- `verify`: everything computed again from the record by its own means
- `results`: tally, pages, exports, statistics, pictures
- `links`, `live`, `net`: the entries' side; hub, seats and conductor; sockets, codes and limits
- `preflight`, `recovery`, `screening`: before the day; damaged records and the snapshot; from
  submissions to finalists
- `audience`, `organizer`, `serving`: the audience's pages; orders and the board; the server itself
- `rehearse`: the whole contest beforehand, with faults
"""
