"""The state of a contest: a fold of its record, without I/O, clock, thread or log.

* `model` -- the state, as plain data
* `reducer` -- `apply(state, event)`: what each event changes
* `phases` -- `status(state, now)`: the phase, and what may come next
* `consents` -- who withholds, and everybody's public name
* `publication` -- a record as it may be published
* `schedules` -- changes to the schedule
* `incidents` -- incidents in words
"""
