"""What a contest is set up with: its folder, its settings and its schedule."""
