"""The state of a contest: a fold of its record, without I/O, clock, thread or log.

* `model` -- what is known of a contest, as plain data
* `reducer` -- `apply(state, event)`: what each event changes
* `phases` -- `status(state, now)`: the phase, and what may come next
* `consents` -- who withholds, and how each is called in public
* `schedules` -- changes of the schedule
* `incidents` -- incidents in words
"""
