"""The Loebner Prize Protocol (LPP): talk by making and removing directories, a key press each.

Part of loebner. Start with `docs/reference/lpp.md`. The pieces, from the inside out:

* `names`, `keypress`, `violations` -- what a key press is, and what its name can break;
* `lines`, `pace` -- text out of key presses, and key presses out of text;
* `session` -- one side of a talk without I/O;
* `channel` -- the same over a real directory, under asyncio; `blocking` -- without asyncio;
* `hints`, `lookout`, `removal`, `numbers` -- what the channel is made of;
* `log2012` -- the log form of the contest of 2012;
* `wire` -- the frames between the contest's server and its seats;
* `testing` -- a scripted peer, for your tests and ours;
* `conformance` -- whether a program speaks the protocol.
"""
