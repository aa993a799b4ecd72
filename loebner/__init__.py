"""The command `loebner`: one thin module a group of commands, each importing its package only
when it is called. Part of loebner."""
