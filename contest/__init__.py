"""The contest's server: settings, record, clock, hub, links to entries, seats, results.

Part of loebner. Its packages, each of which imports only those above it
(`tests/test_arrows.py` holds the order):

- `pages`, `people`: what all pages have in common; scripted judges and confederates
- `setup`: a contest's folder, settings and schedule, and the rules they are held to
- `database`, `record`: SQLite and PostgreSQL; events, group commits, the second copy
- `history`: what events tell, as values, and what of it may be published
- `talks`, `verification`: the hub and the seats; everything computed anew from the record
- `doors`, `statistics`: sockets, codes, limits; what the numbers say beside the result
- `links`, `pictures`, `recovery`: the entries' side; plots; what to do when something broke
- `preflight`, `results`, `screening`: before the day; the result; from submissions to finalists
- `control`, `exports`: the course of a contest and the organizer's hand on it; files
- `board`, `spectators`: the organizer's pages, the audience's pages
- `serving`, `rehearsal`: all of it set up; all of it played beforehand
"""
