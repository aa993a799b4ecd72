"""The Loebner Prize Protocol (LPP): two sides talk by creating and removing directories. Each
directory is one key press.

Part of loebner. Start with `docs/reference/lpp.md`. The modules, from the inside out:

* `names`, `keypress` -- key names, key presses, and the rules that a name can break;
* `lines`, `pace` -- turn key presses into text, and text into key presses;
* `session` -- one side of a talk, without I/O;
* `channel` -- a talk over a real directory, with asyncio; `blocking` -- without asyncio;
* `hints`, `scanner`, `removal`, `numbers` -- the parts of the channel;
* `log2012`, `recording`, `conversation` -- recorded talks, and a talk's layout on a screen;
* `wire`, `connection` -- the frames between a contest's server and its seats, and how to connect;
* `program` -- starts programs, and ends them with all their child processes;
* `testing` -- a directory in memory, for your tests and ours;
* `conformance` -- checks whether a program speaks the protocol.
"""
