"""The command `loebner`: one thin module for each group of commands. A module imports its package
only when one of its commands is called. Part of loebner."""
