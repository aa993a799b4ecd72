"""What the windows show and what they send, without Qt, sockets, clocks or threads."""
