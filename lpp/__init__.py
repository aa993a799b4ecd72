"""The Loebner Prize Protocol (LPP): talk by making and removing directories, a key press each.

Part of loebner. Start with `docs/reference/lpp.md`. The pieces, from the inside out:

* `names`, `keypress` -- what a key press is, and which rules its name can break;
* `lines`, `pace` -- text out of key presses, and key presses out of text;
* `session` -- one side of a talk without I/O;
* `channel` -- the same over a real directory, under asyncio; `blocking` -- without asyncio;
* `hints`, `lookout`, `removal`, `numbers` -- what the channel is made of;
* `log2012`, `recording`, `conversation` -- recorded talks, and how a talk stands on a screen;
* `wire`, `connection` -- the frames between a contest's server and its seats, and how to connect;
* `program` -- programs that are started, and ended with all that they started;
* `testing` -- a directory in memory, for your tests and ours;
* `conformance` -- whether a program speaks the protocol.
"""
