"""The contest's server: settings, record, clock, hub, links to entries, seats, results.

Part of loebner. A package may import packages on its own line and the lines above
(`tests/test_arrows.py` checks this):

- `pages`, `scripted`: the shared frame of all pages; scripted judges and confederates
- `worker`, `setup`: calls in a separate process; a contest's folder, settings and schedule
- `record`: events in hash chains in SQLite or PostgreSQL, group commits, the second copy
- `state`: the contest's state as a fold of the record, and what may be published; pure
- `verify`: recomputes everything from the record, independently
- `results`: tally, pages, exports, statistics, pictures
- `links`, `live`, `net`: links to entries; hub, seats and conductor; sockets, codes and limits
- `preflight`, `recovery`, `screening`: checks before the contest; damaged records and the snapshot;
  from submissions to finalists
- `audience`, `organizer`, `seat_page`, `serving`: the audience's pages; orders and the board; a
  seat in the browser; the server itself
- `rehearse`: the whole contest in advance, with faults
"""
