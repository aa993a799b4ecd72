"""The contest's server: settings, record, clock, hub, links to entries, seats, results.

Part of loebner. Its packages, each of which imports only those above it
(`tests/test_arrows.py` holds the order):

- `pages`, `scripted`: what all pages have in common; scripted judges and confederates
- `setup`: a contest's folder, settings and schedule, and the rules they are held to
- `database`, `record`: SQLite and PostgreSQL; events, group commits, the second copy
- `state`: what has happened, as a fold of the record, and the phase at a time; pure
- `history`: the state as values for readers, and what of it may be published
- `talks`, `verification`: the hub and the seats; everything computed again from the record
- `doors`, `statistics`: sockets, codes, limits; what the numbers say beside the result
- `links`, `pictures`, `recovery`: the entries' side; plots; damaged records and the snapshot
- `preflight`, `results`, `screening`: before the day; the result; from submissions to finalists
- `control`, `exports`: the conductor, who decides from the state, and the orders; files
- `board`, `spectators`: the organizer's pages, the audience's pages
- `serving`: the one function that sets a contest up
- `rehearsal`: all of it played beforehand
"""
