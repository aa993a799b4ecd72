"""What a contest is set up with: its folder, its settings, its schedule, and the rules they are
held to."""
